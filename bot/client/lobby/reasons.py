"""Reasons for which a bot does nothing in the lobby."""

from __future__ import annotations

from collections.abc import Iterator

from sixprime.bot.client.lobby.acquaintances import FOR_EVER
from sixprime.bot.client.lobby.agreement import JOIN_WITHIN_S
from sixprime.bot.client.lobby.desk import SETTLE_S, Desk
from sixprime.bot.client.lobby.foyer import Foyer
from sixprime.bot.client.lobby.rests import Why, is_free
from sixprime.bot.client.lobby.waiting import Reason, Waiting
from sixprime.bot.process.printable import Sentence
from sixprime.protocols.fibs.people import People
from sixprime.protocols.fibs.wire.messages import Player


def lobby_waiting(desk: Desk, people: People, me: Player, now: float) -> Waiting:
    """Return whom or what we wait for, the nearest reason first."""
    if isinstance(desk, Foyer):
        return _limit(desk, now) or desk.waiting(now)
    return (
        _agreed(desk, now)
        or _inviters(desk, people, now)
        or _not_yet(desk, people, now)
        or _limit(desk, now)
        or _wanted(desk, people, me, now)
        or _nobody(desk, people, me, now)
    )


def _agreed(desk: Desk, now: float) -> Waiting | None:
    """Return the wait for a match that we have agreed to."""
    agreement, asked = desk.agreement, desk.agreement.asked()
    if agreement.joining is not None:
        name, until = agreement.joining
        sentence = Sentence("has joined %(name)s and waits for the match to begin", name=name)
        return Waiting("server", sentence, until - JOIN_WITHIN_S, until)
    if asked is None or agreement.invited_at is None:
        return None
    until = agreement.invited_at + desk.settings.invite.wait_s
    if asked.to_resume:
        sentence = Sentence("waits for %(name)s to resume the saved match", name=asked.opponent)
    else:
        sentence = Sentence("waits for %(name)s to answer an invitation", name=asked.opponent)
    return Waiting("invitation", sentence, agreement.invited_at, until)


def _inviters(desk: Desk, people: People, now: float) -> Waiting | None:
    """Return why an open invitation to us is not answered yet."""
    for name, invitation in people.invitations.items():
        if (rest := _rest(desk, name, now)) is not None:
            return rest
        if invitation.may_be_answered(now):
            sentence = Sentence(
                "waits for the server to tell about %(name)s, who invites", name=name
            )
            return Waiting("inquiry", sentence, invitation.since)
    return None


def _not_yet(desk: Desk, people: People, now: float) -> Waiting | None:
    kept = desk.kept_for
    if kept is not None and now < kept[1]:
        sentence = Sentence(
            "keeps the place of %(name)s, because a line was lost in the match", name=kept[0]
        )
        then = Sentence("plays with others")
        return Waiting("opponent", sentence, desk.idle_since, kept[1], f"block {kept[0]}", then)
    if not people.who_is_complete:
        sentence = Sentence("waits for the server to list its users")
        return Waiting("server", sentence, desk.idle_since)
    if desk.idle_since is None or now < desk.idle_since + SETTLE_S:
        until = None if desk.idle_since is None else desk.idle_since + SETTLE_S
        sentence = Sentence("has just come to the lobby")
        then = Sentence("looks for an opponent")
        return Waiting("idle", sentence, desk.idle_since, until, then=then)
    return None


def _limit(desk: Desk, now: float) -> Waiting | None:
    """Return the limit that keeps us from new matches with anybody."""
    terms = desk.terms
    if terms.is_quiet:
        hours = desk.settings.quiet_hours
        sentence = Sentence("begins no match, because it is quiet from %(hours)s", hours=hours)
        return Waiting("quiet hours", sentence, until=terms.quiet_until(now), ends_with="reload")
    if terms.is_enough_today(now):
        most = desk.settings.accept.matches_per_day
        sentence = Sentence(
            "begins no match, because its settings allow %(count)s a day", count=most
        )
        until = desk.known.played_less_at(now)
        return Waiting("limit", sentence, until=until, ends_with="reload")
    return None


def _wanted(desk: Desk, people: People, me: Player, now: float) -> Waiting | None:
    """Return why we play none of those whom we would play; the soonest end counts."""
    reasons = list(_opponents(desk, people, me, now))
    return min(
        reasons, key=lambda each: FOR_EVER if each.until is None else each.until, default=None
    )


def _opponents(desk: Desk, people: People, me: Player, now: float) -> Iterator[Waiting]:
    invite = desk.settings.invite
    invited = [*desk.terms.names.preferred, *(people.users if invite.whom == "anyone" else ())]
    saved = [*people.saved] if desk.settings.resume_saved else []
    met = [name for name in desk.known.resting(now) if name in people.users]
    for name in dict.fromkeys((*saved, *(invited if invite.after_idle_s else ()), *met)):
        if name != me and (reason := _opponent(desk, people, Player(name), now)) is not None:
            yield reason


def _opponent(desk: Desk, people: People, name: Player, now: float) -> Waiting | None:
    """Return why we neither invite this user nor resume the saved match; None: no reason."""
    known, user = desk.known.peek(name), people.users.get(name)
    if name in desk.terms.names.block:
        return None
    is_saved = name in people.saved and now >= known.dead_until
    if user is not None and is_free(user):
        return _rest(desk, name, now) or _refusal(desk, name, now, is_saved=is_saved)
    if user is None:
        sentence = Sentence("waits for %(name)s to come back for the saved match", name=name)
    else:
        sentence = Sentence("waits for %(name)s to be free for the saved match", name=name)
    return Waiting("opponent", sentence) if is_saved else None


def _refusal(desk: Desk, name: Player, now: float, *, is_saved: bool) -> Waiting | None:
    """Return why we do not ask a user who is here and free."""
    known, order = desk.known.peek(name), f"forgive {name}"
    if now < known.alone_until:
        sentence = Sentence(
            "leaves %(name)s alone, because %(name)s did not want to play", name=name
        )
        return Waiting("rest", sentence, until=known.alone_until, ends_with=order)
    if now < known.rests.busy_until:
        sentence = Sentence("leaves %(name)s alone, because %(name)s was busy or silent", name=name)
        return Waiting("rest", sentence, until=known.rests.busy_until, ends_with=order)
    limit = desk.settings.accept.matches_per_opponent_and_day
    if not is_saved and limit and desk.known.played(now, name) >= limit:
        sentence = Sentence(
            "does not invite %(name)s, because its settings allow %(count)s a day with each",
            name=name, count=limit,
        )  # fmt: skip
        until = desk.known.played_less_at(now, name)
        return Waiting("limit", sentence, until=until, ends_with=f"invite {name}")
    return None


def _rest(desk: Desk, name: str, now: float) -> Waiting | None:
    rest = desk.known.peek(name).rests.last
    if rest is None or now >= rest.until:
        return None
    why = Sentence(rest.why.value)
    sentence = Sentence("rests from %(name)s, because %(why)s", name=name, why=why)
    reason: Reason = "tries" if rest.why is Why.TRIES else "rest"
    return Waiting(reason, sentence, rest.since, rest.until, f"forgive {name}")


def _nobody(desk: Desk, people: People, me: Player, now: float) -> Waiting:
    invite, since = desk.settings.invite, desk.idle_since
    declined = desk.last_declined
    if invite.after_idle_s and since is not None and now < since + invite.after_idle_s:
        until = since + invite.after_idle_s
        sentence = Sentence("waits a while before it invites somebody")
        then = Sentence("invites somebody who is here, free and welcome")
        if (name := desk.next_invited(people, me, now)) is not None:
            then = Sentence("asks %(name)s for a match", name=name)
        return Waiting("idle", sentence, since, until, then=then)
    if declined is not None and since is not None and declined[2] >= since:
        name, why, at = declined
        sentence = Sentence(
            "waits for another invitation, because it declined %(name)s (%(why)s)",
            name=name, why=why,
        )  # fmt: skip
        return Waiting("nobody", sentence, at, ends_with=f"allow {name}")
    if invite.after_idle_s:
        sentence = Sentence("waits for somebody who is here, free and welcome")
        return Waiting("nobody", sentence, since)
    sentence = Sentence("waits for an invitation, because it invites nobody")
    return Waiting("idle", sentence, since)
