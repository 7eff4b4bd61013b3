"""`sixprime completions`: the words that a shell completes, written from the declared commands."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable, Iterator
from shlex import quote

from sixprime.bot.cli.line.command import Option, ShellCommand, every_command
from sixprime.bot.cli.line.errors import refusing
from sixprime.bot.cli.line.shared import PROFILES
from sixprime.bot.cli.line.top import SIXPRIME
from sixprime.bot.cli.settingsfile import find_settings
from sixprime.engine.system.errors import ConfigError

Commands = list[tuple[tuple[str, ...], ShellCommand]]
ASK_PROFILES = "sixprime completions profiles 2>/dev/null"


def print_script(options: Namespace) -> int:
    if options.shell == PROFILES:
        return _print_profiles()
    sys.stdout.write(SHELLS[options.shell](list(every_command(SIXPRIME))))
    return 0


def _print_profiles() -> int:
    from sixprime.bot.settings.file import load_config  # slow, and not for scripts

    path = find_settings()
    if path is not None:
        with refusing(ConfigError):
            print("\n".join(profile.name for profile in load_config(path).profiles))
    return 0


def _words_of(option: Option) -> list[str]:
    """List the words that a shell offers for its value; none means files."""
    return [str(word) for word in option.choices or option.offers]


def _offer(option: Option, listed: Callable[[list[str]], str], profiles: str, files: str) -> str:
    """Write the offer for the value of an option as words, as profiles or as files."""
    if option.offers == PROFILES:
        return profiles
    words = _words_of(option)
    return listed(words) if words else files


def _value_options(commands: Commands) -> Iterator[tuple[str, Option]]:
    """Yield the options with a value, each with the pattern of the words before the cursor."""
    for words, command in commands:
        for option in command.flags:
            if option.takes_value:
                yield "|".join(quote(" ".join(("", *words, name))) for name in option.names), option


def _path(commands: Commands) -> str:
    """Return the pattern of a `case` that matches every command."""
    return "|".join(quote(" ".join(("", *words))) for words, _ in commands if words)


def _case(words: tuple[str, ...]) -> str:
    return quote(" ".join(("", *words))) if words else quote("")


def _first_words(command: ShellCommand) -> list[str]:
    """The words of its arguments."""
    return [word for argument in command.arguments for word in _words_of(argument)]


def bash(commands: Commands) -> str:
    lines = [
        "# bash completion for sixprime, written by `sixprime completions bash`",
        "_sixprime() {",
        "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}",
        "  local verb= words= word_here i",
        "  for ((i = 1; i < COMP_CWORD; i++)); do",
        "    word_here=${COMP_WORDS[i]}",
        f'    case "$verb $word_here" in {_path(commands)}) verb+=" $word_here" ;; esac',
        "  done",
        '  case "$verb $before" in',
    ]
    for where, option in _value_options(commands):
        offer = _offer(option, lambda words: f"-W {quote(' '.join(words))}",
                       f'-W "$({ASK_PROFILES})"', "-f")  # fmt: skip
        lines.append(f'    {where}) COMPREPLY=($(compgen {offer} -- "$word")); return ;;')
    lines += ["  esac", '  case "$verb" in']
    for words, command in commands:
        offers = [part.name for part in command.parts] + _first_words(command)
        offers += [name for option in command.flags for name in option.names]
        lines.append(f"    {_case(words)}) words={quote(' '.join(offers))} ;;")
    lines += [
        "  esac",
        '  COMPREPLY=($(compgen -W "$words" -- "$word"))',
        '  [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$word"))',
        "}",
        "complete -o filenames -F _sixprime sixprime",
    ]
    return "\n".join(lines) + "\n"


def zsh(commands: Commands) -> str:
    lines = [
        "#compdef sixprime",
        "# written by `sixprime completions zsh`",
        "_sixprime() {",
        "  local verb= i; local -a words_here options_here",
        "  for ((i = 2; i < CURRENT; i++)); do",
        f'    case "$verb ${{words[i]}}" in ({_path(commands)}) verb+=" ${{words[i]}}" ;; esac',
        "  done",
        '  case "$verb ${words[CURRENT-1]}" in',
    ]
    for where, option in _value_options(commands):
        offer = _offer(option, lambda words: f"compadd -- {' '.join(map(quote, words))}",
                       f"compadd -- $({ASK_PROFILES})", "_files")  # fmt: skip
        lines.append(f"    ({where}) {offer}; return ;;")
    lines += ["  esac", '  case "$verb" in']
    for words, command in commands:
        offers = [_pair(part.name, part.line) for part in command.parts]
        offers += [_pair(word, "") for word in _first_words(command)]
        names = [_pair(name, option.help) for option in command.flags for name in option.names]
        lines.append(
            f"    ({_case(words)}) words_here=({' '.join(offers)})"
            f" options_here=({' '.join(names)}) ;;"
        )
    lines += [
        "  esac",
        "  if [[ ${words[CURRENT]} == -* ]]; then _describe -o option options_here; return; fi",
        "  (( $#words_here )) && _describe word words_here",
        "  [[ -n $verb ]] && _files",
        "}",
        '[[ $funcstack[1] == _sixprime ]] && _sixprime "$@" || compdef _sixprime sixprime',
    ]
    return "\n".join(lines) + "\n"


def fish(commands: Commands) -> str:
    lines = ["# written by `sixprime completions fish`"]
    for words, command in commands:
        seen = [f"__fish_seen_subcommand_from {word}" for word in words]
        if command.parts:
            parts = " ".join(part.name for part in command.parts)
            seen.append(f"not __fish_seen_subcommand_from {parts}")
        when = f"complete -c sixprime -n {quote('; and '.join(seen))}"
        lines += [
            f"{when} -f -a {part.name} -d {_fish_quoted(part.line)}" for part in command.parts
        ]
        lines += [f"{when} -a {quote(word)}" for word in _first_words(command)]
        for option in command.flags:
            names = " ".join(
                f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}"
                for name in option.names
            )
            value = _offer(option, lambda words: f" -x -a {quote(' '.join(words))}",
                           f" -x -a '({ASK_PROFILES})'", " -r")  # fmt: skip
            value = value if option.takes_value else ""
            lines.append(f"{when} {names}{value} -d {_fish_quoted(option.help)}")
    return "\n".join(lines) + "\n"


def _pair(name: str, text: str) -> str:
    escaped = name.replace(":", "\\:")
    return quote(f"{escaped}:{text}" if text else escaped)


def _fish_quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


SHELLS: dict[str, Callable[[Commands], str]] = {"bash": bash, "zsh": zsh, "fish": fish}
