"""Positions as XG exports them, in its languages."""

from __future__ import annotations

BOARD = " +13-14-15-16-17-18------19-20-21-22-23-24-+\n |   | X | O |\n"
PLAY_ID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:2:1:0:5:10"
CUBE_ID = "XGID=---b--E-C---bD---cAcbb--aB:2:-1:-1:00:3:5:0:11:10"
# the words that differ: a line of score, plies, equity, chances; three cube actions
LANGUAGES = {
    "English": (
        "Score is X:2 O:1 5 pt.(s) match.", "ply", "eq", "Player:", "Opponent:",
        ("No redouble:", "Redouble/Take:", "Redouble/Pass:"),
    ),
    "German": (
        "Punktzahl ist  X:2 O:1 5 Pkt (e) match.", "ply", "eq", "Spieler:", "Gegner:",
        ("Nicht Redoppeln:", "Redoppeln/Annehmen:", "Redoppeln/Ablehnen:"),
    ),
    "French": (
        "Le score est X:2 O:1 match en 5 pt(s)", "plis", "éq", "Joueur:", "Adversaire:",
        ("Pas de redouble:", "Redouble/Prend:", "Redouble/Passe:"),
    ),
    "Japanese": (
        "Score is X:2 O:1 5 pt.(s) match.", "ply", "eq", "プレーヤー:", "対戦相手:",
        ("ノーリダブル:", "リダブル/テイク:", "リダブル/パス:"),
    ),
}  # fmt: skip


def play_export(language: str, encoding: str = "utf-8") -> bytes:
    score, ply, eq, mine, theirs, _ = LANGUAGES[language]
    text = f"""{PLAY_ID}

X:Zoë   O:Ben the 2nd
{score}
{BOARD}
X 31

    1. XG Roller++ 8/5 6/5                      {eq}:+0.175
      {mine} 55.12% (G:17.25% B:1.01%)
      {theirs} 44.88% (G:12.50% B:0.49%)

    2. 4-{ply}       24/23 13/10                  {eq}:-0.012 (-0.187)
      {mine} 51.00% (G:14.00% B:0.75%)
      {theirs} 49.00% (G:13.25% B:0.50%)

eXtreme Gammon Version: 2.10, MET: Kazaross XG2
"""
    return text.replace("\n", "\r\n").encode(encoding)


def cube_export(language: str) -> bytes:
    actions = LANGUAGES[language][-1]
    return f"""{CUBE_ID}

X:Zoë   O:Ben
{BOARD}
 71.13% (G:0.00% B:0.00%)
 28.87% (G:0.00% B:0.00%)

 : {actions[0].rstrip(":")}=+0.423, =+0.602

       {actions[0]} +0.483
       {actions[1]} -0.511 (-0.995)
       {actions[2]} +1.000 (+0.517)
""".encode()
