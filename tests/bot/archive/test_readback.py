"""What we write we read; and no file takes far more memory than it has bytes."""

from __future__ import annotations

import tracemalloc
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixprime.bot.archive.matchfiles import FORMATS
from sixprime.protocols import readers
from sixprime.protocols.formats.record import BadMatchFile, CannotCarry, Match, Turn
from tests.support.formats.played import MATCHES, mutated

HEAD = "(;GM[6]PW[a]PB[b]MI[length:3]"
MANY = 1 << 17
ESCAPED = "\\]"
MOST = 24  # times a file's bytes


def read_back(match: Match) -> None:
    for form in FORMATS.values():
        with suppress(CannotCarry):
            (again,) = form.reading(form.write(match)).matches
            assert len(again.games) == len(match.games)


@given(MATCHES, st.sampled_from(list(FORMATS)), st.integers(0, 10**6))
def test_any_record_that_we_accept_is_read_back_from_any_format(
    match: Match, form: str, seed: int
) -> None:
    with suppress(CannotCarry, BadMatchFile):
        for found in FORMATS[form].reading(mutated(FORMATS[form].text_of(match), seed)).strictly():
            read_back(found)


@pytest.mark.parametrize("form", FORMATS)
def test_a_dance_where_a_play_was_legal_is_read_back_as_illegal(form: str) -> None:
    (match,) = FORMATS["sgf"].reading(f"{HEAD};W[31];B[42lpqs])").matches
    again = FORMATS[form].reading(FORMATS[form].write(match))
    first, second = again.matches[0].games[0].actions
    assert isinstance(first, Turn)
    assert first.play == ()
    assert isinstance(second, Turn)
    assert second.play
    assert first.illegal
    assert again.remarks


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.sgf", f"{HEAD}GC[{'x' * MANY}];W[31hefe])"),
        ("a.sgf", f"{HEAD}GC[{ESCAPED * (MANY // 2)}];W[31hefe])"),
        ("a.sgf", f"{HEAD};W[31hefe]C[{'x' * MANY}"),
        ("a.sgf", f"{HEAD}{';' * MANY}W[31hefe])"),
        ("a.sgf", f"{HEAD}{';A[]' * (MANY // 4)};W[31hefe])"),
        ("a.sgf", f"{HEAD};W[31hefe]){'(;)' * (MANY // 3)}"),
        ("a.sgf", f"{HEAD};W[31hefe]{'A[x]' * (MANY // 4)})"),
        ("a.sgf", f"{HEAD}X{'[]' * (MANY // 2)};W[31hefe])"),
        ("a.mat", "; x\n" * (MANY // 4) + " 3 point match\n\n Game 1\n a : 0    b : 0\n"),
        ("a.mat", "\t" * MANY),
        ("a.fibs", "\n" * (MANY // 8)),
    ],
)  # fmt: skip
def test_no_file_takes_far_more_memory_than_it_has_bytes(name: str, text: str) -> None:
    data = text.encode()
    tracemalloc.start()
    try:
        with suppress(BadMatchFile):
            readers.read_match_file(name, data)
        assert tracemalloc.get_traced_memory()[1] < MOST * len(data)
    finally:
        tracemalloc.stop()
