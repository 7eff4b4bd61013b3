"""What an earlier program said, compared with what this one says."""

from __future__ import annotations

from typing import Any


def lost(then: Any, now: Any, place: str = "") -> list[str]:
    """What was said then and is not any more; there may be more settings, or figures, now."""
    if isinstance(then, dict) and isinstance(now, dict):
        return [gone for key in then for gone in lost(then[key], now.get(key), f"{place}.{key}")]
    if isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        pairs = enumerate(zip(then, now, strict=True))
        return [gone for i, (one, other) in pairs for gone in lost(one, other, f"{place}.{i}")]
    return [] if then == now else [f"{place}: {then!r}, now {now!r}"]
