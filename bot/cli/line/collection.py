"""Commands for people who collect and study matches."""

from __future__ import annotations

from pathlib import Path

from sixprime.bot.cli.line.command import (
    Group,
    Option,
    Part,
    ShellCommand,
    argument,
    choice,
    file,
    flag,
    number,
    option,
    verbs,
)
from sixprime.bot.cli.line.shared import (
    ANALYSED_AT,
    ANALYSIS,
    ANALYSIS_OF_ARCHIVE,
    ARCHIVE,
    MATCH_FORMATS,
    MATCH_ID,
    READABLE,
    ROLLOUT_OF_ERRORS,
    STRICT,
    TRIALS,
    as_json,
    which_matches,
)
from sixprime.bot.cli.line.values import (
    at_least,
    day,
    first_turn,
    new_file,
    some_of,
    text,
    threads,
)

DOCUMENTS = ("text", "html", "pdf", "png", "svg", "latex", "gam", "pos", "snowie")
WRITTEN = (*MATCH_FORMATS, "ogxm", *DOCUMENTS)
READ = (
    "XG (.xg, .xgp, text exports), OGXM (.ogxm, .gvab), BGBlitz and BackGammonRoom (.bgf), "
    "SGF (.sgf), FIBS oldmoves (.oldmoves, .fibs), JellyFish (.mat, .gam, .pos), GamesGrid (.sgg), "
    "TrueMoneyGames (.tmg), PartyGammon and GammonEmpire (.gam), BKG (.bkg), JavaFIBS and "
    "bgammon.org (.match), gnubg's text with boards (.txt), lists of positions (.pos, .xgid); "
    "and archives of these (.zip, .tar), or packed ones (.gz, .bz2, .xz)"
)
LEAST_ERROR = 0.04
PARTS = ("plays", "cube", "luck")  # of an analysis
# words of `annotate`; tests compare them with the record's
MARKS = ("very good", "good", "interesting", "doubtful", "bad", "very bad", "none")
LUCK = ("very lucky", "lucky", "unlucky", "very unlucky", "none")


def _verb(
    line: str, work: str, example: str, *options: Part, json: bool = True, source: bool = True
) -> ShellCommand:
    """A verb of `sixprime archive`; the example begins with its name."""
    return ShellCommand(
        example.split()[0],
        line,
        f"collection.verbs.{work}",
        (*(ARCHIVE if source else ()), *((as_json(),) if json else ()), *options),
        examples=f"sixprime archive {example}",
    )


_WHICH, _WHICH_OR_ID = which_matches(), which_matches(MATCH_ID)
_ID = argument("match", "ID", "as `list` shows it", kind=int)
ARCHIVE_VERBS = (
    _verb("list matches, oldest first", "listing:list_matches", "list --opponent ben",
          _WHICH, option("--most", "N", "list the last N at most", at_least(0), old="--last")),
    _verb("show one match: who played, when, and how it went", "showing:show_match",
          "show 17 --to mat",
          _ID, choice("--to", MATCH_FORMATS, "print it as a match file", dest="form", old="--as"),
          file("--html", "write its analysis to a page", "OUT"),
          flag("--raw", "print the bytes that went over the wire")),
    _verb("write match files, one per match", "exporting:export_matches", "export folder --to sgf",
          argument("folder", "FOLDER", "the folder to write to", kind=Path),
          choice("--to", MATCH_FORMATS, "format (all three)", action="append"),
          _WHICH_OR_ID, json=False),
    _verb("read match files, and skip matches that are already archived",
          "importing:import_matches", "import old/*.sgf evenings.zip",
          argument("files", "PATH", f"files, or folders of files, recognised by content: {READ}",
                   kind=Path, nargs="*"),
          flag("--watch", "watch these folders (this one), and import files as they come"),
          STRICT),
    _verb("analyse every match that is not analysed yet, on every core",
          "analysing:analyse_matches", "analyse --level expert",
          *ANALYSIS_OF_ARCHIVE, option("--processes", "N", "number of processes (one a core)", int),
          option("--scheduler", "ADDRESS", "let this Dask cluster do it (extra `dask`)"),
          _WHICH_OR_ID),
    _verb("count results by opponent, length, level and month, and show ratings",
          "statistics:show_statistics", "stats --me --plots charts",
          file("--csv", "write the tables to this folder instead", "FOLDER"),
          file("--plots", "draw charts in this folder, as SVG", "FOLDER"),
          ANALYSED_AT, _WHICH),
    _verb("show where equity is lost, and the worst errors", "errors:show_errors",
          "errors --me --most 10 --rollout --html worst.html",
          number("--most", 5, "errors to show, the worst first (5)", old="--worst"),
          file("--html", "write them to a page", "OUT", new_file),
          ANALYSED_AT, *ROLLOUT_OF_ERRORS,
          option("--threads", "N", "threads of a rollout (1)", threads), _WHICH_OR_ID),
    _verb("count the plays of each first roll, and their costs", "errors:show_openings",
          "openings --me", ANALYSED_AT, _WHICH_OR_ID),
    _verb("write every analysed decision as a row of a table, for DuckDB, pandas and R",
          "decisions:write_decisions", "decisions --parquet decisions",
          file("--parquet", "folder of Parquet files, brought up to date (extra `data`)", "FOLDER"),
          file("--csv", "write one CSV file instead", "OUT", new_file),
          ANALYSED_AT),
    _verb("say which names belong to one player, and which player you are", "people:join_names",
          "alias --me Llabba lasse You",
          argument("names", "NAME", "names of one player, the one to show last; without a name, "
                   "all are listed", nargs="*"),
          flag("--me", "that player is you"),
          flag("--remove", "make each NAME a separate player again")),
    _verb("list the players, with results and error rates", "people:list_players",
          "players --since 2026-01-01",
          _WHICH, number("--most", 20, "players to list (20)", least=1)),
    _verb("copy a whole archive into another database, and compare both",
          "copying:copy_whole_archive", "copy archive/sixprime.db server.yaml",
          argument("from_", "SRC", "a file, a URL, or settings (.yaml) that name an archive"),
          argument("to", "DST", "another one; missing rows are written there"), source=False),
    _verb("write a copy of the archive as one file, even while bots play",
          "copying:back_archive_up", "backup /backups",
          argument("to", "FILE", "an SQLite file, or a folder for one", kind=Path),
          flag("--replace", "replace an older backup of this name")),
    _verb("delete matches", "changing:remove_matches", "remove 17 18",
          argument("ids", "ID", "as `list` shows it", kind=int, nargs="*"),
          flag("--yes", "delete all matches that the filters choose"), _WHICH),
    _verb("give a player another name", "changing:rename_player", "rename Lbaba Llabba",
          argument("old", "OLD", "the player's name, exactly"),
          argument("new", "NEW", "the new name"),
          option("--match", "ID", "only in this match", int, action="append")),
    _verb("comment on a match, a game or a move, mark a move, say when and where it was played",
          "changing:annotate_match",
          "annotate 17 'a good one' --date 2026-11-23\n"
          "sixprime archive annotate 17 'too early' --game 2 --move 8 --mark bad",
          argument("id", "ID", "as `list` shows it", kind=int),
          argument("note", "TEXT", "the comment; '' removes it", kind=text, nargs="?"),
          option("--game", "N", "comment on this game", at_least(1)),
          option("--move", "N", "comment on this move of the game (1), as documents number it",
                 at_least(1)),
          choice("--mark", MARKS, f"mark the play, or the action with the cube: {', '.join(MARKS)}",
                 metavar="MARK"),
          choice("--cube-mark", MARKS, "mark the decision not to double before the roll",
                 metavar="MARK"),
          choice("--luck", LUCK, f"mark the roll: {', '.join(LUCK)}", metavar="LUCK"),
          option("--date", "DAY", "day of an imported match", day),
          option("--event", "NAME", "the event", text),
          option("--round", "NAME", "its round", text),
          option("--place", "NAME", "the place, or server, of an imported match", text),
          option("--annotator", "NAME", "who comments", text)),
    _verb("merge duplicates into one match", "changing:merge_matches", "merge",
          argument("ids", "ID", "merge these into the first; without any, all duplicates", kind=int,
                   nargs="*")),
    _verb("find matches that contradict themselves", "changing:check_archive", "check"),
)  # fmt: skip
ARCHIVE_COMMAND = ShellCommand(
    "archive",
    "list, show, export, import, analyse and count archived matches",
    groups=verbs(*ARCHIVE_VERBS),
    examples="\n".join(verb.examples for verb in ARCHIVE_VERBS),
)
_FILES = argument("files", "FILE", "one or more match files", nargs="+")
CONVERT = ShellCommand(
    "convert",
    "convert match files, and write documents with boards and analyses",
    "collection.convert:convert_matches",
    (
        argument("input", "IN", "a file, or - for standard input"),
        argument("output", "OUT", "a file, a folder, or - for standard output"),
        option("--from", "FORMAT", "format of IN", dest="source", offers=READABLE),
        STRICT,
        choice(
            "--to", WRITTEN, f"format of OUT: {', '.join(WRITTEN)}", dest="target", metavar="FORMAT"
        ),
        option("--match", "N", "only the Nth match of IN", int),
        flag("--swap", "exchange the seats: names, ratings, scores, and who sits below"),
        option("--game", "N", "make a document of this game alone", int),
        option("--move", "N", "make a document of this move's position alone", int),
        file("--style", "CSS of your own, after that of the HTML", "FILE"),
    ),
    examples="""
sixprime convert match.sgf match.mat
sixprime convert evening.fibs folder --to sgf      one file per match
sixprime convert evening.fibs third.sgf --match 3
sixprime convert - - --to mat < match.sgf > match.mat
sixprime convert match.sgf swapped.sgf --swap        the other player below
sixprime convert match.sgf match.pdf               boards of every move
sixprime convert match.sgf board.png --game 2 --move 7
sixprime convert match.sgf match.html --style own.css
sixprime convert match.sgf move.txt --to snowie --game 2 --move 7
echo XGID=... | sixprime convert - board.html""",
    about="Convert a file of matches between FIBS oldmoves (.fibs, .oldmoves), SGF as gnubg has it "
    "(.sgf) and Jellyfish .mat, or make a document with boards and the analysis in IN: text as "
    "gnubg's (.txt), HTML (.html, a page a game, with gnubg's CSS classes), LaTeX (.tex), PDF, "
    "PNG and SVG (.pdf, .png, .svg: the extra `print`). A game becomes a .gam, a position a .pos "
    "or Snowie's text. IN may have any format that `archive import` reads, including positions; "
    "the suffix of OUT sets its format.",
    remark="extras `xg`, `print`",
)
TRANSCRIBE = ShellCommand(
    "transcribe",
    "enter a match of two people line by line, and archive it",
    "collection.transcribe:transcribe_match",
    (
        argument("file", "FILE", "file that keeps the lines, and from which the entry goes on "
                 "(match-DATE.txt)", kind=Path, nargs="?"),
        file("--out", "write the match to this file too (.sgf, .mat, .fibs)", "OUT"),
        *ARCHIVE,
    ),
    examples="""
sixprime transcribe final.txt                      enter a match, or go on with it
sixprime transcribe final.txt --out final.sgf
sixprime transcribe --out final.mat < notes.txt    enter the lines of a text""",
    notes="Lines: `match 7` or `money`, `players Anna, Ben`, `event Cup`; `31: 8/5 6/5`, a roll "
    "with its play, or `31` alone; `double`, `take`, `drop`, `resign 1`; `31: 8/4 !` keeps an "
    "illegal play and marks it; `undo 3` takes three turns back; `show` draws the board, `?` lists "
    "everything.\nEach line is safe in FILE before the next is asked for. A match that is won, or "
    "ended by `end`, goes into the archive.",
)  # fmt: skip
ANALYSE = ShellCommand(
    "analyse",
    "report how well and how luckily recorded matches were played",
    "collection.analyse:analyse_files",
    (
        _FILES,
        number("--most", 5, "errors to show, the worst first (5)", old="--worst"),
        flag("--games", "print a table for each game"),
        Group(
            "which part",
            (
                option("--player", "NAME", "only this player"),
                option("--game", "N", "only this game", at_least(1)),
                option("--turn", "N", "only this turn of each game", at_least(1)),
                option("--from", "GAME.TURN", "only from this turn on, such as 2.8", first_turn,
                       dest="from_"),
                option("--only", "PARTS", "only these, with commas: plays, cube, luck",
                       some_of(*PARTS), default=PARTS, offers=PARTS),
            ),
            "the report leaves out what only the whole match tells",
        ),
        *ROLLOUT_OF_ERRORS,
        flag("--rollout-marked", "roll out the plays and cubes that were marked in the file with "
             "gnubg's `cmark`"),
        as_json("print one JSON object per match instead"),
        STRICT,
        file("--sgf", "write the match with its analysis, for gnubg", "OUT"),
        file("--html", "write a page to read; a folder for several", "OUT"),
        *ANALYSIS,
    ),
    examples="""
sixprime analyse match.sgf
sixprime analyse match.sgf --level supremo --sgf analysed.sgf    for gnubg to show
sixprime analyse match.sgf --html report.html                    for a browser
sixprime analyse match.mat --player anna --rollout --trials 324
sixprime analyse match.mat --only plays --from 2.8                from turn 8 of game 2 on
sixprime analyse evening.fibs --level expert --json > evening.json""",
    notes="FILE is anything that `archive import` takes. The chosen level judges the errors.",
)  # fmt: skip
QUIZ = ShellCommand(
    "quiz",
    "ask you again about misplayed positions",
    "collection.quiz:ask_again",
    (
        *ARCHIVE,
        option("--most", "N", "questions (10; all in a deck)", at_least(1), old="--number"),
        number("--at-least", LEAST_ERROR, f"only errors of at least this size ({LEAST_ERROR})",
               "EMG"),
        ANALYSED_AT,
        file("--memory", "file that keeps your answers"),
        flag("--list", "show the questions that are due, and do not ask"),
        file("--anki", "write them as a deck for Anki instead (extra `anki`)", "OUT", new_file),
        as_json("with --list, print JSON, for programs"),
        which_matches(MATCH_ID),
    ),
    examples="""
sixprime quiz --me
sixprime quiz --player arthur_d --most 20 --at-least 0.08
sixprime quiz --me --list
sixprime quiz --me --anki errors.apkg""",
    notes="It asks about errors in analysed matches (sixprime archive analyse). Answer with a play "
    "(8/5 6/5, 8-5 6-5, m 8 5 6 5), d or n to double or not, t, p or b to take, pass or beaver; "
    "? shows the answer, q ends.\n"
    "Anki updates the cards of a deck that is imported again, and adds the new ones.\n"
    "Wrong answers come back in the same quiz and the next, right ones after longer and longer "
    "intervals.",
)  # fmt: skip
COMPARE = ShellCommand(
    "compare",
    "compare the analysis in a file of XG or gnubg with ours",
    "collection.compare:compare_files",
    (
        Option(("files",), "one or more analysed matches", metavar="FILE", nargs="+"),
        number(
            "--most",
            10,
            "disagreements to show, and to roll out, the largest first (10)",
            old="--show",
        ),
        flag("--rollout", "roll the disagreements out"),
        number("--trials", TRIALS, f"trials of a rollout ({TRIALS})", least=1),
        as_json("print one JSON object per match instead"),
        STRICT,
        *ANALYSIS,
    ),
    examples="""
sixprime compare match.xg                     how far XG and we agree
sixprime compare match.xg --rollout           and who is right where we do not
sixprime compare gnubgs.sgf --level supremo --json""",
    notes="FILE is an .xg file, or any other that carries an analysis, such as gnubg's SGF.",
    remark="XG's or gnubg's analysis beside ours",
)
