"""Commands for people who run a bot or a server, and for the shell."""

from __future__ import annotations

from pathlib import Path

from sixprime.bot.cli.line.command import (
    OneOf,
    Option,
    ShellCommand,
    argument,
    choice,
    file,
    flag,
    option,
    verbs,
)
from sixprime.bot.cli.line.shared import (
    CONFIG,
    OFFERED,
    SERVES,
    SETTINGS,
    SETTINGS_NAME,
    as_json,
    profile,
    variant,
)
from sixprime.bot.cli.line.values import database

REFUSED = 77  # exit code after a refused login: a restart would not help
WHOM = ("people", "anybody", "everybody")
WHOM_HELP = "people (humans who invite it), anybody (bots too), everybody (it also invites)"
DEMO_OUT = Path("demo-output")

INIT = ShellCommand(
    "init",
    "ask four questions and write settings for a bot (`config init` asks nothing)",
    "operator.init:write_first_settings",
    (
        argument("file", "FILE", f"file to write (./{SETTINGS_NAME})", kind=Path, nargs="?",
                 default=Path(SETTINGS_NAME)),
        choice("--kind", ("fibs", "bgammon"), "the server's protocol (fibs)", default="fibs"),
        option("--server", "HOST[:PORT]", "the server (fibs.com:4321, or bgammon.org:1337)"),
        option("--account", "NAME", "the bot's name there"),
        option("--level", "L", "'pr 7' plays like people of that PR; or a level, or a rating",
               offers=OFFERED),
        choice("--whom", WHOM, WHOM_HELP),
        file("--systemd", "also write a unit for systemd"),
    ),
    examples="""
sixprime init
sixprime init --server localhost:4321 --account my_bot --level 1650 --whom anybody
sixprime init my_bot.yaml --systemd ~/.config/systemd/user/sixprime.service""",
    notes="It asks for everything not given by an option; without a terminal it takes the "
    "defaults. The password goes into a separate file beside the settings, which only you can "
    "read.",
)  # fmt: skip
PLAY = ShellCommand(
    "play",
    "log in and play until stopped",
    "operator.play:play",
    (
        CONFIG,
        profile("only this bot of the file"),
        flag("--finish", "on SIGTERM or Ctrl-C finish the match first; on a second signal leave "
             "it saved"),
        flag("--once", "stop after the first match; each of several bots plays one"),
        flag("--stay", "after a refused login keep running, unhealthy, instead of exiting with "
             f"{REFUSED}, for supervisors that restart every process that ends; retry a broken "
             "engine every ten minutes"),
        file("--record", "record both sides of the conversation, without the password, for "
             "`sixprime replay` and bug reports; each of several bots gets a file with its profile "
             "in the name"),
    ),
    examples="""
SIXPRIME_PASSWORD=... sixprime play --config my_bot.yaml
SIXPRIME_PASSWORD=... sixprime play --config my_bot.yaml --record trouble.txt""",
    notes="`sixprime control` steers it while it runs. On SIGHUP, which a closing terminal also "
    "sends, it reads the settings file again.",
    alone=SERVES,
)  # fmt: skip
STATUS = ShellCommand(
    "status",
    "show the day of running bots, why they wait, and what to do next",
    "operator.status:show_status",
    (
        CONFIG,
        option("--address", "HOST:PORT", "address of the process (127.0.0.1:9321)"),
        OneOf((as_json(), flag("--watch", "show boards too, until Ctrl-C"))),
    ),
    examples="""
sixprime status
sixprime status --watch
sixprime status --address 127.0.0.1:9321 --json""",
)
DOCTOR = ShellCommand(
    "doctor",
    "look at everything that a bot needs, and say what to do",
    "operator.doctor:examine",
    (
        CONFIG,
        flag("--connect", "also call the server, without logging in"),
        as_json(),
    ),
    examples="""
sixprime doctor
sixprime doctor --config my_bot.yaml --connect""",
    notes="It looks at settings, passwords, ports, disk, archive, clock and engine, and exits "
    "with 1 if one of them is wrong. Ports of bots that run from the same file count as right.",
)  # fmt: skip

_USER = argument("name", "NAME", "a user of the server")
_ACTIONS: dict[str, tuple[str, tuple[Option, ...]]] = {
    "pause": ("stay logged in, but begin no match", ()),
    "resume": ("undo pause", ()),
    "finish": ("stop, after the match", ()),
    "stop": ("leave the match, which stays saved, and stop, as on SIGTERM", ()),
    "leave": ("leave the match; it stays saved, and rests for a day, or until forgive", ()),
    "dial": ("dial now, instead of later", ()),
    "invite": ("invite a user, or resume a saved match",
               (_USER, argument("length", "N", "points", kind=int))),
    "say": ("say something to the opponent", (argument("text", "TEXT", nargs="+"),)),
    "block": ("begin no match with this user", (_USER,)),
    "allow": ("accept this user whatever the settings say", (_USER,)),
    "unblock": ("undo block and allow, also those of the settings", (_USER,)),
    "forgive": ("end the rest of this user, and forget tries and refusals", (_USER,)),
    "reload": ("read the settings file again, as SIGHUP does", ()),
    "level": ("play at another level from the next match on",
              (argument("level", "LEVEL", "a level's name, 'pr 7' or a rating", offers=OFFERED),
               flag("--now", "from the next decision on"))),
    "status": ("show in a line what the bots are doing; `sixprime status` shows more", ()),
}  # fmt: skip
_SOCKET = OneOf((CONFIG, file("--socket", "the control.socket of the process", "PATH")))
CONTROL = ShellCommand(
    "control",
    "steer the bots of a running process",
    groups=verbs(*(
        ShellCommand(name, line, "operator.control:steer", (
            *options,
            profile("the process with this bot" if name == "reload" else "only this bot"),
            _SOCKET,
        ))
        for name, (line, options) in _ACTIONS.items()
    )),
    examples="""
sixprime control status --config my_bot.yaml
sixprime control pause --config my_bot.yaml
sixprime control invite ben 5 --profile anna
sixprime control say 'Back in a minute'
sixprime control level expert --now""",
    notes="It prints one line, and exits with 1 if the action was not done. Without `--profile` an "
    "action is for all bots of the process. The changes hold until the process ends.",
    word="ACTION",
)  # fmt: skip

_SETTINGS_FILE = OneOf((
    argument("file", "FILE", SETTINGS, kind=Path, nargs="?"),
    file("--config", "the same, as other commands take it"),
))  # fmt: skip
CONFIG_COMMAND = ShellCommand(
    "config",
    "check, show or write the settings of `sixprime play`",
    groups=verbs(
        ShellCommand("check", "name every fault of a file by its path", "operator.config:check",
                     (_SETTINGS_FILE,)),
        ShellCommand("show", "show the effective settings, defaults included",
                     "operator.config:show", (_SETTINGS_FILE,)),
        ShellCommand(
            "init",
            "write a commented example, and its schema for editors; `sixprime init` asks first",
            "operator.config:write_example",
            (
                argument("file", "FILE", f"file to write (./{SETTINGS_NAME}; -: standard output)",
                         kind=Path, nargs="?", default=Path(SETTINGS_NAME)),
                option("--server", "HOST", "the server (fibs.com)", old="--host"),
                option("--account", "NAME", "the bot's name there", old="--user"),
            ),
        ),
        ShellCommand(
            "example",
            "print an example file that comes with the program",
            "operator.config:print_example",
            (argument("name", "NAME", "the file; without it, the names of all", nargs="?"),),
            examples="sixprime config example\nsixprime config example sandbox > sandbox.yaml\n"
            "sixprime config example deploy/compose.yaml > compose.yaml",
        ),
        ShellCommand("notify", "send a trial notice by webhook and mail",
                     "operator.notify:try_notices", (_SETTINGS_FILE,)),
        ShellCommand("schema", "print the JSON schema of such files, for editors",
                     "operator.config:print_schema"),
    ),
    examples="sixprime config init mybot.yaml\nsixprime config check mybot.yaml",
)  # fmt: skip
REPLAY = ShellCommand(
    "replay",
    "run the bot against a recorded session, without a server",
    "operator.replay:replay_session",
    (
        argument("file", "FILE", "a recording by `sixprime play --record`", kind=Path),
        file("--config", "settings, instead of those in the recording"),
        profile("bot of that file (the first)"),
    ),
    examples="sixprime replay trouble.txt",
    notes="It prints the conversation: `S` marks the server, `C` the bot, `+` a line that the "
    "bot sends only now, `-` a line that it sent only in the recording. "
    "It exits with 0 if nothing differs, else with 1. "
    "It uses no network and no archive; plays and cube decisions are those of the recording.",
)

SANDBOX = ShellCommand(
    "sandbox",
    "run a FIBS-compatible server with house players on this machine",
    "operator.sandbox:serve",
    (
        file("--config", "settings, see `sixprime config example sandbox`"),
        option("--listen", "HOST:PORT", "address to listen on (127.0.0.1:4321)"),
        option("--house", "LEVEL", "house players that accept invitations, one for each level",
               nargs="+", action="extend", offers=OFFERED),
        file("--database", "keep accounts and matches here", old="--db"),
        option("--seed", "N", "seed of reproducible dice", int),
        variant("the game played"),
        option("--chaos", "SEED", "seed of a simulated faulty network", int),
    ),
    examples="sixprime sandbox --house simple --database sandbox.db\n"
    "telnet localhost 4321        in another terminal; log in as 'guest'",
    remark="a FIBS server of your own",
    alone=SERVES,
)  # fmt: skip
WEB = ShellCommand(
    "web",
    "show a board to play on, positions and an archive in the browser",
    "operator.web:serve_pages",
    (
        option("--listen", "HOST:PORT", "address to listen on (127.0.0.1:8760)",
               default="127.0.0.1:8760"),
        option("--database", "URL", "archive to show, and to add finished matches to "
               "(archive.db in the folder of --matches)", database, old="--archive"),
        file("--matches", "folder of the matches (./web-matches)", "FOLDER",
             default=Path("web-matches")),
        file("--password-file", "its first line is the password"),
        file("--watch-password-file", "its first line is a password that only lets people watch"),
        file("--token-file", "programs send its first line instead of the password"),
        option("--proxy", "ADDRESS", "a reverse proxy whose X-Forwarded-For we trust",
               action="append", default=[]),
        option("--name", "HOST", "another name of this server", action="append", default=[]),
        option("--position", "ID", "print the link to play on from this XGID or other ID, or from "
               "MATCH.GAME.MOVE of the archive"),
    ),
    examples="""
sixprime web --database sqlite:///archive/sixprime.db
sixprime web --position 4HPwATDgc/ABMA
sixprime web --position 17.2.8                     move 8 of game 2 of match 17""",
    notes="Open the address that it prints, and install it as an app if you like. The pages are "
    "English or German, as the browser prefers. Beyond this machine a password is needed.",
    remark="extra `web`",
    alone=SERVES,
)  # fmt: skip
DEMO = ShellCommand(
    "demo",
    "play a rated match between two bots on a server of its own, and show it",
    "operator.demo:play_demo",
    (
        option("--matches", "N", "number of matches (default 1)", int, default=1),
        option("--length", "N", "points (default 3)", int, default=3),
        option("--seed", "N", "seed of the dice: the same seed, the same match", int),
        variant("the game played (default standard)", "standard"),
        file("--out", f"folder of archive, match files and log (default {DEMO_OUT}); matches are "
             "added", "FOLDER", default=DEMO_OUT),
    ),
    examples="sixprime demo\nsixprime demo --length 5 --matches 2 --seed 42 --out /tmp/demo",
    notes="It starts a FIBS server on a loopback port and logs in two bots of different levels, "
    "which play rated matches. Each turn is a line; the stronger bot's plays come with its equity "
    "and winning chances. Archive, match files and log stay in the folder.",
)  # fmt: skip

COMPLETIONS = ShellCommand(
    "completions",
    "print the script that completes `sixprime` in bash, zsh or fish",
    "operator.completions:print_script",
    (choice("shell", ("bash", "zsh", "fish", "profiles"),
            "the shell; `profiles` prints the profiles of the settings file, for these scripts"),),
    examples="""
echo 'source <(sixprime completions bash)' >> ~/.bashrc
sixprime completions zsh > FOLDER/_sixprime                   a folder of $fpath
echo 'sixprime completions fish | source' >> ~/.config/fish/config.fish""",
)  # fmt: skip
MAN = ShellCommand(
    "man",
    "print manual pages",
    "operator.man:print_pages",
    (
        argument("command_words", "COMMAND", "the command of the page", nargs="*"),
        file("--out", "write the pages of all commands into this folder", "FOLDER"),
        flag("--list", "print a page that lists all commands, in Markdown"),
    ),
    examples="sixprime man hint | man -l -\nsixprime man --out ~/.local/share/man/man1",
)
SCHEMA = ShellCommand(
    "schema",
    "print the JSON Schema of what a command prints with `--json`",
    "answers.known:print_schemas",
    (argument("command_words", "COMMAND", "the command; without it, the names of all", nargs="*"),),
    examples="sixprime schema hint\nsixprime schema archive list",
)
