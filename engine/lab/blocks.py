"""Long series of games or matches: played block by block, each safe on disk once it is over.

A block depends only on the players, the seed and its number. So several processes can play blocks,
in any order and on different days, with the same result.
"""

from __future__ import annotations

import json
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Sequence
from pathlib import Path
from typing import Any, Generic, Protocol, Self, TypeVar

from sixprime.engine.codec import Codec
from sixprime.engine.system.wholefiles import read_whole, write_json

TALLIES = Codec()  # of sums: objects of their fields

Key = TypeVar("Key", bound=Hashable)
Total = TypeVar("Total")
Block = TypeVar("Block")
Block_contra = TypeVar("Block_contra", contravariant=True)
Total_co = TypeVar("Total_co", covariant=True)


class Sums:
    """Base of dataclasses whose fields are sums, lists of sums, or such dataclasses."""

    __slots__ = ()

    def add(self, other: Self) -> None:
        """Add another's sums to these."""
        for name in self.__dataclass_fields__:  # type: ignore[attr-defined]
            setattr(self, name, _added(getattr(self, name), getattr(other, name)))


def _added(mine: Any, theirs: Any) -> Any:
    if isinstance(mine, Sums):
        mine.add(theirs)
        return mine
    if isinstance(mine, list):
        return [_added(a, b) for a, b in zip(mine, theirs, strict=True)]
    return mine + theirs


class BadState(ValueError):
    """The file belongs to another series; the text is one line."""


class BlockSeries(ABC, Generic[Key, Total]):
    """The blocks played so far, saved to a file (None: nowhere) after each one."""

    what = "series of games"
    games = "games"

    def __init__(self, path: Path | None, about: dict[str, Any]) -> None:
        """`about` says who plays what; a file about something else is refused (BadState)."""
        self.path = path
        self.about = about
        self.blocks: dict[Key, Total] = {}
        if path is None or not path.exists():
            return
        try:
            found = json.loads(read_whole(path))
            stored = self.unpacked(found["blocks"])
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise BadState(f"{path}: not the state of a {self.what} ({error})") from error
        if found.get("about") != about:
            other = json.dumps(found.get("about"))
            raise BadState(f"{path}: is about other {self.games}: {other}")
        self.blocks = stored

    @abstractmethod
    def packed(self) -> dict[str, Any]:
        """The blocks as JSON."""

    @abstractmethod
    def unpacked(self, tree: dict[str, Any]) -> dict[Key, Total]:
        """The blocks from JSON."""

    def add(self, key: Key, sums: Total) -> None:
        """Add a block; it is safe on disk when this returns."""
        self.blocks[key] = sums
        if self.path is not None:
            write_json(self.path, {"about": self.about, "blocks": self.packed()})


class Seat(Protocol[Block_contra, Total_co]):
    """Something that plays blocks one after another in a process."""

    def play(self, block: Block_contra) -> Total_co: ...

    def close(self) -> None:
        """Free what it holds."""
        ...


def play_blocks(
    sit_down: Callable[[], Seat[Block, Total]], blocks: Sequence[Block], processes: int
) -> Iterator[tuple[Block, Total]]:
    """Each block with its sums as soon as it is over, from processes of their own if several."""
    if not blocks:
        return  # a finished series starts no player
    if processes == 1 or len(blocks) < 2:
        seat = sit_down()
        try:
            for block in blocks:
                yield block, seat.play(block)
        finally:
            seat.close()
        return
    from sixprime.engine.system.spawning import QuietContext

    with QuietContext().Pool(min(processes, len(blocks)), _sit_down, (sit_down,)) as pool:
        yield from pool.imap_unordered(_play_one, blocks)


# of a worker process; a pool starts a worker whose initializer raised again and again
_seat: list[Seat[Any, Any] | Exception] = []


def _sit_down(sit_down: Callable[[], Seat[Any, Any]]) -> None:
    import signal

    signal.signal(signal.SIGTERM, _get_up)  # the parent ends its workers, done or not
    try:
        _seat.append(sit_down())
    except (RuntimeError, ValueError) as error:
        _seat.append(error)


def _get_up(*_: object) -> None:
    if _seat and not isinstance(_seat[0], Exception):
        _seat[0].close()  # else its gnubg would wait for another client forever
    os._exit(0)


def _play_one(block: Any) -> tuple[Any, Any]:
    seat = _seat[0]
    if isinstance(seat, Exception):
        raise seat
    return block, seat.play(block)
