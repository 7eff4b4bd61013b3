"""`sixprime config notify`: a trial notice by webhook and mail."""

from __future__ import annotations

import sys
from argparse import Namespace

from sixprime.bot.cli.line.errors import UsageError, refusing
from sixprime.bot.cli.operator.config import valid_config
from sixprime.bot.notices.delivery import Couriers, OperatorNotice
from sixprime.bot.process.printable import printable
from sixprime.engine.system.errors import ConfigError


def try_notices(options: Namespace) -> int:
    """Send a trial notice every way; return 1 if one fails."""
    config = valid_config(options)
    if config is None:
        return 2
    with refusing(ConfigError):
        couriers = Couriers(config.notices)
    if not couriers.ways:
        raise UsageError("notices: neither webhook nor mail_to is set")
    failed = couriers.tried(OperatorNotice("offline", "", "a trial; nothing is wrong", over=True))
    couriers.close()
    for way in couriers.ways:
        if way in failed:
            print(f"sixprime config: {way}: {printable(failed[way])}", file=sys.stderr)
        else:
            print(f"{way}: sent")
    return 1 if failed else 0
