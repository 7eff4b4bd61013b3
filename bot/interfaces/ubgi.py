"""The Universal Backgammon Interface on two streams; protocols.engines.ubgi parses the commands.

Each line is one command and is answered before the next is read, so `stop` has nothing to stop.
Only `quit` and the end of input end the program.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, BinaryIO, assert_never

import structlog

from sixprime.bot.interfaces.streams import lines_of
from sixprime.bot.process.release import installed
from sixprime.engine.game import (
    Action,
    Answer,
    BeforeRoll,
    CheckerPlay,
    ResignAnswer,
    ResignOffer,
)
from sixprime.engine.position import MatchState, Position
from sixprime.engine.search.acting import act
from sixprime.engine.search.decide import Engine, NoDecision, check
from sixprime.engine.search.players import BackgammonPlayer, EnginePlayer
from sixprime.engine.search.ratingtable import level_of
from sixprime.engine.system.errors import InputError
from sixprime.protocols.engines.ubgi import (
    LONGEST_LINE,
    BadCommand,
    BarePosition,
    Command,
    Fault,
    GetKey,
    Go,
    Role,
    Word,
    parse_command,
    play_text,
)
from sixprime.protocols.engines.ubgistate import UbgiState, greeting, settings_of

if TYPE_CHECKING:
    from sixprime.engine.kernels.evaluation import Brain
    from sixprime.engine.search.levels import Level
    from sixprime.engine.search.plies import Evaluation

log = structlog.get_logger("bot.ubgi")

USUAL_SEED = 1


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """The client's wishes about our thinking; None leaves it to the level."""

    level: str
    plies: int | None = None  # as gnubg counts: 0 looks at the positions after our plays
    seconds: float | None = None
    threads: int = 1
    seed: int = USUAL_SEED  # of random noise; another seed also makes other people
    deterministic: bool = True
    cubeful: bool = True


MakePlayer = Callable[[EngineOptions], BackgammonPlayer]


def with_engine(levels: Mapping[str, Level], brain: Brain) -> MakePlayer:
    """Return a maker of players with our engine at one of these levels."""

    def make(options: EngineOptions) -> BackgammonPlayer:
        level = levels.get(options.level) or level_of(options.level)
        if level.person is not None:  # their choices rest on first sight
            options = replace(options, plies=None)
        if options.seed != USUAL_SEED:
            level = level.of_seed(options.seed)
        seconds = level.seconds if options.seconds is None else options.seconds
        level = replace(
            level, checker=_adjusted(level.checker, options), cube=_adjusted(level.cube, options)
        )
        level = replace(level, seconds=seconds)
        return EnginePlayer(Engine(level, threads=options.threads, brain=brain, seed=options.seed))

    return make


def _is_level(name: str) -> bool:
    try:
        return bool(level_of(name))
    except InputError:
        return False


def _adjusted(evaluation: Evaluation, options: EngineOptions) -> Evaluation:
    return replace(
        evaluation,
        plies=evaluation.plies if options.plies is None else options.plies,
        cubeful=evaluation.cubeful and options.cubeful,
        deterministic=evaluation.deterministic and options.deterministic,
    )


class UbgiConversation:
    """Answers to lines. The player made by `make` stays until the client changes an option."""

    def __init__(
        self,
        make: MakePlayer,
        levels: tuple[str, ...],
        level: str,
        *,
        threads: int = 1,
        draft: bool = False,
    ) -> None:
        self.over = False
        self._make = make
        self._draft = draft
        self._state = UbgiState(settings_of(levels, level, threads, _is_level))
        self._player: tuple[EngineOptions, BackgammonPlayer] | None = None

    def respond(self, line: str) -> list[str]:
        try:
            command = parse_command(line)
            self._state = self._state.after(command)
            return self._answer(command)
        except BadCommand as error:
            return [self._state.error_line(error)]
        except NoDecision as error:
            return [self._state.error_line(BadCommand(Fault.CONTEXT, str(error)))]
        except Exception as error:
            log.error("no answer could be found", line=line, exc_info=error)
            failure = f"no answer could be found, {type(error).__name__}"
            return [self._state.error_line(BadCommand(Fault.UNSUPPORTED, failure))]

    def _answer(self, command: Command) -> list[str]:
        match command:
            case Word():
                return self._word(command)
            case GetKey(key):
                return [f"value {key} {self._state.value(key)}"]
            case Go():
                return [self._decided(command)]
            case BarePosition():
                return [self._drafted(command)]
        return []

    def _word(self, word: Word) -> list[str]:
        if word is Word.HELLO:
            release, authors = installed(), "the Sixprime authors"
            return greeting(self._state, "Sixprime", authors, release, draft=self._draft)
        if word is Word.IS_READY:
            return ["readyok"]
        if word is Word.KEYS:
            return [setting.key_line() for setting in self._state.settings.values()]
        self.over = word is Word.QUIT
        return []

    def _decided(self, command: Go) -> str:
        position, match, role = self._state.asked(command)
        player = self._thinker(command)
        if match.doubled:
            return f"bestcube {_word(_action(player, position, match))}"
        if role is Role.CHEQUER:
            return f"bestmove {_word(_action(player, position, match))}"
        doubles = _action(player, position, match.with_(dice=None)) is BeforeRoll.DOUBLE
        cube = "double" if doubles else "nodouble"
        if role is Role.CUBE:
            return f"bestcube {cube}"
        move = f" move={_word(_action(player, position, match))}" if match.dice else ""
        return f"bestturn cube={cube}{move}"

    def _drafted(self, command: BarePosition) -> str:
        """Answer as in draft 0.01, with the action alone; a blank line is a dance."""
        position, match, _ = self._state.asked(command)
        action = _action(self._thinker(Go()), position, match)
        return "" if action == CheckerPlay(()) else _word(action)

    def _thinker(self, command: Go) -> BackgammonPlayer:
        state = self._state
        plies = state.number("engine.ply") - 1
        options = EngineOptions(
            state.value("engine.level"),
            command.plies if command.plies is not None else plies if plies >= 0 else None,
            command.seconds,
            state.number("engine.threads"),
            state.number("engine.seed"),
            state.value("engine.deterministic") == "true",
            state.value("engine.cube") == "cubeful",
        )
        if self._player is None or self._player[0] != options:
            self._player = (options, self._make(options))
        return self._player[1]


def _action(player: BackgammonPlayer, position: Position, match: MatchState) -> Action:
    """Let the player act, as if nobody had resigned; NoDecision if the game is over."""
    if match.dice is not None:
        check(position, match)
    return act(player, position, match.with_(resigned=0), may_double=not match.resigned)


def _word(action: Action) -> str:
    match action:
        case CheckerPlay(play):
            return play_text(play)
        case BeforeRoll():
            return action.value
        case Answer():
            return "drop" if action is Answer.PASS else "take"
        case ResignOffer() | ResignAnswer():
            raise ValueError("UBGI has no resignations")
        case _:
            assert_never(action)


def converse(commands: BinaryIO, answers: BinaryIO, conversation: UbgiConversation) -> None:
    """Answer commands until `quit` or the end of input; flush every answer."""
    for line in lines_of(commands, LONGEST_LINE + 2):
        text = line.decode("utf-8", "replace").strip()
        for answer in conversation.respond(text) if text else ():
            answers.write(answer.encode("utf-8") + b"\n")
        answers.flush()
        if conversation.over:
            return
