"""The JSON of commands that study and keep matches."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from sixprime.bot.archive.collection.checking import Finding
from sixprime.bot.archive.tables import matches
from sixprime.bot.cli.collection.verbs.listing import INNER
from sixprime.engine.analysis.statistics import Figures, SessionTotals
from sixprime.engine.analysis.values import MatchAnalysis
from sixprime.engine.analysis.valuesjson import ANALYSES
from sixprime.engine.likeness.portraits import Gain
from sixprime.protocols.formats.record import Match
from sixprime.protocols.formats.recordjson import RECORDS

Rate = tuple[float, float] | None  # EMG a decision or roll, and MWC or points


class _Rates(TypedDict):
    pr: float | None
    checker_rate: Rate  # EMG an unforced play, and the same in MWC or points
    luck_rate: Rate  # EMG a roll, and the same in MWC or points
    cube_rate: Rate  # EMG a close or actual cube decision, and the same in MWC or points
    error_rate: Rate  # EMG a decision, and the same in MWC or points
    checker_rating: str  # gnubg's name of the rate
    luck_rating: str
    cube_rating: str
    rating: str
    session: SessionTotals | None  # of money games


class _Version(TypedDict):
    version: int  # of the layout


class _File(_Version):
    file: str
    figures: list[Annotated[Figures, _Rates]]  # by seat


AnalysedFile = Annotated[MatchAnalysis, ANALYSES, _File]


class QuestionDue(TypedDict):
    """A misplayed position that is due to be asked again."""

    question: str  # key that `--memory` keeps
    match: int  # ID in the archive
    given: float  # EMG that the error gave away
    asked: int  # times
    missed: int  # times


class KindCompared(TypedDict):
    """The agreement of two analyses over decisions of one kind."""

    decisions: int
    agreed: int  # decisions in which both find the same best
    mean_difference: float  # of the equities of the choice made, in EMG


class ErrorsOfBoth(TypedDict):
    """The EMG that a player gave away, as each analysis sees it."""

    player: str
    theirs: float
    ours: float


class ChoiceCompared(TypedDict):
    """The best choice of one analysis."""

    choice: str
    equity: float
    cost_to_other: float | None  # EMG, as the other analysis sees it; None if it was not judged


class RulingOfRollout(TypedDict):
    """The result of a rollout of both choices."""

    theirs_better_by: float  # EMG
    error: float  # standard error of the difference
    trials: int
    right: Literal["theirs", "ours"] | None


class Disagreement(TypedDict):
    """A decision in which the two analyses find different choices best."""

    game: int  # from 1
    turn: int  # from 1
    player: str
    xgid: str  # or the reason why there is none
    theirs: ChoiceCompared
    ours: ChoiceCompared
    rollout: RulingOfRollout | None


class AnalysesCompared(TypedDict):
    """The analysis in a file beside ours."""

    file: str
    annotator: str
    level: str  # of our analysis
    plays: KindCompared
    cube: KindCompared
    errors: list[ErrorsOfBoth]
    disagreements: list[Disagreement]


class MatchListed(TypedDict):
    """A match of an archive; the account is seat 0, the opponent seat 1."""

    pr: float | None
    their_pr: float | None


class MatchShown(MatchListed):
    """A match of an archive with its record; the account is seat 0, the opponent seat 1."""

    luck: float | None  # MWC in a match, points for money
    their_luck: float | None
    analysis: str | None  # settings of the analysis that tells PR and luck
    record: Annotated[Match, RECORDS, _Version]


_COLUMNS = tuple(column for column in matches.columns if column.name not in INNER)
ListedMatch = Annotated[MatchListed, _COLUMNS]
ShownMatch = Annotated[MatchShown, _COLUMNS]


class FilesImported(TypedDict):
    """The outcome of an import."""

    added: list[int]  # IDs of the new matches
    skipped: int  # matches that were archived already
    broken: dict[str, str]  # reason by file
    remarks: dict[str, list[str]]  # oddities, by file


class MatchesAnalysed(TypedDict):
    """The outcome of an analysis of many matches."""

    settings: str  # key of the settings, which `--analysis` takes
    level: str
    analysed: int
    skipped: int  # matches that were analysed already
    broken: dict[str, str]  # reason by ID of the match


class ResultsSummed(TypedDict):
    """Results of matches."""

    matches: int
    won: int
    lost: int
    unfinished: int
    points_won: int
    points_lost: int
    won_low: float | None  # percent; the 95 % interval of the share of matches won begins here
    won_high: float | None  # percent; it ends here


class SkillSummed(TypedDict):
    """Error rates and luck over analysed matches, in thousandths of EMG."""

    analysed: int
    error_rate: float | None  # a decision
    checker_rate: float | None  # an unforced play
    cube_rate: float | None  # a close or actual cube decision
    luck_rate: float | None  # a roll
    rating: str  # gnubg's name of the error rate
    pr: float | None
    snowie_rate: float | None  # a move of either player
    their_error_rate: float | None
    their_checker_rate: float | None
    their_cube_rate: float | None
    their_luck_rate: float | None
    their_rating: str
    their_pr: float | None
    their_snowie_rate: float | None
    both_pr: float | None
    both_error_rate: float | None
    both_rating: str
    decisions: int  # that the PR counts


class SkillByGroup(TypedDict):
    """Error rates and luck by the same groups as the results."""

    settings: str  # key of the settings of the analyses
    total: SkillSummed
    by_opponent: dict[str, SkillSummed]
    by_length: dict[str, SkillSummed]
    by_level: dict[str, SkillSummed]
    by_month: dict[str, SkillSummed]
    by_server: dict[str, SkillSummed]


class ArchiveStatistics(TypedDict):
    """Results of the matches of an archive, by group."""

    subject: str | None  # player whose results they are; None if the accounts are several players
    total: ResultsSummed
    by_opponent: dict[str, ResultsSummed]
    by_length: dict[str, ResultsSummed]
    by_level: dict[str, ResultsSummed]
    by_month: dict[str, ResultsSummed]
    by_server: dict[str, ResultsSummed]
    ratings: dict[str, list[tuple[str, float]]]  # time (UTC) and rating, by account
    skill: NotRequired[SkillByGroup]  # if a match is analysed


class ErrorsOfKind(TypedDict):
    """The errors of one kind."""

    kind: str
    errors: int
    given: float  # EMG


class WorstError(TypedDict):
    """One error."""

    match: int  # ID in the archive
    player: str
    game: int  # from 1
    turn: int  # from 1
    what: Literal["double", "answer", "play"]
    given: float  # EMG
    ids: list[str]  # gnubg's Position ID and Match ID, and the XGID, where they can hold it


class ErrorsOfArchive(TypedDict):
    """The errors of the chosen matches."""

    matches: int  # analysed ones among those chosen
    kinds: list[ErrorsOfKind]
    worst: list[WorstError]


class OpeningPlayed(TypedDict):
    """A play of a first roll."""

    roll: str
    play: str
    times: int
    given: float  # EMG, over all times
    best: str


class OpeningsOfArchive(TypedDict):
    """The plays of first rolls."""

    settings: str  # key of the settings of the analyses
    plays: list[OpeningPlayed]


class DecisionsWritten(TypedDict):
    """The outcome of writing decisions as rows."""

    written: int  # matches
    there: int  # matches that were there already
    analysis: str  # settings of the analyses


class NamesOfPlayers(TypedDict):
    """The names of each player."""

    players: dict[str, list[str]]  # other names, by the name to show
    me: list[str]


class PlayerOfArchive(TypedDict):
    """A player of an archive."""

    player: str
    me: bool
    matches: int
    won: int
    lost: int
    analysed: int
    pr: float | None
    error_rate: float | None  # thousandths of EMG a decision
    last: str  # day of the last match; empty if unknown


class ArchiveCopied(TypedDict):
    """The outcome of a copy, which was compared with its source."""

    to: str
    written: int  # rows
    rows: dict[str, int]  # in the copy, by table


class MatchesRemoved(TypedDict):
    """The outcome of a removal."""

    removed: int  # matches


class PlayerRenamed(TypedDict):
    """The outcome of a renaming."""

    renamed: int  # matches


class MatchAnnotated(TypedDict):
    """The comment on a match."""

    match: int  # ID
    note: str


class MoveAnnotated(TypedDict):
    """The comment on a game or a move."""

    match: int  # ID
    game: int  # from 1
    move: int | None  # from 1; None for the whole game
    comment: str
    marks: list[str]


class MatchesMerged(TypedDict):
    """The outcome of merging duplicates."""

    merged: dict[str, list[int]]  # IDs that went into each ID


class _Chooser(TypedDict):
    best: float  # share of best choices
    loss: float  # EMG a decision
    errors: float  # share of other choices than the best
    blunders: float  # share of choices that lose more than 0.08 EMG
    over: dict[str, float]  # share of choices that lose more than this much EMG


class PeoplesChoices(_Chooser):
    """The choices of people."""


class LikelyChoices(_Chooser):
    """The choices of a level, or of noise that loses as much as people."""

    nats: float  # surprise at people's choices, a decision


class LikenessRow(TypedDict):
    """The likeness over some decisions."""

    group: str
    name: str
    decisions: int
    people: PeoplesChoices
    level: LikelyChoices
    noise: LikelyChoices


class LikenessOfLevel(TypedDict):
    """The likeness of people and a level."""

    level: str
    rows: list[LikenessRow]


class PortraitLearned(TypedDict):
    """A level that plays like one player."""

    player: str
    pr: float
    matches: int
    portrait: list[float]  # the player's differences from people of the PR
    held_back: dict[Literal["plays", "cubes"], Gain]  # at decisions that were not learned from


QuestionsDue = list[QuestionDue]
PlayersOfArchive = list[PlayerOfArchive]
FindingsOfCheck = list[Finding]
