"""Trust in files: detects files that other users could have written.

Invariant: compiled kernels, databases and secrets come only from files that we or root own and
nobody else can write. For kernels and databases the same holds for their folder and all folders
above it, of which others may share only sticky ones, such as /tmp, where nobody can replace ours.
A group of our own name and without other members is ourselves: with umask 002 it can write.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

ROOT = 0  # the number of root, and of its group


def other_writer(facts: os.stat_result, *, sticky_is_safe: bool = False) -> str:
    """Return who else can write this file or folder, or an empty text."""
    if not hasattr(os, "geteuid"):  # Windows
        return ""
    if not is_ours(facts):
        return _user(facts.st_uid)
    if sticky_is_safe and facts.st_mode & stat.S_ISVTX:
        return ""
    if facts.st_mode & stat.S_IWOTH:
        return "everybody"
    is_shared = facts.st_mode & stat.S_IWGRP and not _is_private(facts.st_gid)
    return f"the group {facts.st_gid}" if is_shared else ""


def is_ours(facts: os.stat_result) -> bool:
    """Return whether we or root own it."""
    return facts.st_uid in (os.geteuid(), ROOT)


def distrust(folder: Path) -> str:
    """Return how others could have written files of this folder, with a remedy, or an empty text.

    `folder` is resolved, and need not exist.
    """
    for path, facts in _facts(folder):
        is_above = path in folder.parents
        if who := other_writer(facts, sticky_is_safe=is_above):
            if not is_ours(facts):
                return f"{path} belongs to {who}"
            remedy = "chmod go-w" if stat.S_ISDIR(facts.st_mode) else "rm"
            return f"{who} can write {path}: {remedy} {path}"
    return ""


def _facts(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Yield the folders from the root down to this one, and its files."""
    for path in (*reversed(folder.parents), folder):
        if path.is_dir():
            yield path, path.stat()
    with suppress(OSError):
        for path in folder.iterdir():
            with suppress(OSError):  # another process has deleted it
                yield path, path.stat()


def _is_private(group: int) -> bool:
    """Return whether a group has no members but us, as far as the system knows."""
    import grp
    import pwd

    if group == ROOT:
        return True
    try:
        me, entry = pwd.getpwuid(os.geteuid()).pw_name, grp.getgrgid(group)
    except KeyError:  # nobody is named in a container
        return group == os.getegid()
    return entry.gr_name == me and set(entry.gr_mem) <= {me}


def _user(number: int) -> str:
    import pwd

    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"the user {number}"


def secret_fault(path: Path, handle: int) -> str:
    """Return the reason against a secret in this open file, with a remedy, or an empty text.

    A container gets secrets on read-only mounts, which the user who started it may own.
    """
    facts = os.fstat(handle)
    if not stat.S_ISREG(facts.st_mode):
        return "not a file: write the secret into one"
    who = other_writer(facts)
    if not who or (hasattr(os, "fstatvfs") and os.fstatvfs(handle).f_flag & os.ST_RDONLY):
        return ""
    if not is_ours(facts):
        return f"it belongs to {who}: chown {_user(os.geteuid())} {path}"
    return f"{who} can write it: chmod go-w {path}"
