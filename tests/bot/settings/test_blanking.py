"""A secret is found wherever it stands and wherever TCP cuts it; all else stays as it is."""

from __future__ import annotations

import re
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from sixprime.bot.settings.blanking import HIDDEN, MOST_HELD, Blank, BlankedStream

SECRETS = st.text(st.sampled_from('ab*\\"/%['), min_size=1, max_size=5)
NOISE = ("", "\x00", "\x07\x9f", "\x1b[0m", "\x1b[1;31m")
PIECES = st.lists(
    st.sampled_from(("a", "b", "*", "\\", '"', "/", "%", "[", "m", " ", "\n", "\x1b", *NOISE))
)


def through(blank: Blank, text: str, cuts: list[int]) -> str:
    stream, edges = (
        BlankedStream(blank),
        [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)],
    )
    kept = b"".join(stream.feed(text[a:b].encode("latin-1")) for a, b in pairwise(edges))
    return (kept + stream.rest()).decode("latin-1")


def seen(text: str) -> str:
    """What a reader sees of it: no escapes and no controls."""
    return re.sub(r"[^\n -~]", "", re.sub(r"\x1b\[[0-?]*[@-~]", "", text))


@given(SECRETS, PIECES, st.sampled_from(NOISE), PIECES, st.lists(st.integers(0, 60), max_size=6))
def test_a_secret_is_blanked_wherever_it_is_cut_and_whatever_stands_inside(
    secret: str, before: list[str], noise: str, after: list[str], cuts: list[int]
) -> None:
    said = "".join(before) + "\n" + noise.join(secret) + "\n" + "".join(after)
    kept = through(Blank([secret]), said, cuts)
    assert "\n***\n" in kept
    if "*" not in secret:
        assert secret not in seen(kept)


@given(SECRETS, PIECES, st.lists(st.integers(0, 60), max_size=6))
def test_what_is_kept_does_not_depend_on_where_tcp_cuts_and_ends_of_lines_are_never_held_back(
    secret: str, pieces: list[str], cuts: list[int]
) -> None:
    said = "".join(pieces) + "\n"
    blank = Blank([secret])
    assert through(blank, said, []) == blank(said)
    stream = BlankedStream(blank)
    for line in said.encode("latin-1").splitlines(keepends=True):
        assert stream.feed(line).endswith(b"\n") or b"\n" not in line


@given(PIECES, st.lists(st.integers(0, 60), max_size=6))
def test_text_without_the_secret_stays(pieces: list[str], cuts: list[int]) -> None:
    said = "".join(pieces)
    assert through(Blank(["Hannelore"]), said, cuts) == Blank(["Hannelore"])(said) == said


def test_a_secret_that_has_only_begun_at_the_end_is_not_kept() -> None:
    assert through(Blank(["geheim99"]), "the password: geheim9", [5]) == f"the password: {HIDDEN}"


def test_what_is_held_back_is_bounded() -> None:
    stream = BlankedStream(Blank(["geheim99"]))
    kept = stream.feed(b"geheim9") + stream.feed(b"\x00" * 2 * MOST_HELD) + stream.feed(b"9\n")
    assert kept == b"***9\n"


def test_without_secrets_nothing_is_blanked() -> None:
    assert Blank()("anything") == Blank([""])("anything") == "anything"
