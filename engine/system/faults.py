"""The places where any exception may be caught: bounds of threads, bots and commands.

Everything else names the exceptions on which it can act.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Surviving:
    """A block whose exception goes to `on_fault`, so that other work can go on after it."""

    on_fault: Callable[[Exception], object]

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> bool:
        if not isinstance(error, Exception):
            return False
        self.on_fault(error)
        return True


def fault_of(work: Callable[[], object]) -> Exception | None:
    """Do the work; return the exception that ended it, if one did."""
    faults: list[Exception] = []
    with Surviving(faults.append):
        work()
    return faults[0] if faults else None


@contextmanager
def undone_by(undo: Callable[[], object]) -> Iterator[None]:
    """Call `undo` if the block does not end by itself."""
    try:
        yield
    except BaseException:
        undo()
        raise


def settle(future: Future[Result], work: Callable[[], Result]) -> None:
    """Do the work, and set its result or exception on the future."""
    try:
        result = work()
    except BaseException as error:  # noqa: BLE001 - raised where the future is awaited
        future.set_exception(error)
    else:
        future.set_result(result)
