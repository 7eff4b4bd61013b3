"""Long work says how far it is, also where its words go into a pipe."""

from __future__ import annotations

import sys
import threading
from typing import Any

import pytest

from sixprime.bot.cli import progress


class Heard:
    """A stream that is no terminal; it tells when a line with these words came."""

    def __init__(self, *words: str) -> None:
        self.text = ""
        self.events = {word: threading.Event() for word in words}

    def write(self, text: str) -> int:
        self.text += text
        for word, event in self.events.items():
            if word in self.text:
                event.set()
        return len(text)

    def flush(self) -> None: ...

    def isatty(self) -> bool:
        return False


@pytest.fixture
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "LINE_EACH_S", 0.001)


def listening(monkeypatch: pytest.MonkeyPatch, *words: str) -> Any:
    heard = Heard(*words)
    monkeypatch.setattr(sys, "stderr", heard)
    return heard


@pytest.mark.usefixtures("_often")
def test_a_pipe_gets_lines_even_while_nothing_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    heard = listening(monkeypatch, "kernels: since 0 s\n", "kernels: 3 of 4\n")
    before = threading.active_count()
    with progress.bar("kernels") as report:
        assert heard.events["kernels: since 0 s\n"].wait(60)
        report(3, 4)
        assert heard.events["kernels: 3 of 4\n"].wait(60)
    assert threading.active_count() == before  # the speaker is gone


def test_short_work_says_nothing_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    heard = listening(monkeypatch)
    with progress.bar("kernels") as report:
        report(1, 1)
    assert heard.text == ""
