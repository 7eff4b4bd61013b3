"""`sixprime completions`: what a shell completes after `sixprime`, generated from the commands."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from shlex import quote

from sixprime.bot.cli.everycommand import CommandPart, takes_value, values, verbs


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "example: echo 'source <(sixprime completions bash)' >> ~/.bashrc\n"
        "  zsh:   sixprime completions zsh > FOLDER/_sixprime, a folder of $fpath\n"
        "  fish:  echo 'sixprime completions fish | source' >> ~/.config/fish/config.fish"
    )
    parser.add_argument("shell", choices=SHELLS, help="whose language to write")


def run(options: argparse.Namespace) -> int:
    sys.stdout.write(SHELLS[options.shell](verbs()))
    return 0


def _after(verb: CommandPart, name: str = "") -> str:
    """What stands before the cursor, as scripts write it: a command, perhaps an option."""
    return quote(" ".join(("", *verb.words, *([name] if name else []))))


def _path(found: list[CommandPart]) -> str:
    """The pattern of a `case` that matches every command."""
    return "|".join(_after(verb) for verb in found if verb.words)


def bash(found: list[CommandPart]) -> str:
    lines = [
        "# bash completion for sixprime, written by `sixprime completions bash`",
        "_sixprime() {",
        "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}",
        "  local verb= words= word_here i",
        "  for ((i = 1; i < COMP_CWORD; i++)); do",
        "    word_here=${COMP_WORDS[i]}",
        f'    case "$verb $word_here" in {_path(found)}) verb+=" $word_here" ;; esac',
        "  done",
        '  case "$verb $before" in',
    ]
    for verb in found:
        for option in filter(takes_value, verb.options):
            where = "|".join(_after(verb, name) for name in option.option_strings)
            asked = f"-W {quote(' '.join(values(option)))}" if values(option) else "-f"
            lines.append(f'    {where}) COMPREPLY=($(compgen {asked} -- "$word")); return ;;')
    lines += ["  esac", '  case "$verb" in']
    for verb in found:
        words = [*verb.parts, *_words(verb), *_names(verb)]
        lines.append(
            f"    {_after(verb) if verb.words else quote('')}) words={quote(' '.join(words))} ;;"
        )
    lines += [
        "  esac",
        '  COMPREPLY=($(compgen -W "$words" -- "$word"))',
        '  [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$word"))',
        "}",
        "complete -o filenames -F _sixprime sixprime",
    ]
    return "\n".join(lines) + "\n"


def zsh(found: list[CommandPart]) -> str:
    lines = [
        "#compdef sixprime",
        "# written by `sixprime completions zsh`",
        "_sixprime() {",
        "  local verb= i; local -a words_here options_here",
        "  for ((i = 2; i < CURRENT; i++)); do",
        f'    case "$verb ${{words[i]}}" in ({_path(found)}) verb+=" ${{words[i]}}" ;; esac',
        "  done",
        '  case "$verb ${words[CURRENT-1]}" in',
    ]
    for verb in found:
        for option in filter(takes_value, verb.options):
            where = "|".join(_after(verb, name) for name in option.option_strings)
            offered = (
                f"compadd -- {' '.join(map(quote, values(option)))}" if values(option) else "_files"
            )
            lines.append(f"    ({where}) {offered}; return ;;")
    lines += ["  esac", '  case "$verb" in']
    for verb in found:
        words = [_pair(name, said) for name, said in verb.parts.items()]
        words += [_pair(word, "") for word in _words(verb)]
        names = [_pair(name, _help(each)) for each in verb.options for name in each.option_strings]
        lines.append(
            f"    ({_after(verb) if verb.words else quote('')})"
            f" words_here=({' '.join(words)}) options_here=({' '.join(names)}) ;;"
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


def fish(found: list[CommandPart]) -> str:
    lines = ["# written by `sixprime completions fish`"]
    for verb in found:
        seen = [f"__fish_seen_subcommand_from {word}" for word in verb.words]
        if verb.parts:
            seen.append(f"not __fish_seen_subcommand_from {' '.join(verb.parts)}")
        when = f"complete -c sixprime -n {quote('; and '.join(seen))}"
        for name, said in verb.parts.items():
            lines.append(f"{when} -f -a {name} -d {_fish(said)}")
        lines += [f"{when} -a {quote(word)}" for word in _words(verb)]
        for option in verb.options:
            names = " ".join(
                f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}"
                for name in option.option_strings
            )
            value = f" -x -a {quote(' '.join(values(option)))}" if values(option) else " -r"
            lines.append(
                f"{when} {names}{value if takes_value(option) else ''} -d {_fish(_help(option))}"
            )
    return "\n".join(lines) + "\n"


def _words(verb: CommandPart) -> list[str]:
    return [
        word
        for each in verb.actions
        if not each.option_strings and not isinstance(each, argparse._SubParsersAction)
        for word in values(each)
    ]


def _names(verb: CommandPart) -> list[str]:
    return [name for each in verb.options for name in each.option_strings]


def _help(action: argparse.Action) -> str:
    return (action.help or "").replace("%%", "%")


def _pair(name: str, said: str) -> str:
    escaped = name.replace(":", "\\:")
    return quote(f"{escaped}:{said}" if said else escaped)


def _fish(said: str) -> str:
    escaped = said.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


SHELLS: dict[str, Callable[[list[CommandPart]], str]] = {"bash": bash, "zsh": zsh, "fish": fish}
