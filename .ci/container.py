"""An empty Debian in a folder, with an ordinary user, made by debootstrap; its network is its own.

`alone` starts the script again in namespaces that end with it, so that no mount and no process
outlives it. The folder is memory, of which it takes 3 GB: nothing is left on the disk. With
BASE=FOLDER a Debian that debootstrap has made is copied, which saves a minute. Pip reaches the
index as on this machine: its options and certificates go along.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

DEBIAN, MIRROR = "bookworm", "http://deb.debian.org/debian"
PACKAGES = ("python3", "python3-venv", "make", "git", "ca-certificates", "pipx", "telnet")
USER, UID = "stranger", 1000
HOME = f"/home/{USER}"
PATIENCE_S = 1800.0
NEEDS = ("debootstrap", "chroot", "unshare", "nsenter", "setpriv", "ip")
_CERTIFICATES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "GIT_SSL_CAINFO")


def alone() -> Path:
    """Return the empty folder of a container; in the first process, run the script and exit."""
    if folder := os.environ.get("CONTAINER"):
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8g", "container", folder], check=True)
        return Path(folder)
    missing = [each for each in NEEDS if shutil.which(each) is None]
    if missing or os.getuid():
        print(f"skipped: needs {', '.join(missing) or 'root'}")  # noqa: T201
        sys.exit(0)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    folder = tempfile.mkdtemp(prefix="container-", dir="/var/tmp")
    namespaces = ("unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc")
    try:
        done = subprocess.run(
            [*namespaces, sys.executable, "-B", *sys.argv], env={**os.environ, "CONTAINER": folder}
        )
    finally:
        Path(folder).rmdir()
    sys.exit(done.returncode)


class Container:
    """A Debian in which commands are run."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "root"
        self.logs = folder
        self.running: list[subprocess.Popen[bytes]] = []
        if base := os.environ.get("BASE"):
            subprocess.run(["cp", "-a", base, self.root], check=True)
        else:
            words = ("--variant=minbase", f"--include={','.join(PACKAGES)}", DEBIAN)
            with (folder / "debootstrap").open("wb") as log:
                subprocess.run(
                    ["debootstrap", *words, self.root, MIRROR], stdout=log, stderr=log, check=True
                )
        for place in ("/proc", "/dev", "/sys"):
            subprocess.run(["mount", "--rbind", place, f"{self.root}{place}"], check=True)
        for place in ("/etc/resolv.conf", "/etc/hosts"):
            shutil.copyfile(place, f"{self.root}{place}")
        self.environment = {"LANG": "C.UTF-8", **self._index()}
        self._network = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
        while self._is_ours():
            time.sleep(0.05)
        self.outside("ip", "link", "set", "lo", "up")
        self.run(f"useradd --create-home --uid {UID} --shell /bin/bash {USER}")

    def _is_ours(self) -> bool:
        """Return whether the process of the network still has ours."""
        networks = {Path(f"/proc/{each}/ns/net").readlink() for each in ("self", self._network.pid)}
        return len(networks) == 1

    def outside(self, *words: str) -> str:
        """Run a program of this machine in the container's network, and return what it prints."""
        entered = [*self._entering(), *words]
        done = subprocess.run(
            entered, capture_output=True, text=True, timeout=PATIENCE_S, check=True
        )
        return done.stdout

    def _entering(self) -> list[str]:
        return ["nsenter", f"--net=/proc/{self._network.pid}/ns/net"]

    def _index(self) -> dict[str, str]:
        """Bind the files that pip's options name, and return the options as its environment."""
        listed = subprocess.run(
            [sys.executable, "-m", "pip", "config", "list"],
            capture_output=True,
            text=True,
            check=True,
        )
        lines = (line.partition("=") for line in listed.stdout.splitlines())
        options = {
            "PIP_" + name.rpartition(".")[2].upper().replace("-", "_"): value.strip("'")
            for name, _, value in lines
        }
        for value in options.values():
            for word in value.split():
                path = Path(word.removeprefix("file://"))
                self.bind(path.parent if path.name == "simple" else path)  # its files lie beside it
        kept = {name: os.environ[name] for name in _CERTIFICATES if name in os.environ}
        for certificates in kept.values():
            self.bind(Path(certificates))
        return {**options, **kept, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}

    def bind(self, path: Path) -> None:
        """Show a file or a folder of this machine at the same place, if there is one."""
        inside = Path(f"{self.root}{path}")
        if not path.is_absolute() or not path.exists():
            return
        if path.is_dir():
            inside.mkdir(parents=True, exist_ok=True)
        else:
            inside.parent.mkdir(parents=True, exist_ok=True)
            inside.touch()
        subprocess.run(["mount", "--rbind", path, inside], check=True)

    def words(self, command: str, user: str, folder: str, online: bool, **more: str) -> list[str]:
        """Return what runs a line of bash, from a login of this user unless PATH is given."""
        login = [] if "PATH" in more else ["--login"]
        network = [] if online else self._entering()
        environment = {**self.environment, **more}
        settings = [f"{name}={value}" for name, value in environment.items()]
        return [
            *network, "chroot", str(self.root), "setpriv", f"--reuid={user}", f"--regid={user}",
            "--clear-groups", "--no-new-privs", "env", "-i", *settings,
            "bash", *login, "-c", f"cd {folder} && {command}",
        ]  # fmt: skip

    def run(
        self, command: str, user: str = "root", folder: str = "/", online: bool = False, **more: str
    ) -> str:
        """Run a line of bash, and return what it prints; exit if it fails."""
        begun = time.monotonic()
        done = subprocess.run(
            self.words(command, user, folder, online, **more),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, timeout=PATIENCE_S,
        )  # fmt: skip
        if user != "root":
            print(f"{time.monotonic() - begun:6.1f} s  {command[:100]}", flush=True)  # noqa: T201
        if done.returncode:
            sys.exit(f"{command}\nexit code {done.returncode}\n{done.stdout}{self.said()}")
        return done.stdout

    def start(self, command: str, user: str, folder: str, **more: str) -> None:
        """Run a line of bash in the background."""
        with (self.logs / f"log{len(self.running)}").open("wb") as log:
            words = self.words(f"exec {command}", user, folder, False, **more)
            self.running.append(
                subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            )

    def said(self) -> str:
        """Return what commands in the background have printed."""
        return "".join(each.read_text() for each in sorted(self.logs.glob("log*")))

    def wait(self, until: Callable[[], bool]) -> None:
        """Wait until it is so, or exit."""
        end = time.monotonic() + PATIENCE_S
        while not until():
            if time.monotonic() > end:
                sys.exit(f"waited in vain\n{self.said()}")
            time.sleep(0.2)
