"""`sixprime status`: what the bots of a running process are doing."""

from __future__ import annotations

import argparse

from sixprime.bot.cli.settingsfile import add_config, found

EPILOG = """\
example:
  sixprime status
  sixprime status --address 127.0.0.1:9321 --json
"""
WITHIN_S = 5.0


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    add_config(parser)
    parser.add_argument("--address", metavar="HOST:PORT", help="of the process (127.0.0.1:9321)")
    parser.add_argument("--json", action="store_true", help="for programs")


def run(options: argparse.Namespace) -> int:
    """Ask, and print a table; exit code 1 if a bot is not healthy."""
    import json
    from urllib.error import URLError
    from urllib.request import urlopen

    from sixprime.bot.cli.main import UsageError, refusing
    from sixprime.bot.settings.file import ConfigError, load
    from sixprime.bot.settings.schema import MetricsSettings

    with refusing(ConfigError):
        path = options.config or (None if options.address else found())
        metrics = load(path).metrics if path else MetricsSettings()
    address = options.address or metrics.listen
    if address is None:
        raise UsageError("metrics.listen is null, so nothing answers; give --address")
    try:
        with urlopen(f"http://{address}/status", timeout=WITHIN_S) as answer:
            status = json.load(answer)
    except (OSError, URLError, ValueError) as error:
        reason = getattr(error, "reason", error)
        raise UsageError(f"nothing answers at {address}: {reason}") from error
    if options.json:
        print(json.dumps(status, indent=2))
    else:
        for each in status:
            print(line_of(each))
    return 0 if all(each["healthy"] for each in status) else 1


def line_of(each: dict[str, object]) -> str:
    rating = each["rating"]
    words = [
        f"{each['profile']}: {each['state']}",
        f"{each['account']} at {each['server']}, level {each['level']}",
    ]
    if isinstance(rating, int | float):
        words.append(f"rating {rating:.2f}, experience {each['experience']}")
    score = each["score"]
    if each["opponent"] is not None and isinstance(score, list):
        terms = f"to {each['length']}" if each["length"] else "unlimited"
        words.append(f"{score[0]}-{score[1]} ({terms}) against {each['opponent']}")
    if failures := each.get("failures"):
        words.append(f"the engine failed {failures} times")
    if fault := each.get("fault"):
        words.append(f"the engine does not work: {fault}")
    if away := each.get("archive"):
        words.append(f"the archive is away: {away}")
    if not each["healthy"]:
        words.append("NOT HEALTHY")
    return "; ".join(words)
