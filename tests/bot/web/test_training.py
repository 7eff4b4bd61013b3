"""Errors are asked again at growing intervals; the clock is passed in."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fsrs import Rating

from sixprime.bot.analysis.collection.quiz import Judgement, QuizQuestion
from sixprime.bot.analysis.matches import examined
from sixprime.bot.analysis.store import Wanted, keep, packed
from sixprime.bot.archive.collection.names import join, known_names
from sixprime.bot.web.me.training import (
    NEW_A_DAY,
    TrainedQuestion,
    TrainingProgress,
    TrainingStore,
    coming,
    next_of,
    rating_of,
)
from sixprime.engine.analysis.examiner import Examiner
from sixprime.engine.analysis.settings import AnalysisSettings
from sixprime.engine.analysis.values import Answered, Error, MatchAnalysis, What
from sixprime.engine.search.players import shipped_brain
from sixprime.engine.system.errors import InputError
from tests.support.archive.imported import add, played
from tests.support.web.visit import Visit

MORNING = dt.datetime(2026, 11, 23, 9, 0, tzinfo=dt.timezone(dt.timedelta(hours=2)))
DAY, MINUTE = dt.timedelta(days=1), dt.timedelta(minutes=1)
(MATCH,) = played(1, 1)


@pytest.fixture(scope="module")
def analysis() -> MatchAnalysis:
    return examined(MATCH, Examiner(shipped_brain(), AnalysisSettings.of("casual")))


@pytest.fixture
def asked(analysis: MatchAnalysis) -> list[QuizQuestion]:
    return [QuizQuestion(17, analysis, error) for error in analysis.errors()]


class Clock:
    def __init__(self) -> None:
        self.now = MORNING

    def __call__(self) -> dt.datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> TrainingStore:
    return TrainingStore(tmp_path / "training", clock)


def answer(store: TrainingStore, key: str, rating: Rating) -> TrainedQuestion:
    after = store.question(key).after(rating, store.now())
    store.save(key, after)
    return after


def waits(store: TrainingStore, clock: Clock, key: str, ratings: Sequence[Rating]) -> list[Any]:
    """Answer a question whenever it is due; return the waits after each answer."""
    found = []
    for rating in ratings:
        due = answer(store, key, rating).schedule.due
        found.append(due - clock.now)
        clock.now = due.astimezone(MORNING.tzinfo)
    return found


def test_right_answers_lengthen_the_wait_and_a_wrong_one_shortens_it(
    store: TrainingStore, clock: Clock, asked: list[QuizQuestion]
) -> None:
    key = store.put_in(asked[0])
    good = waits(store, clock, key, [Rating.Good] * 7)
    assert good == sorted(good)
    assert len(set(good)) == len(good)
    assert good[0] <= 20 * MINUTE
    assert good[1] >= DAY
    assert good[-1] > 60 * DAY
    (wrong,) = waits(store, clock, key, [Rating.Again])
    assert wrong <= 20 * MINUTE
    (recovered,) = waits(store, clock, key, [Rating.Good])
    assert DAY <= recovered < good[-1]
    trained = store.question(key)
    assert (trained.asked, trained.missed, trained.first) == (9, 1, "2026-11-23")


def test_a_wrong_answer_is_asked_again_today_after_the_others(
    store: TrainingStore, clock: Clock, asked: list[QuizQuestion]
) -> None:
    keys = [store.put_in(question) for question in asked[:2]]
    assert next_of(store.questions(), clock.now) == keys[0]  # the worse error
    answer(store, keys[0], Rating.Again)
    assert next_of(store.questions(), clock.now) == keys[1]
    answer(store, keys[1], Rating.Easy)  # for days
    assert next_of(store.questions(), clock.now) == keys[0]  # a minute too early, as all is done
    clock.now += 2 * MINUTE
    assert next_of(store.questions(), clock.now) == keys[0]
    answer(store, keys[0], Rating.Easy)
    assert next_of(store.questions(), clock.now) is None
    progress = TrainingProgress.at(store.questions().values(), clock.now)
    assert (progress.to_ask, progress.learning, progress.learned) == (0, 0, 2)
    assert progress.next is not None
    clock.now = progress.next.astimezone(MORNING.tzinfo).replace(hour=0, minute=1)
    assert next_of(store.questions(), clock.now) in keys  # from the begin of its day


def test_a_day_brings_so_many_new_ones_the_worst_first_and_none_twice(
    store: TrainingStore, clock: Clock, asked: list[QuizQuestion]
) -> None:
    assert len(asked) > 2 * NEW_A_DAY + 1
    mine = store.put_in(asked[0])
    store.leave_out(store.put_in(asked[1]))

    def worst(known: Sequence[str]) -> Iterator[QuizQuestion]:
        return (each for each in asked if f"17/{each.error.place}" not in known)

    def there() -> list[float]:
        own = [each for each in store.questions().values() if not each.wanted]
        return sorted((each.loss for each in own), reverse=True)

    losses = [-each.error.verdict.error for each in asked[2:]]
    for _ in range(3):
        store.fill_up(worst)
        assert there() == losses[:NEW_A_DAY]
    assert next_of(store.questions(), clock.now) == mine  # chosen by hand
    for key, each in list(store.questions().items()):
        if not each.is_out:
            answer(store, key, Rating.Easy)
    store.fill_up(worst)
    assert there() == losses[:NEW_A_DAY]  # enough for today
    clock.now += DAY
    store.fill_up(worst)
    assert there() == losses[: 2 * NEW_A_DAY]


def test_what_is_put_in_again_keeps_its_answers_and_what_is_out_comes_back_by_hand_only(
    store: TrainingStore, asked: list[QuizQuestion]
) -> None:
    key = store.put_in(asked[0])
    before = answer(store, key, Rating.Good)
    assert store.put_in(asked[0]) == key
    assert store.question(key) == before
    store.leave_out(key)
    assert next_of(store.questions(), store.now()) is None
    assert store.places() == frozenset()
    store.put_in(asked[0])
    assert store.places() == {f"17/{asked[0].error.place}"}
    assert store.question(key).asked == 1


def test_a_question_is_the_same_without_its_archive_and_in_another_process(
    store: TrainingStore, tmp_path: Path, asked: list[QuizQuestion]
) -> None:
    assert {each.error.what for each in asked} == set(What)
    for question in asked:
        key = store.put_in(question)
        again = TrainingStore(tmp_path / "training", store.now).question(key).question
        assert again.turn == question.turn
        assert again.key == question.key
        state = question.analysis.state_at(question.error)
        assert again.analysis.state_at(again.error) == state
        assert replace(again.error, game=0, turn=0) == replace(question.error, game=0, turn=0)


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"version": 2}', "\x00", '{"version": 1}'])
def test_a_file_that_is_no_question_is_left_alone(
    store: TrainingStore, tmp_path: Path, content: str, asked: list[QuizQuestion]
) -> None:
    key = store.put_in(asked[0])
    path = tmp_path / "training" / f"{'0' * 16}.json"
    path.write_text(content)
    assert list(store.questions()) == [key]
    with pytest.raises(InputError):
        store.question("0" * 16)
    with pytest.raises(InputError):
        store.question("../" + key)
    assert path.read_text() == content


@pytest.mark.parametrize(
    ("given", "rating"),
    [(0.0, Rating.Good), (0.009, Rating.Good), (0.011, Rating.Hard), (0.029, Rating.Hard),
     (0.031, Rating.Again), (2.0, Rating.Again), (None, Rating.Again)],
)  # fmt: skip
def test_the_loss_grades_the_answer(given: float | None, rating: Rating) -> None:
    assert rating_of(Judgement(right=True, given=given)) is rating


def test_the_return_is_told_in_days_of_the_calendar() -> None:
    evening = MORNING.replace(hour=23, minute=50)
    assert coming(evening + 12 * MINUTE, evening) == "in a few minutes"
    assert coming(MORNING + 60 * MINUTE, MORNING) == "later today"
    assert coming(evening + 60 * MINUTE, evening) == "tomorrow"
    assert coming((MORNING + 3 * DAY).astimezone(dt.UTC), MORNING) == "in 3 days"


# --- the pages, without a script


@pytest.fixture
def visit(tmp_path: Path, analysis: MatchAnalysis) -> Iterator[Visit]:
    made = Visit(tmp_path)
    match_id = add(made.archive, MATCH)
    assert match_id is not None
    row = made.archive.row(match_id)
    keep(made.archive, analysis.settings, [(Wanted(match_id, row.noted), packed(analysis))])
    with made.client:
        yield made
    made.archive.close()


def first_error(analysis: MatchAnalysis, what: What) -> Error:
    return next(error for error in analysis.errors() if error.what is what)


def trained(visit: Visit) -> dict[str, Any]:
    (path,) = (visit.store.folder / "training").glob("*.json")
    return dict(json.loads(path.read_text()))


def test_a_visitor_chooses_names_and_sees_the_figures_of_them_alone(visit: Visit) -> None:
    name = MATCH.players[1].name
    join(visit.archive, "another", name)
    first = visit.get("/me")
    assert "Which of these are you?" in first
    assert "1 match" in first
    assert name in visit.get("/me/names", find=name[:3].upper())
    assert "also another" in visit.get("/me/names", find="another")
    assert f'value="{name}"' not in visit.get("/me/names", find="nobody at all")
    assert visit.post("/me/names", me=name).headers["location"] == "/me"
    assert known_names(visit.archive).ours == {name, "another"}
    page = visit.get("/me")
    assert "Train my errors" in page
    assert "By kind of decision" in page
    assert f"<dd>{name}</dd>" in page


def test_an_error_is_put_in_answered_and_shown_with_what_is_better(
    visit: Visit, analysis: MatchAnalysis
) -> None:
    error = first_error(analysis, What.PLAY)
    place = {"match": "1", "place": error.place}
    assert "Train" in visit.get("/archive/errors")
    where = visit.post("/me/train", **place).headers["location"]
    assert visit.client.get("/me/train").headers["location"] == where
    assert "In training" in visit.get("/archive/errors")
    page = visit.get(where)
    assert "Right" not in page
    assert "Wrong" not in page
    wrong = visit.post(f"{where}/show", seen="0")
    assert trained(visit)["missed"] == 1
    shown = visit.get(wrong.headers["location"])
    assert "This is the answer." in shown
    assert "Equity" in shown
    visit.post(f"{where}/show", seen="0")  # the same request again
    assert trained(visit)["asked"] == 1
    best = shown.split("<tbody>\n<tr")[1].split("<td>")[1].split("<")[0].strip()
    right = visit.post(f"{where}/write", text=best, seen="1")
    assert trained(visit)["asked"] == 2
    assert trained(visit)["missed"] == 1
    shown = visit.get(right.headers["location"])
    assert "Right." in shown
    assert "your answer" in shown
    refused = visit.post(f"{where}/write", text="24/1 24/1")
    assert refused.status_code == 409
    assert trained(visit)["asked"] == 2


def test_a_double_is_decided_by_buttons(visit: Visit, analysis: MatchAnalysis) -> None:
    error = first_error(analysis, What.DOUBLE)
    doubled = analysis.turn_of(error).cube_analysis
    assert doubled is not None
    was, other = ("double", "roll") if doubled.doubled else ("roll", "double")
    decide(visit, error, was, other)


def test_a_double_is_answered_by_buttons(visit: Visit, analysis: MatchAnalysis) -> None:
    error = first_error(analysis, What.ANSWER)
    cube = analysis.turn_of(error).cube_analysis
    assert cube is not None
    was, other = ("drop", "take") if cube.answer is Answered.PASS else ("take", "drop")
    decide(visit, error, was, other)


def decide(visit: Visit, error: Error, was: str, other: str) -> None:
    where = visit.post("/me/train", match="1", place=error.place).headers["location"]
    page = visit.get(where)
    assert f'data-deed="{was}"' in page
    assert f'data-deed="{other}"' in page
    wrong = visit.post(f"{where}/{was}", seen="0").headers["location"]
    assert f"Wrong: it gives away {-error.verdict.error:.3f}" in visit.get(wrong)
    shown = visit.get(visit.post(f"{where}/{other}", seen="1").headers["location"])
    assert "Right." in shown
    assert "Chances: wins" in shown
    assert visit.post(f"{where}/beaver").status_code == 409
    assert (trained(visit)["asked"], trained(visit)["missed"]) == (2, 1)


def test_what_is_no_question_is_refused(visit: Visit) -> None:
    for place in ("", "0.0", "9.9.play", "0.0.nothing", "<b>"):
        assert visit.post("/me/train", match="1", place=place).status_code == 404
    assert visit.post("/me/train", match="99", place="0.0.play").status_code == 404
    assert visit.post("/me/train", match="x", place="0.0.play").status_code == 400
    for path in ("/me/train/" + "0" * 16, "/me/train/x"):
        assert visit.client.get(path).status_code == 404
        assert visit.post(f"{path}/show").status_code == 404
    assert visit.post("/me/out", key="../../etc").status_code == 404


def test_who_may_only_watch_trains_nothing(tmp_path: Path) -> None:
    visit = Visit(tmp_path, act="act secret", watch="watch secret")
    with visit.client:
        visit.client.post("/login", data={"password": "watch secret"})
        visit.home = "/login"
        assert visit.client.get("/me").status_code == 200
        assert visit.post("/me/names", me="ben").status_code == 403
        assert visit.post("/me/train", match="1", place="0.0.play").status_code == 403
    visit.archive.close()
