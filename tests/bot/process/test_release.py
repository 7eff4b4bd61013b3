"""The version, wherever it is told."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError

import pytest

import sixprime
from sixprime.bot.cli.main import main
from sixprime.bot.client.metrics import BotMetrics
from sixprime.bot.process import release


def test_what_was_never_installed_runs_and_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def nothing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(release, "version", nothing)
    with pytest.raises(SystemExit):
        main(["--version"])
    first, second = capsys.readouterr().out.splitlines()
    assert first == "sixprime unknown"
    assert second.startswith("nets brain-")
    assert "numba unknown" in second
    assert sixprime.__version__ == "unknown"
    BotMetrics()  # tells the version, too
