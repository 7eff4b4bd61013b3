"""Settings of a bot in a process."""

from __future__ import annotations

ENTRY = "from sixprime.bot.cli.main import run; run()"
SETTINGS = """
server: {host: 127.0.0.1, port: PORT, command_gap_s: 0}
player: {level: pips, thinking: {cheaper_level: pips}, pace: {least_s: 0, most_s: 0.05}}
lobby:
  accept: {bots: true}
  invite: {after_idle_s: 0.1, preferred: [house_simple], match_length: 7}
logging: {level: debug, format: FORMAT}
metrics: {listen: "127.0.0.1:0"}
archive: {database: "sqlite:///FOLDER/archive.db", folder: "FOLDER/matches"}
account: {user: anna, PASSWORD}
"""
