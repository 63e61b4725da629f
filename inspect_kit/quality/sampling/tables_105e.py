"""The single-sampling tables of MIL-STD-105E as printed: code letters, normal, tightened and reduced inspection.

Normal and tightened are cell for cell those of ANSI/ASQ Z1.4 and ISO 2859-1. Reduced is MIL-STD-105E's own, which
leaves a gap between Ac and Re; ISO 2859-1:1999 closed the gap, so these reduced plans are not ISO plans.

An arrow means: use the first plan below (v) or above (^), with the sample size of its own row.
"""

from __future__ import annotations

from typing import Final

AQLS: Final = (
    "0.010", "0.015", "0.025", "0.040", "0.065", "0.10", "0.15", "0.25", "0.40", "0.65", "1.0", "1.5", "2.5",
    "4.0", "6.5", "10", "15", "25", "40", "65", "100", "150", "250", "400", "650", "1000",
)  # fmt: skip
"""Percent nonconforming up to 10; above, nonconformities per hundred pieces."""

CODE_LETTERS: Final = """\
up to    S-1 S-2 S-3 S-4 I II III
8        A   A   A   A   A A  B
15       A   A   A   A   A B  C
25       A   A   B   B   B C  D
50       A   B   B   C   C D  E
90       B   B   C   C   C E  F
150      B   B   C   D   D F  G
280      B   C   D   E   E G  H
500      B   C   D   E   F H  J
1200     C   C   E   F   G J  K
3200     C   D   E   G   H K  L
10000    C   D   F   G   J L  M
35000    C   D   F   H   K M  N
150000   D   E   G   J   L N  P
500000   D   E   G   J   M P  Q
more     D   E   H   K   N Q  R
"""
"""Code letter by lot size and inspection level."""

NORMAL: Final = """\
A    2 v v v v v v v  v  v  v  v  v  v  v  0  v  v  1  2  3  5  7 10 14 21 30
B    3 v v v v v v v  v  v  v  v  v  v  0  ^  v  1  2  3  5  7 10 14 21 30 44
C    5 v v v v v v v  v  v  v  v  v  0  ^  v  1  2  3  5  7 10 14 21 30 44  ^
D    8 v v v v v v v  v  v  v  v  0  ^  v  1  2  3  5  7 10 14 21 30 44  ^  ^
E   13 v v v v v v v  v  v  v  0  ^  v  1  2  3  5  7 10 14 21 30 44  ^  ^  ^
F   20 v v v v v v v  v  v  0  ^  v  1  2  3  5  7 10 14 21  ^  ^  ^  ^  ^  ^
G   32 v v v v v v v  v  0  ^  v  1  2  3  5  7 10 14 21  ^  ^  ^  ^  ^  ^  ^
H   50 v v v v v v v  0  ^  v  1  2  3  5  7 10 14 21  ^  ^  ^  ^  ^  ^  ^  ^
J   80 v v v v v v 0  ^  v  1  2  3  5  7 10 14 21  ^  ^  ^  ^  ^  ^  ^  ^  ^
K  125 v v v v v 0 ^  v  1  2  3  5  7 10 14 21  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^
L  200 v v v v 0 ^ v  1  2  3  5  7 10 14 21  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^
M  315 v v v 0 ^ v 1  2  3  5  7 10 14 21  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^
N  500 v v 0 ^ v 1 2  3  5  7 10 14 21  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^
P  800 v 0 ^ v 1 2 3  5  7 10 14 21  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^
Q 1250 0 ^ v 1 2 3 5  7 10 14 21  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^
R 2000 ^ ^ 1 2 3 5 7 10 14 21  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^
"""
"""Table II-A: letter, sample size, Ac by AQL; Re is Ac + 1."""

TIGHTENED: Final = """\
A    2 v v v v v v v v  v  v  v  v  v  v  v  v  v  v  1  2  3  5  8 12 18 27
B    3 v v v v v v v v  v  v  v  v  v  v  0  v  v  1  2  3  5  8 12 18 27 41
C    5 v v v v v v v v  v  v  v  v  v  0  v  v  1  2  3  5  8 12 18 27 41  ^
D    8 v v v v v v v v  v  v  v  v  0  v  v  1  2  3  5  8 12 18 27 41  ^  ^
E   13 v v v v v v v v  v  v  v  0  v  v  1  2  3  5  8 12 18 27 41  ^  ^  ^
F   20 v v v v v v v v  v  v  0  v  v  1  2  3  5  8 12 18  ^  ^  ^  ^  ^  ^
G   32 v v v v v v v v  v  0  v  v  1  2  3  5  8 12 18  ^  ^  ^  ^  ^  ^  ^
H   50 v v v v v v v v  0  v  v  1  2  3  5  8 12 18  ^  ^  ^  ^  ^  ^  ^  ^
J   80 v v v v v v v 0  v  v  1  2  3  5  8 12 18  ^  ^  ^  ^  ^  ^  ^  ^  ^
K  125 v v v v v v 0 v  v  1  2  3  5  8 12 18  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^
L  200 v v v v v 0 v v  1  2  3  5  8 12 18  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^
M  315 v v v v 0 v v 1  2  3  5  8 12 18  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^
N  500 v v v 0 v v 1 2  3  5  8 12 18  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^
P  800 v v 0 v v 1 2 3  5  8 12 18  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^
Q 1250 v 0 v v 1 2 3 5  8 12 18  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^
R 2000 0 ^ v 1 2 3 5 8 12 18  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^
S 3150 ^ ^ 1 ^ ^ ^ ^ ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^
"""
"""Table II-B: letter, sample size, Ac by AQL; Re is Ac + 1."""

REDUCED: Final = """\
A 2 v v v v v v v v v v v v v v 0/1 v v 1/2 2/3 3/4 5/6 7/8 10/11 14/15 21/22 30/31
B 2 v v v v v v v v v v v v v 0/1 ^ v 0/2 1/3 2/4 3/5 5/6 7/8 10/11 14/15 21/22 30/31
C 2 v v v v v v v v v v v v 0/1 ^ v 0/2 1/3 1/4 2/5 3/6 5/8 7/10 10/13 14/17 21/24 ^
D 3 v v v v v v v v v v v 0/1 ^ v 0/2 1/3 1/4 2/5 3/6 5/8 7/10 10/13 14/17 21/24 ^ ^
E 5 v v v v v v v v v v 0/1 ^ v 0/2 1/3 1/4 2/5 3/6 5/8 7/10 10/13 14/17 21/24 ^ ^ ^
F 8 v v v v v v v v v 0/1 ^ v 0/2 1/3 1/4 2/5 3/6 5/8 7/10 10/13 ^ ^ ^ ^ ^ ^
G 13 v v v v v v v v 0/1 ^ v 0/2 1/3 1/4 2/5 3/6 5/8 7/10 10/13 ^ ^ ^ ^ ^ ^ ^
H 20 v v v v v v v 0/1 ^ v 0/2 1/3 1/4 2/5 3/6 5/8 7/10 10/13 ^ ^ ^ ^ ^ ^ ^ ^
J 32 v v v v v v 0/1 ^ v 0/2 1/3 1/4 2/5 3/6 5/8 7/10 10/13 ^ ^ ^ ^ ^ ^ ^ ^ ^
K 50 v v v v v 0/1 ^ v 0/2 1/3 1/4 2/5 3/6 5/8 7/10 10/13 ^ ^ ^ ^ ^ ^ ^ ^ ^ ^
L 80 v v v v 0/1 ^ v 0/2 1/3 1/4 2/5 3/6 5/8 7/10 10/13 ^ ^ ^ ^ ^ ^ ^ ^ ^ ^ ^
M 125 v v v 0/1 ^ v 0/2 1/3 1/4 2/5 3/6 5/8 7/10 10/13 ^ ^ ^ ^ ^ ^ ^ ^ ^ ^ ^ ^
N 200 v v 0/1 ^ v 0/2 1/3 1/4 2/5 3/6 5/8 7/10 10/13 ^ ^ ^ ^ ^ ^ ^ ^ ^ ^ ^ ^ ^
P 315 v 0/1 ^ v 0/2 1/3 1/4 2/5 3/6 5/8 7/10 10/13 ^ ^ ^ ^ ^ ^ ^ ^ ^ ^ ^ ^ ^ ^
Q 500 0/1 ^ v 0/2 1/3 1/4 2/5 3/6 5/8 7/10 10/13 ^ ^ ^ ^ ^ ^ ^ ^ ^ ^ ^ ^ ^ ^ ^
R 800 ^ ^ 0/2 1/3 1/4 2/5 3/6 5/8 7/10 10/13 ^ ^ ^ ^ ^ ^ ^ ^ ^ ^ ^ ^ ^ ^ ^ ^
"""
"""Table II-C: letter, sample size, Ac/Re by AQL."""
