"""`sixprime bearoff`: write databases in gnubg's own file format, and look at single positions."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sixprime.bot.cli.declaring import flag, option
from sixprime.bot.cli.main import UsageError, new_file, refusing, threads
from sixprime.bot.cli.ready import get_ready

if TYPE_CHECKING:
    from sixprime.engine.bearoff.files import Hypergammon, Kind, TwoSided
    from sixprime.engine.position import Position


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "examples:\n"
        "  sixprime bearoff one-sided --points 8 gnubg_os.bd\n"
        "  sixprime bearoff two-sided --checkers 7 --points 6 gnubg_ts.bd\n"
        "  sixprime bearoff hyper --checkers 3\n"
        "  sixprime bearoff show 0,1,0,0,1 0,1,1"
    )
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)

    one = verbs.add_parser("one-sided", help="chances to be done after n rolls, 15 checkers")
    one.description = "Write a one-sided database: each side's chances to be done after n rolls."
    one.epilog = "example: sixprime bearoff one-sided --points 8 gnubg_os.bd"
    one.add_argument("--points", type=int, default=6, metavar="P", help="points 1..P (default 6)")
    flag(one, "--no-gammons", "without gammon distributions")
    flag(one, "--uncompressed", "all 32 words of each distribution")
    flag(one, "--normal", "only mean and standard deviation of each")

    two = verbs.add_parser("two-sided", help="exact money equities, few checkers")
    two.description = "Write a two-sided database: exact money equities, without and with the cube."
    two.epilog = "example: sixprime bearoff two-sided --checkers 7 --points 6 gnubg_ts.bd"
    two.add_argument("--points", type=int, default=6, metavar="P", help="points 1..P (default 6)")
    option(two, "--checkers", "C", "at most C a side (default 6)", int, 6)
    flag(two, "--cubeless", "without the cubeful equities")

    hyper = verbs.add_parser("hyper", help="hypergammon: chances and money equities")
    hyper.description = (
        "Write a hypergammon database, as gnubg's makehyper does; 3 checkers take minutes. "
        "Without FILE it goes where the engine looks for it."
    )
    hyper.epilog = (
        "examples:\n"
        "  sixprime bearoff hyper --checkers 3\n"
        "  sixprime bearoff hyper --checkers 1 hyper1.bd"
    )
    hyper.add_argument("--checkers", type=int, default=3, metavar="C", help="1 to 3 (default 3)")

    one.set_defaults(threads=1)
    for verb in (two, hyper):
        option(verb, "--threads", "N", "how many (default 1)", threads, 1)
    for verb in (one, two, hyper):
        flag(verb, "--no-header", "without the 40 bytes of header")
        verb.add_argument(
            "file",
            type=new_file,
            nargs="?" if verb is hyper else None,
            metavar="FILE",
            help="an existing one is replaced",
        )

    show = verbs.add_parser("show", help="what the databases say about a position")
    show.description = "Show what the databases say about a position, or about one side."
    show.epilog = "example: sixprime bearoff show 0,1,0,0,1 0,1,1"
    show.add_argument(
        "mine", metavar="MINE", help="checkers of the player on roll on points 1,2,.."
    )
    show.add_argument("theirs", metavar="THEIRS", nargs="?", help="the opponent's, likewise")


def run(options: argparse.Namespace) -> int:
    if options.verb == "show":
        _show(options.mine, options.theirs)
        return 0
    kind = _kind(options)
    get_ready("bearoff")
    try:
        if options.file is None:
            if options.no_header:
                raise UsageError("--no-header needs a FILE: the engine reads the header")
            _keep(kind)
            return 0
        with refusing(OSError, at=options.file):
            _write(kind, options)
    except MemoryError as error:
        raise UsageError("not enough memory for a database of this size") from error
    return 0


def _kind(options: argparse.Namespace) -> Kind:
    from sixprime.engine.bearoff.files import Hypergammon, OneSided, TwoSided

    with refusing(ValueError):
        if options.verb == "hyper":
            return _that_fits(Hypergammon(options.checkers))
        if options.verb == "two-sided":
            return _that_fits(TwoSided(options.points, options.checkers, not options.cubeless))
        if options.normal and (options.no_gammons or options.uncompressed):
            raise UsageError("--normal goes with neither --no-gammons nor --uncompressed")
        return OneSided(
            options.points, not options.no_gammons, not options.uncompressed, options.normal
        )


def _that_fits(kind: TwoSided | Hypergammon) -> Kind:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if kind.size > memory:
        wanted, there = (f"{size / 2**30:,.0f} GiB" for size in (kind.size, memory))
        raise UsageError(f"such a database takes {wanted} and this machine has {there} of memory")
    return kind


def _keep(kind: Kind) -> None:
    """Build it where the engine looks for it, unless it is there."""
    from sixprime.bot.cli.progress import bar
    from sixprime.engine.bearoff.databases import cached, kept

    with bar(f"{kind.called} database") as report:
        cached(kind, report)
    if kept(kind) is None:
        raise UsageError("the cache folder cannot be written: nothing is kept")


def _write(kind: Kind, options: argparse.Namespace) -> None:
    from sixprime.bot.cli.progress import bar
    from sixprime.engine.bearoff.files import write

    start = time.perf_counter()
    with bar(f"{options.verb} database") as report:
        write(kind, options.file, report, threads=options.threads, header=not options.no_header)
    seconds = time.perf_counter() - start
    size = options.file.stat().st_size
    print(f"{options.file}: {size:,} bytes in {seconds:.1f} s", file=sys.stderr)


def _counts(text: str) -> tuple[int, ...]:
    try:
        counts = tuple(int(word) for word in text.split(","))
    except ValueError:
        raise UsageError(f"{text!r} is not a list of counts like 0,2,3") from None
    if len(counts) > 6 or min(counts) < 0 or sum(counts) > 15:
        raise UsageError(f"{text!r}: up to 15 checkers on up to 6 points, ace point first")
    if not any(counts):
        raise UsageError(f"{text!r}: no checker is left, the game is over")
    return counts


def _show(mine: str, theirs: str | None) -> None:
    if theirs is None:
        _show_sides([("side", _counts(mine))])
        return
    from sixprime.engine.position import PLACES, Position

    on_roll, opponent = (_counts(side) for side in (mine, theirs))
    pad = (0,) * PLACES
    _show_position(Position((on_roll + pad)[:PLACES], (opponent + pad)[:PLACES]))


def _show_sides(sides: Sequence[tuple[str, Sequence[int]]]) -> None:
    from sixprime.engine.bearoff import databases as bearoff

    database = bearoff.one_sided()
    distributions = [database.distribution(side) for _, side in sides]
    rolls = [database.rolls(side) for _, side in sides]
    print("rolls     " + "".join(f"{name:>11}" for name, _ in sides))
    for after in range(len(distributions[0])):
        if any(chances[after] > 0 for chances in distributions):
            print(f"{after:<10}" + "".join(f"{chances[after]:>11.3%}" for chances in distributions))
    print("mean      " + "".join(f"{side.mean:>11.3f}" for side in rolls))
    print("deviation " + "".join(f"{side.variance**0.5:>11.3f}" for side in rolls))
    print("effective " + "".join(f"{side.effective_pips:>11.3f}" for side in rolls) + "  pips")


def _show_position(position: Position) -> None:
    from sixprime.engine.bearoff import databases as bearoff

    database = bearoff.one_sided()
    if not database.covers(position):
        raise UsageError("a checker is outside the six points of the database")
    _show_sides([("on roll", position.mine), ("opponent", position.theirs)])
    outcomes = database.outcomes(position)
    print(
        f"playing for speed: win {outcomes.win:.2%}, gammons {outcomes.win_gammon:.2%} won "
        f"and {outcomes.lose_gammon:.2%} lost, equity {outcomes.equity:+.4f}"
    )
    exact = bearoff.two_sided()
    if exact.covers(position):
        equities, now = exact.equities(position), exact.equities(position).with_doubling()
        print(f"exact: win {exact.outcomes(position).win:.2%}, equity {equities.cubeless:+.4f}")
        print("money equity            before   with doubling now")
        print(f"  own cube             {equities.owned:+.4f}   {now.owned:+.4f}")
        print(f"  centred cube         {equities.centred:+.4f}   {now.centred:+.4f}")
        print(f"  the opponent's cube  {equities.against:+.4f}   {now.against:+.4f}")
