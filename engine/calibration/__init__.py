"""How strong is a level? Matches between levels, and what ratings follow from them.

`matches` plays a match and notes errors and luck, `series` many of them, `ratings` is arithmetic
from winning chances and error rates to ratings, `table` what was measured: a rating to a noise.
"""
