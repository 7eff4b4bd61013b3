"""`sixprime control`: orders to the bots of a running `sixprime play`."""

from __future__ import annotations

import socket
import sys
from argparse import Namespace
from typing import Any

from sixprime.bot.cli.operator.asking import ask, socket_places
from sixprime.bot.cli.operator.status import line_of
from sixprime.bot.cli.settingsfile import settings_file
from sixprime.bot.control.controlsocket import connected
from sixprime.bot.process.printable import printable

WITHIN_S = 700.0  # a new level may have to be compiled first


def steer(options: Namespace) -> int:
    action = options.words[-1]
    names = ("name", "length", "text", "level", "now", "profile")
    given = {name: getattr(options, name, None) for name in names}
    request = {"action": action} | {name: v for name, v in given.items() if v is not None}
    if action == "reload":
        request.pop("profile", None)
    if action == "say":
        request["text"] = " ".join(options.text)
    try:
        answer: dict[str, Any] = ask(_connected(options), request, WITHIN_S)
    except OSError as error:
        return _failed(f"{error.strerror or error}")
    except ValueError:
        return _failed("the process ended before it answered")
    if not answer["done"]:
        return _failed(printable(answer["text"]))
    for line in map(line_of, answer["status"]) if "status" in answer else [answer["text"]]:
        print(printable(line))
    return 0


def _failed(why: str) -> int:
    print(f"sixprime control: {why}", file=sys.stderr)
    return 1


def _connected(options: Namespace) -> socket.socket:
    """Connect to the process; OSError says in clear words why it fails."""
    profile = options.profile
    places, fault = [options.socket], ""
    if options.socket is None:
        options.config = settings_file(options.config)
        places, fault = socket_places(options.config, profile)
        if not places:
            raise OSError(f"{options.config}: control.socket is null, so nothing listens")
    found, why = [], ""
    for place in places:
        try:
            found.append(connected(place))
        except OSError as error:
            why = why or f"nothing answers at {place}: {error.strerror or error}; is it running?"
        if found and (profile or place == places[0]):
            break
    if len(found) == 1:
        return found[0]
    for connection in found:
        connection.close()
    raise OSError("several processes play this file; give --profile" if found else why + fault)
