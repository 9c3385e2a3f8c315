"""A finger of a gripper designed by exact gradients: the least pressure that holds an object.

A gripper closes three such fingers around what it lifts. With 0.2 N of the object against its tip
the finger must still close by 8 mm, and 0.2 N from the side may bend it by 6 mm at most. Sought are
the pressure and the stiffness of the rubber and of the sheet in it. Each equilibrium has the exact
derivatives of its outputs by all three for the price of three solves with a factor that is there.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.optimize import linprog

import vastus
from vastus.errors import SolveError
from vastus.sensitivity.interop import EquilibriumFunction

FORCE, CLOSED, YIELDS = 0.2, 8e-3, 6e-3  # [N], [m], [m]
PRESSURE = "cavities.chamber.pressure"
START = {PRESSURE: 2e4, "materials.rubber.young": 2e5, "materials.strip.young": 3e6}  # [Pa]
PRICE = 10.0  # of a millimetre that a condition lacks, in parts of the pressure
BOUNDS = {
    PRESSURE: (2e3, 6e4),
    "materials.rubber.young": (1e5, 6e5),
    "materials.strip.young": (1e6, 2e7),
}

finger = vastus.build(vastus.read(Path(__file__).with_name("soft_finger.yaml")))
X = finger.mesh.X
tip = np.flatnonzero(X[:, 0] > X[:, 0].max() - 1e-6)
end = int(tip[np.argmin(X[tip, 2])])
load = vastus.Load("object", tip, np.full(len(tip), 1 / len(tip)), np.zeros(3))
finger = finger.with_(cables=(), loads=(load,))


def pushed(way: int, force: float, pressures: list[float]) -> vastus.Inputs:
    """A push [N] on the tip along an axis, at pressures [Pa]."""
    loads = np.zeros((1, 3))
    loads[0, way] = force
    still = vastus.Inputs.rest(finger, 1.0)
    return replace(still, loads=loads, pressures=np.array(pressures))


# Heights and sides of the tip, each a function of parameters that knows its Jacobian.
names, soft = list(START), list(START)[1:]
height, side = f"vertex_{end}_z_m", f"vertex_{end}_y_m"
grips = EquilibriumFunction(finger, names, [height], pushed(2, FORCE, [START[PRESSURE]]))
yields = EquilibriumFunction(finger, soft, [side], pushed(1, FORCE, [0.0]))
start = np.array(list(START.values()))


def margins(u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What is left of both conditions [mm], and its derivatives, for logarithms of parameters."""
    values = start * np.exp(u)
    (z,), slope_z = grips(values)
    (y,), slope_y = yields(values[1:])
    left = 1e3 * np.array([X[end, 2] - z - CLOSED, YIELDS - (y - X[end, 1])])
    slopes = 1e3 * np.vstack([-slope_z, -np.column_stack([[0.0], slope_y])])
    return left, slopes * values


low, high = np.log([np.array(BOUNDS[n]) / START[n] for n in names]).T


def step(left: np.ndarray, slopes: np.ndarray, u: np.ndarray, cap: float) -> np.ndarray:
    """The best change by linearised conditions, no parameter by more than a factor exp(cap)."""
    lacking = np.eye(2)  # what a condition may lack still, at a price
    found = linprog(
        [1.0, 0.0, 0.0, PRICE, PRICE],
        A_ub=-np.column_stack([slopes, lacking]),
        b_ub=left,
        bounds=[
            *zip(np.maximum(low - u, -cap), np.minimum(high - u, cap), strict=True),
            (0, None),
            (0, None),
        ],
    )
    return np.asarray(found.x[:3])


def merit(u: np.ndarray, left: np.ndarray) -> float:
    return float(u[0] + PRICE * np.maximum(-left, 0.0).sum())


u, cap = np.zeros(3), 0.25
left, slopes = margins(u)
print(f"{'pressure':>10}{'rubber':>10}{'strip':>10} [Pa]{'closes':>10}{'yields':>10} [mm]")
while cap > 1e-4:
    p, rubber, strip = start * np.exp(u)
    closes, bends = 1e3 * CLOSED + left[0], 1e3 * YIELDS - left[1]
    print(f"{p:>10.4g}{rubber:>10.4g}{strip:>10.4g}{'':>5}{closes:>10.4f}{bends:>10.4f}")
    ahead = u + step(left, slopes, u, cap)
    if np.abs(ahead - u).max() < 1e-6:
        break
    try:
        tried = margins(ahead)
    except SolveError:
        tried = None
    if tried is None or merit(ahead, tried[0]) >= merit(u, left):
        cap *= 0.25  # too far for what is linear here
    else:
        u, (left, slopes) = ahead, tried
print(f"{grips.solved + yields.solved} equilibria, each with its exact derivatives")
