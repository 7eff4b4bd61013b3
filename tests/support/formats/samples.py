"""Files written by hand, with what each format does that no other does."""

from __future__ import annotations

SGG = {
    "money": """\
GamesGrid
 anna_b vs. ben
Tuesday November 17, 2026
ELO: 1612.5 88 1702.25 345
Jacoby: Yes
Automatic Doubles: No
Crawford: No
Beavers: Yes
Doubling Cube: Yes
Rated: Yes
Match Length: 0
Variant: Backgammon
Game 1.0-0

1\t31: \n1\t31: 8/5, 6/5
ben: good luck
1\t\t62: \n1\t\t62: 24/18, 13/11
2\t42: \n2\t42: \n2\t42: 8/4, 6/4
2\t\t51: \n2\t\t51: 13/8, 11/10
2\t\t51: 13/8, 11/10
3\t61: \n3\t61: 13/7*, 8/7
3\t\t65: O-O
3\t\t65: O-O
4\tDouble
4\t\tPass
anna_b  wins 1 point.

Game 2.1-0

1\t31: \n1\t31: 8/5, 6/5
1\t\t62: \n1\t\t62: 24/18, 13/11
2\t42: \n2\t42: 8/4, 6/4
2\t\t51: \n2\t\t51: 13/8, 11/10
3\t61: \n3\t61: 13/7*, 8/7
3\t\t -: O-O
4\tDouble
4\tDouble
4\t\tAccepts
5\t63: \n5\t63: 13/7, 13/10
5\t\t43: \n5\t\t43: bar/22, 13/9
6\t\tResigns
6\tAccepts
anna_b  wins 4 points.
""",
    "match": """\
 anna_b vs. ben
Monday July 6, 2026
Jacoby: No
Crawford: Yes
Doubling Cube: Yes
Match Length: 3
Variant: Backgammon
Game 1.0-0/3

1\t\t31: \n1\t\t31: 8/5, 6/5
1\t66: \n1\t66: 24/18(2), 13/7(2)
2\t\tDouble
2\tAccepts
3\t\t42: \n3\t\t42: 8/4, 6/4
3\t31: \n3\t31: Resigns
ben  wins 2 points.

Game 2.0-2*/3

1\t65: \n1\t65: 24/13
1\t\t52: \n1\t\t52: 13/11, 13/8
2\t\tResigns
anna_b  wins 1 point.

Game 3.1-2/3

1\t\t64: \n1\t\t64: 24/14
1\t33: \n""",
    "automatic": """\
 anna_b vs. ben
Jacoby: No
Automatic Doubles: Yes
Match Length: 0
Variant: Nackgammon
Game 1.0-0

11: Automatic double
1\t31: \n1\t31: 8/5, 6/5
1\t\t62: \n1\t\t62: 24/18, 13/11
2\tDouble
2\t\tBeaver
3\t42: \n3\t42: 8/4, 6/4
3\t\tResigns
anna_b  wins 8 points.
""",
}

TMG = {
    "money": """\
MatchID: 1883
Player1: 4711 anna 4.00
Player2: 4712 ben 4.00
Stake: 2.00
RakePct: 5.00
MaxRakeAbs: 1.00
Startdate: 2026-11-17 20:15:01
Jacoby: 1
AutoDistrib: 0
Beavers: 1
Raccoons: 0
Crawford: 1
Cube: 1
MaxCube: 512
Length: 0
MaxGames: 512
Variant: 1
PlayMoney: 0
Game 1: 0-0
   0 19 57.68 0.00 43.57 0.00 Settlement
   1 1 31:
   1 4 8/5 6/5
  -2 1 62:
  -2 4 24/18 13/11
   3 1 42:
   3 4 8/4 6/4
  -4 1 51:
  -4 4 13/8 11/10
   5 1 61:
   5 4 13/7 8/7
  -6 1 65:
  -6 4 0/0
   7 5 Double to 2
  -7 10 Pass
   8 14 1 anna wins 1 point
Beavers: 0
Game 2: 1-0
   1 1 31:
   1 4 8/5 6/5
  -2 5 Double to 2
   2 8 Beaver to 4
  -2 7 Take
  -3 1 62:
  -3 4 24/18 13/11
   4 1 ??:
   4 17
  -4 14 4 ben wins 4 points
""",
    "match": """\
MatchID: 1884
Player1: 4711 anna 4.00
Player2: 4712 ben 4.00
Startdate: 2026-01-02 03:04:05
Jacoby: 0
Crawford: 1
Cube: 1
Length: 3
Variant: 1
Game 1: 0-0
  -1 1 31:
  -1 4 8/5 6/5
   2 1 66:
   2 4 24/18 24/18 13/7 13/7
  -3 5 Double to 2
   3 7 Take
  -4 1 42:
  -4 4 8/4 6/4
   5 1 31:
  -5 14 2 ben wins 2 points
Game 2: 0-2
   1 1 65:
   1 4 24/18 18/13
  -2 15 2 ben wins 2 points
""",
    "unfinished": """\
MatchID: 1885
Player1: 4711 anna 4.00
Player2: 4712 ben 4.00
Jacoby: 0
Length: 5
Variant: 2
Game 1: 0-0
   1 1 61:
   1 4 13/7 8/7
  -2 1 53:
""",
}

GAM = {
    "jellyfish": """\
 Anna                           JellyFish
  1) 31: 8/5 6/5                 62: 24/18 13/11
  2) 42: 8/4 6/4                 51: 13/8 11/10
  3) 61: 13/7* 8/7               65:
  4)  Doubles => 2               Drops
      Wins 1 point
 Anna                           JellyFish
  1)                             31: 8/5 6/5
  2) 66: 24/18(2) 13/7(2)
""",
    "empire": """\
anna  ben
 1) 31: 8/5 6/5                 66: 24/18 24/18 13/7 13/7
 2) Double                      Take
 3) 42: 8/4 6/4                 Resign
    Win 4 points
""",
    "dance": """\
x y
  1) 31: 8/5 6/5                 62: 24/18 13/11
  2) 42: 8/4 6/4                 51: 13/8 11/10
  3) 61: 13/7 8/7                65:
  4) 63: 13/10 13/7              41: 25/24 13/9
                                  Wins 3 points
""",
}

PARTY = {
    "money": """\
BOARDID=77
CREATOR=anna
MATCHLENGTH=0
GAME_1_PLAYER_1=anna
GAME_1_PLAYER_2=ben
GAME_1_GAMEPLAY=1 1 12 31 8/5 6/5#2 2 11 62 24/18 13/11#1 3 10 42 8/4 6/4#2 4 9 51 13/8 11/10\
#1 5 8 61 13/7 8/7#2 6 7 65#1 Double#2 Take#1 7 6 63 13/7 13/10#2 8 5 43 bar/22 13/9
GAME_1_SCORE1=4
GAME_1_SCORE2=0
GAME_2_GAMEPLAY=
""",
    "match": """\
BOARDID=78
CREATOR=ben
MATCHLENGTH=3
GAME_1_PLAYER_1=anna
GAME_1_PLAYER_2=ben
GAME_1_GAMEPLAY=2 1 12 31 8/5 6/5#1 2 11 66 24/18 24/18 13/7 13/7#2 Double#1 Drop
GAME_1_SCORE1=0
GAME_1_SCORE2=1
GAME_2_PLAYER_1=anna
GAME_2_PLAYER_2=ben
GAME_2_GAMEPLAY=1 1 12 65 24/18 18/13#2 2 11 52 13/11 13/8
GAME_2_SCORE1=0
GAME_2_SCORE2=3
GAME_3_GAMEPLAY=
""",
    "lower case": """\
boardid=79
creator=ben
matchlength=1
game_1_player_1=anna
game_1_player_2=ben
game_1_gameplay=2 1 12 31 8/5 6/5#1 2 11 66 24/18 24/18 13/7 13/7
game_1_score1=2
game_1_score2=0
game_2_gameplay=
""",
}

BGROOM = {
    "drop": """\
BGF version 1.2

Game 1 - anna (X) vs. ben (0)
Single game
1.X:(3 1)8/5 6/5
2.0:(6 2)24/18 13/11
3.X:(4 2)8/4 6/4
4.0:(5 1)13/8 11/10
5.X:(6 1)13/7 8/7
6.0:(6 5)can't move
7.X:Double

anna Win the Match
""",
    "swapped": """\
BGF version 1.2

Game 1 - anna (0) vs. ben (X)
Single game
1.0:(3 1)8/5 6/5
2.X:(6 6)24/18 24/18 13/7 13/7
3.0:Double
4.0:(4 2)8/4 6/4

Game 2 - anna (0) vs. ben (X)
Single game
1.X:(6 5)24/18 18/13
2.0:Double

ben Win the Match
""",
    "resigned": """\
BGF version 1.2

Game 1 - anna (X) vs. ben (0)
Single game
1.0:(3 1)8/5 6/5
2.X:(6 6)24/18 24/18 13/7 13/7

anna Win the Match
""",
}

JAVAFIBS = {
    "match": """JavaFIBS internal match representation v1.1
8:ben:3
13:ben:
6:You:ben
11:You:3 1
1:You:17-20 19-20 You-moves 17-20 19-20 .
0:ben:5 2
1:ben:24-22 13-8
0:You:4 2
1:You:17-21 19-21
0:ben:3 3
1:ben:13-10 13-10 8-5 8-5
2:You:
4:ben:
3:ben:2
12:You:
0:You:2 1
1:You:12-14 17-18
3:ben:2
7:You:2
14:anna-2:ben-0
13:ben:
6:You:ben
11:ben:6 5
1:ben:24-18 18-13
3:You:1
7:ben:1
14:ben-1:anna-2
13:ben:
6:You:ben
11:ben:4 3
1:ben:24-20 13-10
0:You:2 1
1:You:12-14 17-18
2:ben:
5:You:
7:ben:1
""",
}

BKG = {
    "drop": """\
Black (3,1)  8-5, 6-5
White (6,2)  1-7, 12-14
Black (4,2)  8-4, 6-4
White (5,1)  12-17, 14-15
Black (6,1)  13-7, 8-7
White (6,5)
Black Doubles         Accepted
Black (6,3)  13-7, 13-10
White (4,3)  0-3, 12-16
Black wins by gammon

""",
    "refused": """\
White (3,1)  17-20, 19-20
Black (6,6)  24-18, 24-18, 13-7, 13-7
White Doubles         Refused
White wins

Black (6,5)  24-18, 18-13
White wins by backgammon
""",
    "unfinished": """\
White (3,1)  17-20, 19-20
Black (4,2)  8-4, 6-4
""",
}

SNOWIE = {
    "money": (
        "0;1;0;1;0;anna;ben;0;0;0;2;1;0;-2;0;0;0;0;5;0;3;0;0;0;-5;5;0;0;0;-3;0;-5;0;0;0;0;2;0;3;1;"
    ),
    "match": (
        "7;0;0;0;1;anna;ben;0;3;6;1;0;0;-2;0;0;0;0;5;0;3;0;0;0;-5;5;0;0;0;-3;0;-5;0;0;0;0;2;0;0;0;"
    ),
    "bar": (
        "5;0;0;0;0;anna;ben;1;4;2;1;0;1;-2;0;0;0;0;4;0;3;0;0;0;-5;5;0;0;0;-3;0;-4;0;0;0;0;2;1;6;5;"
    ),
}

BGAMMON = {
    "match": """bgammon-replay 00000072
bgammon-replay 00000210
bgammon-replay 00000315
i 1702738670 anna ben 7 3 0 1 1 0
1 r 3-1 8/5 6/5
2 r 5-2 1/3 12/17
1 r 4-2 8/4 6/4
2 r 3-3 12/15 12/15 17/20 17/20
2 t
i 1702739000 anna ben 7 3 6 2 2 0
2 r 6-5 1/7 7/12
1 r 6-2 24/18, 13/11
2 d 2 1
2 r 5-5 12/17 12/17 17/22 17/22
1 t
i 1702739500 anna ben 7 6 6 1 1 0
2 r 4-3 1/5 12/15
1 d 2 0
""",
    "real": """i 1795931097 anna ben 5 0 3 2 1 0
1 r 5-4 24/20, 20/15
2 r 4-4 12/16, 12/16, 12/16, 19/23
1 r 2-1 13/11, 8/7
2 r 6-5 12/17, 16/22
1 r 4-4 15/11, 13/9, 8/4, 8/4
2 r 4-3 12/15, 19/23
1 r 4-1 6/2, 4/3
2 d 2 0
i 1795931097 anna ben 5 2 3 1 2 0
1 r 5-2 13/8, 6/4
2 r 4-2 1/5, 1/3
1 r 6-1 24/18, 6/5
2 r 3-1 bar/1, 12/15
1 r 6-5 13/7, 6/1
2 r 6-5 bar/5, 3/9
1 r 2-1 bar/23, 8/7
2 r 5-5 5/10, 15/20, 17/22, 17/22
1 r 5-4 6/1, 6/2
2 r 6-4 12/18, 17/21
1 r 4-1 bar/24, 7/3
2 r 6-2 9/15, 12/14
1 r 3-1 8/5, 7/6
2 r 4-2 14/18, 21/23
1 r 6-6
2 r 5-5 10/15, 15/20, 18/23, 18/23
1 r 5-2
2 r 6-1 12/18, 19/20
1 r 5-1 bar/24, 6/1
2 r 6-3 12/18, 15/18
1 r 4-4 13/9, 13/9, 9/5, 5/1
2 r 1-1 20/21, 20/21, 22/23, 22/23
1 r 6-4 9/3, 5/1
2 r 3-2 19/22, 20/22
1 r 1-1 4/3, 3/2, 3/2, 3/2
2 d 2 1
2 r 2-2 18/20, 18/20, 20/22, 20/22
1 r 5-2 8/3, 3/1
2 r 5-4 18/23, 21/off
1 r 2-1 13/11, 2/1
2 r 6-5 19/off
1 r 4-4 24/20, 20/16, 11/7, 7/3
2 r 6-5 19/off
1 d 4 0
i 1795931097 anna ben 5 2 3 1 1 0
2 r 5-3 1/4, 12/17
2 t
""",  # two passes, at three games and at one; then ben leaves
    "single": """i 1702738670 anna ben 1 0 0 2 1 0
1 r 3-1 8/5 6/5
2 r 5-2 1/3 12/17
""",
}
