"""Passwords as they are stored: scrypt texts.

Checking one takes 50 ms and 16 MiB, so event loops leave it to a thread.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HashCost:
    """The cost of a password check: scrypt's n, r, p. The default takes about 50 ms and 16 MiB."""

    n: int = 2**14
    r: int = 8
    p: int = 1


def hashed(password: str, salt: bytes, cost: HashCost) -> str:
    """Return the text under which a password is stored."""
    digest = _scrypt(password, salt, cost)
    fields = (str(cost.n), str(cost.r), str(cost.p), _text(salt), _text(digest))
    return "scrypt$" + "$".join(fields)


def matches(password: str, stored: str) -> bool:
    """Return whether the stored text is of this password; False for an account without one."""
    try:
        kind, n, r, p, salt, digest = stored.split("$")
        cost = HashCost(int(n), int(r), int(p))
        salt_bytes, wanted = base64.b64decode(salt), base64.b64decode(digest)
    except ValueError:
        return False
    return kind == "scrypt" and hmac.compare_digest(_scrypt(password, salt_bytes, cost), wanted)


def _scrypt(password: str, salt: bytes, cost: HashCost) -> bytes:
    return hashlib.scrypt(
        password.encode("utf-8", "surrogateescape"),
        salt=salt,
        n=cost.n,
        r=cost.r,
        p=cost.p,
        maxmem=256 * cost.n * cost.r + 2**20,
        dklen=32,
    )


def _text(raw: bytes) -> str:
    return base64.b64encode(raw).decode("ascii")
