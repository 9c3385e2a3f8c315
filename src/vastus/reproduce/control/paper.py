"""What the paper gives: its moduli, rates, pushes, masses, factors of disorders and times.

S. Lee, R. Yu, J. Park, M. Aanjaneya, E. Sifakis and J. Lee, Dexterous manipulation and control with
volumetric muscles, ACM Transactions on Graphics 37 (4), 2018.
"""

from __future__ import annotations

# Section 3.2: of the passive element and of the contractile one [Pa]. The number of iterations is
# that of the authors' program.
SHEAR, FIBRES, ITERATIONS = 5e6, 1e7, 10
# Section 5: control and soft bodies, and rigid bodies [1/s].
SOFT_RATE, RIGID_RATE = 200.0, 1000.0
# Section 5: iterations of trajectory optimisation for a throw, and minutes of each.
OPTIMISATIONS, MINUTES = (10, 20), (10.0, 15.0)
# Section 5.1: tets of the largest muscles, about.
TETS = 1000
# Section 5.2: pushes [N] and their duration [s], and masses of balls [kg].
PUSH, PUSH_SECONDS = 300.0, 0.5
MASSES = (0.1, 0.5, 2.0)
# Section 5.3, Figs. 10 and 11: factors of areas, weights [kg], factors of force-length curves.
THIN, THICK, HEAVY = 0.5, 1.5, 10.0
WEAK, DUMBBELL = (0.5, 0.2, 0.05), 5.0
