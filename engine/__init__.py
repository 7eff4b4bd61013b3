"""Position in, decision out: rules, databases, nets, search. No I/O but its own data files.

numba keeps compiled kernels on disk, but a kernel's entry does not notice when another file that it
calls has changed, and a stale one computes nonsense in silence. So the folder of that cache carries
a fingerprint of all the kernels' sources.

Imports: engine.kernels
"""

import hashlib
import os
import re
from pathlib import Path


def cache_folder() -> Path:
    """Where databases and compiled kernels are kept: SIXPRIME_CACHE, or the user's cache folder."""
    chosen = os.environ.get("SIXPRIME_CACHE")
    if chosen:
        return Path(chosen)
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "sixprime"


def _fingerprint() -> str:
    """Twelve hex digits that change with any source file that holds kernels."""
    here = Path(__file__).parent
    digest = hashlib.sha256()
    for source in sorted([*here.glob("kernels/**/*.py"), *here.glob("lab/training/*.py")]):
        text = source.read_bytes()
        if re.search(rb"^@(njit|instruction|\w*kernel)\b", text, re.MULTILINE):
            digest.update(text)
    return digest.hexdigest()[:12]


os.environ.setdefault("NUMBA_CACHE_DIR", str(cache_folder() / f"kernels-{_fingerprint()}"))
