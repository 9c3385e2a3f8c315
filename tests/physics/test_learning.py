"""Environments of Gymnasium: as it wants them, repeatable, and better with a policy."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from line_arm import MJCF, write_arm
from vastus.bodies import Body, juggler
from vastus.bodies.read import read_body
from vastus.control.tasks import Dynamics
from vastus.control.tracking import Tracker
from vastus.errors import ModelError
from vastus.files.motion_files import read_motion

pytest.importorskip("mujoco", reason="bodies are placed by MuJoCo")
gymnasium = pytest.importorskip("gymnasium", reason="the extra 'gym' is absent")

from gymnasium.utils.env_checker import check_env  # noqa: E402

from vastus.bellies.line import LineLaw  # noqa: E402
from vastus.control.learning import MuscleEnv, Reach, Track  # noqa: E402
from vastus.control.motion_tracking import course_of  # noqa: E402

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def arm(tmp_path_factory: pytest.TempPathFactory) -> Body:
    """The small arm of the examples, with a palm at the end of its forearm."""
    site = '<site name="front end" pos="0.012 0.003 -0.07"/>'
    text = MJCF.replace(site, site + '<site name="palm" pos="0 0 -0.25"/>')
    assert text != MJCF
    return read_body(write_arm(tmp_path_factory.mktemp("arm"), text), home={"elbow": 0.6})


def total(env: MuscleEnv, *, tracker: Tracker | None, seed: int) -> float:
    """The sum of rewards of an episode, with a tracker as policy or without any action."""
    env.reset(seed=seed)
    assert env.episode is not None
    score, over = 0.0, False
    while not over:
        action = np.zeros(env.action_space.shape or ())
        if tracker is not None:
            wanted = env.episode.reference(env.plant.time, env.period)
            action = tracker.activation(env.plant, wanted).activation
        _, reward, ended, truncated, _ = env.step(action)
        score, over = score + reward, ended or truncated
    return score


@pytest.mark.parametrize("name", ["vastus/Reach-v0", "vastus/Track-v0"])
def test_gymnasium_finds_nothing_to_object_to(arm: Body, name: str) -> None:
    env = gymnasium.make(name, body=arm)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)
    inner = env.unwrapped
    assert isinstance(inner, MuscleEnv)
    for part, space in inner.observation_space.items():  # type: ignore[attr-defined]
        assert space.shape == (len(inner.names[part]),)
    assert inner.action_space.shape == (len(inner.names["action"]),)
    env.close()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["vastus/Reach-v0", "vastus/Track-v0"])
def test_the_upper_body_is_the_default(name: str) -> None:
    env = gymnasium.make(name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)
    assert env.unwrapped.names["action"] == juggler().names


def test_a_seed_repeats_an_episode_and_another_does_not(arm: Body) -> None:
    env = MuscleEnv(arm, Reach())
    actions = np.random.default_rng(3).uniform(0.0, 0.3, (20, 2))
    runs = []
    for seed in (5, 5, 6):
        rows = [env.reset(seed=seed)[0]["goal"]]
        rows += [env.step(action)[0]["goal"] for action in actions]
        runs.append(np.array(rows))
    np.testing.assert_array_equal(runs[0], runs[1])
    assert np.abs(runs[0][0] - runs[2][0]).max() > 1e-3


def test_rewards_are_as_said_and_episodes_end(arm: Body) -> None:
    env = MuscleEnv(arm, Reach(duration=0.2), effort=0.5)
    env.reset(seed=0)
    for k in range(20):
        seen, reward, ended, over, info = env.step(np.array([0.2, 0.4]))
        left = float(np.linalg.norm(seen["goal"]))
        assert reward == pytest.approx(-left / 0.1 - 0.5 * (0.04 + 0.16) / 2)
        assert info["error"] == pytest.approx(left)
        assert not ended
        assert over == (k == 19)
    np.testing.assert_array_equal(seen["activations"], [0.2, 0.4])


def test_the_quadratic_program_beats_no_action(arm: Body) -> None:
    curl = course_of(arm, read_motion(EXAMPLES / "curl.mot"))
    for goal in (Reach(duration=1.0), Track(duration=1.0), Track(curl, duration=1.0)):
        env = MuscleEnv(arm, goal)
        tracker = Tracker(arm, period=env.period)
        with_policy = total(env, tracker=tracker, seed=1)
        without = total(env, tracker=None, seed=1)
        print(f"{goal}: {with_policy:.2f} with the program, {without:.2f} without")
        assert with_policy > 0.5 * without  # both are negative
        assert with_policy > without


@pytest.mark.slow
def test_the_quadratic_program_reaches_with_seventy_muscles() -> None:
    body = juggler()
    for goal in (Reach(duration=1.0), Track(duration=1.0)):
        env = MuscleEnv(body, goal)
        with_policy = total(env, tracker=Tracker(body, period=env.period), seed=1)
        left = env.episode.error(env.plant) if env.episode else np.inf
        without = total(env, tracker=None, seed=1)
        print(f"{goal}: {with_policy:.2f} with the program, {without:.2f} without, left {left:.4f}")
        assert with_policy > 0.5 * without
        assert left < 0.01


def test_a_law_is_chosen_and_activations_may_take_time(arm: Body) -> None:
    ends = []
    for law in (None, LineLaw([replace(u, force=0.5 * u.force) for u in arm.units])):
        env = MuscleEnv(arm, Reach(), law=law)
        env.reset(seed=2)
        for _ in range(10):
            seen = env.step(np.array([0.5, 0.0]))[0]
        ends.append(float(seen["angles"][0]))
    assert ends[0] > ends[1] + 0.02  # the flexor of full strength bends farther
    slow = MuscleEnv(arm, Reach(), dynamics=Dynamics(0.012, 0.040))
    slow.reset(seed=2)
    up = slow.step(np.array([1.0, 0.0]))[0]["activations"]
    np.testing.assert_allclose(up, [1 - np.exp(-0.01 / 0.012), 0.0])
    down = slow.step(np.zeros(2))[0]["activations"]
    np.testing.assert_allclose(down, up * np.exp(-0.01 / 0.040))


def test_what_cannot_be_learnt_is_said(arm: Body) -> None:
    env = MuscleEnv(arm)
    with pytest.raises(ModelError, match=r"call reset\(\) first"):
        env.step(np.zeros(2))
    env.reset(seed=0)
    with pytest.raises(ModelError, match=r"an action of the shape \(3,\); the body has 2 units"):
        env.step(np.zeros(3))
    with pytest.raises(ModelError, match="an episode of 9 s for a course of 3 s"):
        Track(course_of(arm, read_motion(EXAMPLES / "curl.mot")), duration=9.0)
    with pytest.raises(ModelError, match="render_mode 'human': this environment draws nothing"):
        MuscleEnv(arm, render_mode="human")
    still = read_body(EXAMPLES / "little_arm.xml", hands={"arm": "lower"})
    with pytest.raises(ModelError, match="palm 'lower_palm' of arm 'arm' does not move"):
        MuscleEnv(still, Reach()).reset(seed=0)
    with pytest.raises(ModelError, match="no arm 'left'; arms: arm"):
        MuscleEnv(arm, Reach("left")).reset(seed=0)
