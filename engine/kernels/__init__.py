"""Numba kernels over plain arrays; only rules, bearoff, evaluate and search call them."""
