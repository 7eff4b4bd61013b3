"""Damaged files of every kind: each is read, perhaps with remarks, or refused in a line.

`python -m tests.protocols.formats.test_fuzz [--times N] [--seed N] [KIND ...]` counts what
happened, and tells the slowest file and the memory of each kind.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import resource
import struct
import sys
import time
import traceback
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from sixprime.bot.archive.collection.importing import read_file
from sixprime.bot.archive.matchfiles import FORMATS
from sixprime.bot.reports.export import text
from sixprime.bot.reports.export.scenes import acts
from sixprime.engine.position import MatchState, Position
from sixprime.protocols.formats import mat, oldmoves
from sixprime.protocols.formats.record import CannotCarry, Match
from sixprime.protocols.formats.recordjson import from_json
from sixprime.protocols.formats.sgf import match as sgf
from tests.support.formats import samples, writers, xgfiles
from tests.support.formats.bgf import Writer, bgf, plain
from tests.support.formats.played import mutated, random_match
from tests.support.formats.thoughts import thoughts
from tests.support.formats.xgtext import LANGUAGES, cube_export, play_export
from tests.support.places import INTEROP

Files = tuple[str, Sequence[bytes], Callable[[bytes], bytes]]  # name, wholes, how they are packed


def short(seed: int) -> Match:
    """Two games, so that damage hits more than plays."""
    match = random_match(seed, interruptions=False)
    games = [replace(game, actions=game.actions[:12]) for game in match.games[:2]]
    return replace(match, games=(*games[:-1], replace(games[-1], result=None)))


MATCHES = [short(seed) for seed in range(20)]
PLAIN = [short(seed) for seed in range(60) if plain(random_match(seed, interruptions=False))]


def texts(name: str, written: Sequence[str]) -> Files:
    return name, [text.encode() for text in written], lambda data: data


def carried(write: Callable[[Match], str]) -> list[str]:
    found = []
    for match in MATCHES:
        try:
            found.append(write(match))
        except CannotCarry:
            continue
    return found


def packed_xg(content: bytes) -> bytes:
    return xgfiles.file_of([content], b"{\\rtf1 a\\par}\r\n")


def xg_content(match: Match) -> bytes:
    return xgfiles.head_record(match) + b"".join(xgfiles.game_records(match, thoughts(match)))


def position_content(match: Match) -> bytes:
    return xg_content(match)[: 2560 * 4]


def smile(match: Match) -> bytes:
    return Writer().file(json.loads(bgf(match, packed=False).partition(b"\n")[2]))


def packed_bgf(content: bytes) -> bytes:
    head = bgf(PLAIN[0]).partition(b"\n")[0]
    return head + b"\n" + gzip.compress(content, 1)


STRANGE = (
    "null",
    "true",
    "-1",
    "0",
    "7",
    "25",
    "1" + 20 * "0",
    "0.5",
    '""',
    '"a\\tb"',
    "[]",
    "{}",
    "[1]",
    '{"a": 1}',
)


def values_changed(content: bytes, draw: random.Random) -> bytes:
    """Some values of a BGBlitz file are others, and a few are not there."""
    head, _, body = content.partition(b"\n")
    try:
        values = json.loads(body)
    except ValueError:
        return content
    for _ in range(draw.randint(1, 4)):
        at, key = values, None
        while isinstance(at, dict | list) and at and (key is None or draw.random() < 0.9):
            inside, key = at, draw.choice(list(at) if isinstance(at, dict) else range(len(at)))
            at = inside[key]
        if key is None:
            break
        if draw.random() < 0.2:
            del inside[key]
        else:
            inside[key] = json.loads(draw.choice(STRANGE))
    return head + b"\n" + json.dumps(values).encode()


def summed(content: bytes) -> bytes:
    """With a checksum that is right, else the codec looks no further."""
    at = content.rfind(b"CSUM")
    if at < 0:
        return content
    return content[:-8] + struct.pack("<I", zlib.crc32(content[:at])) + content[-4:]


def ogxm_files() -> Files:
    ogxm = pytest.importorskip("sixprime.protocols.formats.xg.ogxm")
    pytest.importorskip("ogxm", reason="needs the extra `xg`, which Linux on x86-64 has")
    whole = []
    for match in MATCHES:
        try:
            whole.append(ogxm.write_ogxm(match))
        except CannotCarry:
            continue
    return "a.ogxm", whole, summed


KINDS: Mapping[str, Callable[[], Files]] = {
    "mat": lambda: texts("a.mat", carried(mat.write_mat)),
    "sgf": lambda: texts("a.sgf", carried(sgf.write_sgf)),
    "sgf-analysed": lambda: texts("a.sgf", [
        text[: len(text) // 3] if len(text) > 20_000 else text
        for name in ("money-analysed.sgf", "rollouts.sgf") if (text := (INTEROP / name).read_text())
    ]),
    "oldmoves": lambda: texts("a.fibs", carried(oldmoves.write_oldmoves)),
    "sgg": lambda: texts("a.sgg", list(samples.SGG.values())),
    "tmg": lambda: texts("a.tmg", list(samples.TMG.values())),
    "gam": lambda: texts("a.gam", list(samples.GAM.values())),
    "party": lambda: texts("a.txt", list(samples.PARTY.values())),
    "bgroom": lambda: texts("a.txt", list(samples.BGROOM.values())),
    "bkg": lambda: texts("a.txt", list(samples.BKG.values())),
    "gnubgtext": lambda: texts("a.txt", carried(lambda match: text.document(match, acts(match)))),
    "javafibs": lambda: texts("a.match", list(samples.JAVAFIBS.values())),
    "bgammon": lambda: texts("a.match", list(samples.BGAMMON.values())),
    "snowie": lambda: texts("a.txt", list(samples.SNOWIE.values())),
    "positions": lambda: texts("a.pos", [
        "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:2:1:0:5:10\n# a remark\n\n"
            "4HPwATDgc/ABMA:cAkAAAAAAAAA\n",
        "4HPwATDgc/ABMA\n4HPwATDgc/ABMA MAAAAAAAAAAA\n",
    ]),
    "xgtext": lambda: ("a.txt", [
        *(play_export(each) for each in LANGUAGES), *(cube_export(each) for each in LANGUAGES)
    ], lambda data: data),
    "pos": lambda: ("a.pos", [
        writers.pos(Position.start(), MatchState(), ("anna", "ben"), version)
        for version in (124, 126)
    ], lambda data: data),
    "xg": lambda: ("a.xg", list(map(xg_content, MATCHES)), packed_xg),
    "xg-packed": lambda: ("a.xg", [packed_xg(xg_content(each)) for each in MATCHES[:4]], bytes),
    "xgp": lambda: ("a.xgp", list(map(position_content, MATCHES)), packed_xg),
    "bgf": lambda: ("a.bgf", [bgf(each, packed=False) for each in PLAIN], bytes),
    "bgf-packed": lambda: ("a.bgf", list(map(smile, PLAIN)), packed_bgf),
    "ogxm": ogxm_files,
}  # fmt: skip


@cache
def files(kind: str) -> Files:
    return KINDS[kind]()


def damaged(kind: str, seed: int) -> tuple[str, bytes]:
    """A file of the kind with a few damages: of characters, of bytes, of lines, of its end."""
    draw = random.Random(seed)
    name, wholes, pack = files(kind)
    whole = draw.choice(wholes)
    kept = BEGINNINGS.get(kind, 0)
    ways = draw.choices(range(5), (5, 2, 3, 1, 1), k=draw.randint(1, 2))
    for way in ways:
        if kind == "bgf" and way in (0, 2):
            whole = values_changed(whole, draw)
        elif way == 0 and kind not in ("xg", "xgp", "xg-packed", "bgf-packed", "ogxm", "pos"):
            encoding = draw.choice(("utf-8", "latin-1"))
            whole = mutated(whole.decode(encoding, "replace"), seed).encode(encoding, "replace")
        elif way == 2:
            whole = b"\n".join(shuffled(whole.split(b"\n"), draw))
        elif way == 3:
            whole = whole[: draw.randrange(len(whole) + 1)]
        elif way == 4:
            other = draw.choice(wholes)
            whole = whole[: draw.randrange(len(whole) + 1)] + other[draw.randrange(len(other)) :]
        elif whole:
            changed = bytearray(whole)
            for _ in range(draw.choice((1, 2, 20))):
                at = draw.choice((draw.randrange(len(whole)), draw.randrange(min(len(whole), 140))))
                if at < kept:
                    continue
                changed[at] = draw.choice((0, 1, 127, 128, 255, draw.randrange(256)))
            whole = bytes(changed)
    return name, pack(whole)


BEGINNINGS = {
    "ogxm": 12,
    "bgf-packed": 4,
}  # bytes that are damaged no further: else nothing is read


def shuffled(lines: list[bytes], draw: random.Random) -> list[bytes]:
    for _ in range(draw.randint(1, 3)):
        at, other = draw.randrange(len(lines)), draw.randrange(len(lines))
        match draw.randrange(4):
            case 0:
                lines.insert(at, lines[other])
            case 1 if len(lines) > 1:
                del lines[at]
            case 2:
                lines[at], lines[other] = lines[other], lines[at]
            case _:
                lines[at] += lines[other]
    return lines


def check(name: str, data: bytes, seed: int = 0) -> str:
    """Import the file, as `archive import` does; what came out may be written again."""
    found = read_file(Path(name), "", data, strict=False)
    for remark in found.remarks:
        assert str(remark).isprintable(), remark
    if found.broken is not None:
        assert str(found.broken).isprintable(), found.broken
        return "refused"
    assert found.rows
    for _, row in found.rows[:3] if seed % 50 == 0 else ():
        for each in FORMATS.values():
            try:
                each.write(from_json(row["record"]))
            except CannotCarry as error:
                assert "\n" not in str(error)
    return "remarks" if found.remarks else "clean"


@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_file_is_read_or_refused_in_a_line(kind: str) -> None:
    for seed in range(60 if kind.startswith(("xg", "bgf")) else 200):
        check(*damaged(kind, seed), seed)


@pytest.mark.parametrize("kind", KINDS)
def test_a_blank_that_int_does_not_know_may_stand_before_any_number(kind: str) -> None:
    name, wholes, pack = files(kind)
    for whole in wholes[:2]:
        numbers = [found.start() for found in re.finditer(rb"(?<!\d)\d", whole)]
        for at in numbers[:: len(numbers) // 50 + 1]:
            check(name, pack(whole[:at] + b"\x1d" + whole[at:]))


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("kind", KINDS)
def test_100_000_damaged_files_are_read_or_refused_in_a_line(kind: str) -> None:
    for seed in range(100_000):
        check(*damaged(kind, seed), seed)


def measure(kind: str, times: int, first: int) -> bool:
    counts = {"clean": 0, "remarks": 0, "refused": 0}
    failed: dict[str, list[int]] = {}
    slowest, before = (0.0, 0, 0), memory()
    began = time.monotonic()
    for seed in range(first, first + times):
        name, data = damaged(kind, seed)
        since = time.process_time()
        try:
            counts[check(name, data, seed)] += 1
        except Exception:  # noqa: BLE001 - it is counted
            trace = traceback.format_exc().strip().splitlines()
            failed.setdefault(f"{trace[-3].strip()}: {trace[-1]}"[:200], []).append(seed)
        slowest = max(slowest, (time.process_time() - since, seed, len(data)))
    tell(
        f"{kind}: {times:,} files, {counts}, {sum(map(len, failed.values()))} tracebacks, slowest "
        f"{slowest[0] * 1000:.0f} ms (seed {slowest[1]}, {slowest[2]:,} bytes), memory "
        f"{before:.0f} to {memory():.0f} MB, {time.monotonic() - began:.0f} s"
    )
    for place, seeds in failed.items():
        tell(f"   {len(seeds)} times, seeds {seeds[:4]}: {place}")
    return not failed


def tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--times", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("kinds", nargs="*")
    told = parser.parse_args()
    done = [measure(kind, told.times, told.seed) for kind in told.kinds or KINDS]
    sys.exit(not all(done))
