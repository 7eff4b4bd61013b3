"""Nobody stops because of what cannot be logged."""

from __future__ import annotations

import errno
import io
from collections.abc import Iterator

import pytest
import structlog

from sixprime.bot import logs
from sixprime.bot.settings.schema import Logging


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    before = structlog.get_config()
    yield
    structlog.configure(**before)


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
