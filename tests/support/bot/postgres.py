"""A PostgreSQL server of our own on loopback, which is stopped and killed on purpose."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

from sixprime.engine.system.endpoint import free_port

NAME = "sixprime"
WITHIN_S = 60


class PostgresServer:
    """Its data lie in a folder; it runs as the user `postgres` if we are root."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.url = f"postgresql://{NAME}@127.0.0.1:{self.port}/postgres"
        self._folder = folder
        self._data = folder / "data"
        folder.mkdir()
        self._as: list[str] = []
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres", "postgres")
            for parent in folder.parents[:-1]:
                parent.chmod(parent.stat().st_mode | 0o011)
            self._as = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"]
        self._call("initdb", "-D", self._data, f"--username={NAME}", "--auth=trust", "--no-sync",
                   "--encoding=UTF8", "--no-locale")  # fmt: skip

    @staticmethod
    def is_installed() -> bool:
        return shutil.which("initdb") is not None and shutil.which("pg_ctl") is not None

    def start(self) -> None:
        """Start it, which may take its recovery, and wait until it answers."""
        options = f"-h 127.0.0.1 -p {self.port} -k {self._folder} -c fsync=off"
        log = self._folder / "log"
        self._call("pg_ctl", "-D", self._data, "-w", "-t", WITHIN_S, "-l", log, "-o", options,
                   "start")  # fmt: skip

    def stop(self, mode: str) -> None:
        """Stop it: `fast` tells its clients, `immediate` and `kill` do not."""
        if mode == "kill":
            os.kill(int((self._data / "postmaster.pid").read_text().split()[0]), signal.SIGKILL)
            mode = "immediate"
        self._call("pg_ctl", "-D", self._data, "-m", mode, "-t", WITHIN_S, "stop", check=False)
        (self._data / "postmaster.pid").unlink(missing_ok=True)

    def _call(self, *words: object, check: bool = True) -> None:
        done = subprocess.run(
            [*self._as, *map(str, words)], cwd="/", capture_output=True, text=True, check=False
        )
        assert done.returncode == 0 or not check, done.stdout + done.stderr
