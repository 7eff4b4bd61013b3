"""Nobody stops because of what cannot be logged."""

from __future__ import annotations

import errno
import io
from pathlib import Path

import pytest
import structlog

from sixprime.bot.process import logs
from sixprime.bot.settings.schema import Logging


class Full(io.StringIO):
    """A log on a disk that has no room."""

    def write(self, text: str) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    def flush(self) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("form", ["console", "json"])
def test_what_a_full_disk_does_not_take_is_told_on_stderr(
    form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    logs.configure(Logging.model_validate({"format": form}), stream=Full())
    structlog.get_logger().error("unexpected", exc_info=OSError("gone"))
    assert "unexpected" in capsys.readouterr().err


def test_nobody_stops_when_the_terminal_closes_or_never_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Gone(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError(errno.EIO, "Input/output error")

    for stderr in (Gone(), None):
        monkeypatch.setattr("sys.stderr", stderr)
        logs.configure(Logging())
        structlog.get_logger().info("on")


def test_a_new_file_and_level_hold_for_loggers_that_exist(tmp_path: Path) -> None:
    logger = structlog.get_logger("bot", profile="anna")
    logs.configure(Logging(file=tmp_path / "old.log"))
    logger.debug("one")
    logger.info("two")
    logs.configure(Logging(file=tmp_path / "new.log", level="debug"))
    logger.debug("three")
    assert "two" in (tmp_path / "old.log").read_text()
    assert "three" in (tmp_path / "new.log").read_text()
    logs.configure(Logging())  # an open file would be warned of
    assert "one" not in (tmp_path / "old.log").read_text()
