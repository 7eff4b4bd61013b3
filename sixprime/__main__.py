"""The command `sixprime`, which is also `python -m sixprime`."""

from __future__ import annotations

import gc
import signal
import sys


def run() -> None:
    """The entry point of the console script.

    Ctrl-C is as quiet while Python imports and tidies up as it is while a command works. Nothing is
    collected until all is imported (see bot.cli.main), which is an eighth of a hint.
    """
    gc.disable()
    hears = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if hears:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        from sixprime.bot.cli import main

        if hears:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        main.run()
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        if hears:
            signal.signal(signal.SIGINT, signal.SIG_DFL)


if __name__ == "__main__":
    run()
