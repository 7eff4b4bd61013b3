"""The mean of several nets that learned from the same start: a little better than each of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.network import Net
from sixprime.engine.lab import LabError
from sixprime.engine.nets.weights import Nets


def average(brains: Sequence[Nets]) -> Nets:
    """Return nets that are the means of their namesakes, weight by weight."""
    return Nets(*(_mean(name, nets) for name, *nets in zip(Nets._fields, *brains, strict=True)))


def _mean(name: str, nets: Sequence[Net]) -> Net:
    if len({tuple(array.shape for array in net) for net in nets}) != 1:
        raise LabError(f"the {name} nets have different shapes")
    return Net(*(_middle(arrays) for arrays in zip(*nets, strict=True)))


def _middle(arrays: Sequence[NDArray[Any]]) -> NDArray[Any]:
    kind = arrays[0].dtype
    mean = np.mean([array.astype(np.float64) for array in arrays], axis=0)
    return np.asarray(np.rint(mean) if kind.kind == "i" else mean, kind)
