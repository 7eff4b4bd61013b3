"""Long series of games or matches: played block by block, each safe on disk once it is over.

A block depends only on the players, the seed and its number. So several processes can play blocks,
in any order and on different days, with the same result.
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from sixprime.engine.codec import Codec
from sixprime.engine.lab import LabError
from sixprime.engine.lab.tallies import Sums
from sixprime.engine.system.spawning import QuietContext
from sixprime.engine.system.wholefiles import read_whole, write_json

TALLIES = Codec()  # of sums: objects of their fields

Key = TypeVar("Key")
Tally = TypeVar("Tally", bound=Sums)
Block = TypeVar("Block")
Block_contra = TypeVar("Block_contra", contravariant=True)
Tally_co = TypeVar("Tally_co", covariant=True)


class BlockSeries(Generic[Key, Tally]):
    """The tallies of the blocks played so far, saved to a file (None: nowhere) after each one."""

    tallied: type[Tally]
    what = "series of games"
    games = "games"

    def __init__(self, path: Path | None, about: dict[str, Any]) -> None:
        """`about` identifies players and games; LabError refuses a file about others."""
        self.path = path
        self.about = about
        self.blocks: dict[Key, Tally] = {}
        if path is None or not path.exists():
            return
        try:
            stored = json.loads(read_whole(path))
            blocks = self.blocks_from_json(stored["blocks"])
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise LabError(f"{path}: not the state of a {self.what} ({error})") from error
        if stored.get("about") != about:
            other = json.dumps(stored.get("about"))
            raise LabError(f"{path}: is about other {self.games}: {other}")
        self.blocks = blocks

    def blocks_to_json(self) -> dict[str, Any]:
        return {str(key): TALLIES.plain(self.blocks[key]) for key in sorted(self.blocks)}  # type: ignore[type-var]

    def blocks_from_json(self, tree: dict[str, Any]) -> dict[Any, Tally]:
        return {int(key): TALLIES.value(self.tallied, tally) for key, tally in tree.items()}

    def add(self, key: Key, tally: Tally) -> None:
        """Add a block; it is safe on disk when this returns."""
        self.blocks[key] = tally
        if self.path is not None:
            write_json(self.path, {"about": self.about, "blocks": self.blocks_to_json()})

    def tally(self, wanted: Callable[[Key], bool] = lambda _: True) -> Tally:
        """Return the sum of the wanted blocks, added up in the order of their keys."""
        whole = self.tallied()
        for key in sorted(filter(wanted, self.blocks)):  # type: ignore[type-var]
            whole.add(self.blocks[key])
        return whole


class BlockPlayer(Protocol[Block_contra, Tally_co]):
    """Plays blocks one after another in a process."""

    def play(self, block: Block_contra) -> Tally_co: ...

    def release(self) -> None:
        """Free the programs that it holds."""
        ...


def play_blocks(
    ready: Callable[[], BlockPlayer[Block, Tally]], blocks: Sequence[Block], processes: int
) -> Iterator[tuple[Block, Tally]]:
    """Yield each block with its tally as soon as it is over.

    Several processes each call `ready` for a player of their own.
    """
    if not blocks:
        return  # a finished series starts no player
    if processes == 1 or len(blocks) < 2:
        player = ready()
        try:
            for block in blocks:
                yield block, player.play(block)
        finally:
            player.release()
        return
    with QuietContext().Pool(min(processes, len(blocks)), _begin_work, (ready,)) as pool:
        yield from pool.imap_unordered(_play_one, blocks)


# of a worker process; a pool starts a worker whose initializer raised again and again
_player: list[BlockPlayer[Any, Any] | Exception] = []


def _begin_work(ready: Callable[[], BlockPlayer[Any, Any]]) -> None:
    signal.signal(signal.SIGTERM, _end_work)  # the parent ends its workers, done or not
    try:
        _player.append(ready())
    except (RuntimeError, ValueError) as error:
        _player.append(error)


def _end_work(*_: object) -> None:
    if _player and not isinstance(_player[0], Exception):
        _player[0].release()  # else its gnubg would wait for another client forever
    os._exit(0)


def _play_one(block: Any) -> tuple[Any, Any]:
    player = _player[0]
    if isinstance(player, Exception):
        raise player
    return block, player.play(block)
