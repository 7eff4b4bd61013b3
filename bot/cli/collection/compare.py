"""`sixprime compare`: the analysis in a file beside ours, and which is right."""

from __future__ import annotations

import json
from argparse import Namespace
from typing import Any

from sixprime.bot.analysis.comparing import Choice, Decision, Ruling, compared, roll_out
from sixprime.bot.analysis.matches import examined
from sixprime.bot.analysis.recorded import analysis_in_record
from sixprime.bot.cli.analyses import brain_of, settings_of
from sixprime.bot.cli.levels import level_of, threads_of
from sixprime.bot.cli.line.errors import Skipped
from sixprime.bot.cli.matchfiles import matches_in
from sixprime.bot.cli.progress import bar
from sixprime.bot.cli.ready import get_ready
from sixprime.bot.process.printable import counted, printable
from sixprime.engine.analysis.examiner import Examiner
from sixprime.engine.analysis.values import MatchAnalysis, What
from sixprime.engine.kernels.evaluation import Brain
from sixprime.engine.search.rollout import RolloutSettings
from sixprime.protocols.formats.ids import BadId, xgid
from sixprime.protocols.formats.notation import format_play
from sixprime.protocols.formats.record import Match


def compare_files(options: Namespace) -> int:
    """Compare match by match; report and skip those without an analysis."""
    settings = settings_of(options)
    threads = threads_of(options, level_of(options))
    get_ready()
    brain = brain_of(options, settings.bearoff)
    examiner = Examiner(brain, settings, threads)
    skipped = Skipped("compare")
    for name in options.files:
        with skipped.at(name):
            found = matches_in(name, "compare", strict=options.strict)
            for place, match in enumerate(found, start=1):
                label = name if len(found) == 1 else f"{name}: match {place}"
                with skipped.at(label):
                    _compare(label, match, examiner, brain, threads, options)
    return skipped.code


def _compare(
    label: str, match: Match, examiner: Examiner, brain: Brain, threads: int,
    options: Namespace,
) -> None:  # fmt: skip
    theirs = analysis_in_record(match, examiner.settings.thresholds)
    if not any(turn.move and turn.move.candidates for g in theirs.games for turn in g.turns):
        raise ValueError("it carries no analysis to compare ours with")
    with bar(label) as progress:
        ours = examined(match, examiner, progress)
    decisions = compared(theirs, ours)
    apart = sorted(
        (decision for decision in decisions if not decision.agreed), key=lambda d: -d.size
    )
    rulings: list[Ruling | None] = [None] * min(options.most, len(apart))
    if options.rollout:
        settings = RolloutSettings(trials=options.trials)
        for place, decision in enumerate(apart[: options.most]):
            with bar(f"rollout {place + 1} of {len(rulings)}") as progress:
                rulings[place] = roll_out(
                    decision, settings, brain, threads=threads, progress=progress
                )
    who = match.annotator or "the file"
    both = list(zip(apart, rulings, strict=False))
    if options.json:
        print(json.dumps(_object(label, who, decisions, both, (theirs, ours))))
    else:
        _show(label, who, decisions, both, (theirs, ours))


def _counts(decisions: list[Decision]) -> dict[str, tuple[int, int, float]]:
    """Return the number, the agreed number and the mean difference of equities, by kind."""
    found = {}
    for name, is_play in (("plays", True), ("cube", False)):
        some = [decision for decision in decisions if (decision.what is What.PLAY) == is_play]
        apart = [abs(decision.theirs.equity - decision.ours.equity) for decision in some]
        mean = sum(apart) / len(apart) if apart else 0.0
        found[name] = (len(some), sum(decision.agreed for decision in some), mean)
    return found


Both = list[tuple[Decision, Ruling | None]]
Pair = tuple[MatchAnalysis, MatchAnalysis]


def _show(label: str, who: str, decisions: list[Decision], apart: Both, pair: Pair) -> None:
    lines = [f"{label}: {who} and Sixprime ({pair[1].level})"]
    for name, (count, agreed, mean) in _counts(decisions).items():
        share = f" ({100 * agreed / count:.1f} %)" if count else ""
        lines.append(
            f"{name:<6} {counted(count, 'decision'):>14}, the same best in {agreed}{share};"
            f" equities differ by {mean:.4f} on average"
        )
    for seat in (0, 1):
        theirs, ours = (analysis.statistics[seat].errors.emg for analysis in pair)
        lines.append(f"errors of {pair[1].players[seat]}: {who} {theirs:+.3f}, ours {ours:+.3f}")
    for place, (decision, ruling) in enumerate(apart, start=1):
        player = pair[1].players[decision.seat]
        dice = f" {decision.dice[0]}{decision.dice[1]}" if decision.dice else ""
        lines.append(
            f"{place:3}. game {decision.game + 1}, turn {decision.turn + 1}, {player}{dice}: "
            f"{who} {_words(decision, decision.theirs)} (we: {_cost(decision.theirs)}), "
            f"ours {_words(decision, decision.ours)} ({who}: {_cost(decision.ours)})"
        )
        lines.append(f"     {_id_of(decision)}")
        if ruling is not None:
            lines.append(f"     {_ruled(ruling, who)}")
    print(printable("\n".join(lines)))


def _id_of(decision: Decision) -> str:
    try:
        return xgid(decision.position, decision.state.with_(dice=decision.dice))
    except BadId as error:
        return str(error)


def _ruled(ruling: Ruling, who: str) -> str:
    by = f"by {abs(ruling.better):.4f} ± {ruling.error:.4f}, {counted(ruling.trials, 'trial')}"
    winner = {"theirs": f"{who} is right", "ours": "we are right", "": "not decided"}
    return f"rolled out: {winner[ruling.winner]}, {by}"


def _words(decision: Decision, choice: Choice) -> str:
    if choice.play is None:
        return choice.name
    return format_play(decision.position, choice.play) or "no play"


def _cost(choice: Choice) -> str:
    return "not considered" if choice.cost is None else f"{choice.cost:+.3f}"


def _object(
    label: str, who: str, decisions: list[Decision], apart: Both, pair: Pair
) -> dict[str, Any]:
    def plain(decision: Decision, choice: Choice) -> dict[str, object]:
        return {
            "choice": _words(decision, choice), "equity": choice.equity,
            "cost_to_other": choice.cost,
        }  # fmt: skip

    return {
        "file": label,
        "annotator": who,
        "level": pair[1].level,
        **{
            name: {"decisions": number, "agreed": agreed, "mean_difference": mean}
            for name, (number, agreed, mean) in _counts(decisions).items()
        },
        "errors": [
            {"player": pair[1].players[seat], "theirs": theirs, "ours": ours}
            for seat in (0, 1)
            for theirs, ours in [[analysis.statistics[seat].errors.emg for analysis in pair]]
        ],
        "disagreements": [
            {
                "game": decision.game + 1,
                "turn": decision.turn + 1,
                "player": pair[1].players[decision.seat],
                "xgid": _id_of(decision),
                "theirs": plain(decision, decision.theirs),
                "ours": plain(decision, decision.ours),
                "rollout": None if ruling is None else {
                    "theirs_better_by": ruling.better, "error": ruling.error,
                    "trials": ruling.trials, "right": ruling.winner or None,
                },
            }
            for decision, ruling in apart
        ],
    }  # fmt: skip
