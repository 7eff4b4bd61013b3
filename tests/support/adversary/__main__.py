"""Plays one run against the bot, and prints what came of it as JSON."""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict, fields
from pathlib import Path

from tests.support.adversary.hostile import Hostile
from tests.support.adversary.stage import Stage
from tests.support.adversary.tape import shrunk, tape_of, write


def main() -> int:
    """1 if a promise was broken."""
    parser = argparse.ArgumentParser(prog="python -m tests.support.adversary", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--exchanges", type=int, default=20_000)
    parser.add_argument("--shrink", type=Path, help="write what breaks the first promise here")
    asked = parser.parse_args()
    began = time.process_time()
    stage = Stage(lambda: Hostile(asked.seed, asked.exchanges))
    verdict = stage.play()
    if asked.shrink and verdict.violations:
        violation = verdict.violations[0]
        tape = shrunk(tape_of(stage), violation)
        write(tape, asked.shrink, f"{violation.promise}: {violation.how[:80]!r}, seed {asked.seed}")
    told = {each.name: getattr(verdict, each.name) for each in fields(verdict)}
    told |= {"violations": [asdict(each) for each in verdict.violations]}
    json.dump(told | {"cpu_s": round(time.process_time() - began, 1)}, sys.stdout, indent=1)
    sys.stdout.write("\n")
    return 1 if verdict.broken else 0


if __name__ == "__main__":
    raise SystemExit(main())
