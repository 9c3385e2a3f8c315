"""What the EMU paper gives as numbers (Modi et al. 2020), by figure and table; errors in per cent.

The paper writes errors as the Hausdorff distance over the rest length, with values such as 12.095:
they are read as per cent.
"""

from __future__ import annotations

# Section 3.6
MUSCLE_YOUNG, TENDON_YOUNG, BONE_YOUNG = 6e6, 1.2e9, 1e10  # [Pa]; tendons from 4.5e8
POISSON = 0.49

# Section 4: iterations stop where the energy changes by less
STOP = 1e-2  # [J]

# Fig. 4 and section 3.2.1: vector modes, and the part of the spectrum that they cover
MODES, MODES_SHARE = 48, 0.9

# Section 3.7, on Fig. 8: iterations by alpha on a homogeneous muscle of 22,000 tets
FIG8_TETS = (2_000, 22_000)
FIG8_ITERATIONS = {1.0: 21, 1e8: 42_151}

# Table 2: error [%] by number of tets
TABLE2_FEM = 0.0
TABLE2_ADMM = {12_184: 7.048, 51_271: 7.381}
TABLE2_EMU = {
    12_184: {1e0: 12.095, 1e1: 8.214, 1e2: 2.143, 1e3: 2.381, 1e4: 1.667, 1e5: 8.095},
    51_271: {1e0: 11.119, 1e1: 6.428, 1e2: 1.500, 1e3: 3.214, 1e4: 3.119, 1e5: 5.786},
}

# Section 4 on Fig. 20: speed over the paper's own finite elements, and cores
FIG20_SPEEDUP = 20.0  # "over 20x" on medium to large meshes
FIG20_CORES, FIG20_CORES_GAIN = 12, 3.0

# Section 4: the bunny, up to 40,000 tets
BUNNY_TETS = 40_000
BUNNY_SPEEDUP = (5.0, 6.0)
