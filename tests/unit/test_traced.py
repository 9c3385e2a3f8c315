"""Laws of a user's own: how they are named, found again and told apart."""

from __future__ import annotations

import pickle
import subprocess
import sys

import pytest

from vastus.errors import ModelError
from vastus.materials import LAWS, NeoHookean, StableNeoHookean, TendonTissue, det, law


@law
def sample(F, K=2.0):
    return K * (det(F) - 1) ** 2


LAWS.pop("sample")  # the law tests are about the package's own


def test_a_law_can_be_pickled():
    assert pickle.loads(pickle.dumps(sample(K=7.0))) == sample(K=7.0)


def test_a_decorated_law_names_the_module_and_function_it_was_made_of():
    assert (sample.__module__, sample.__qualname__) == (__name__, "sample")


def test_a_law_can_be_defined_again_by_the_same_code():
    def define():
        @law
        def again(F):
            return det(F) - 1

        return again

    first, second = define(), define()
    assert first is not second
    assert LAWS.pop("again") is second


def test_a_law_does_not_replace_another_of_its_name():
    with pytest.raises(ModelError, match="the law 'tendon' exists already in"):

        @law
        def tendon(F):
            return det(F) - 1

    assert LAWS["tendon"] is TendonTissue


def test_the_fingerprint_of_a_law_is_that_of_its_energy():
    def define(power):
        @law
        def squeezed(F, K=1.0):
            return K * (det(F) - 1) ** power

        LAWS.pop("squeezed")
        return squeezed

    assert define(2).fingerprint() == define(2).fingerprint() != define(4).fingerprint()
    assert StableNeoHookean.fingerprint() != NeoHookean.fingerprint()


EARLY = """
import vastus
@vastus.law
def tendon(F):
    return vastus.materials.det(F) - 1
"""


def test_a_law_cannot_come_before_the_package_s_own():
    done = subprocess.run([sys.executable, "-c", EARLY], capture_output=True, text=True)
    assert done.stderr.splitlines()[-1].endswith("give yours another name")


def test_a_star_imports_every_law():
    names: dict[str, object] = {}
    exec("from vastus.materials import *", names)
    assert names["StableNeoHookean"] is StableNeoHookean
    assert names["law"] is law
