"""How hard Hypothesis tries: HYPOTHESIS_PROFILE is `quick` (the default) or `nightly`.

A test asks for `examples(n)`, n being what it can afford in a quick run.
"""

import os

from hypothesis import HealthCheck, Phase, settings

NIGHTLY_FACTOR = 20
_SLOW_IS_FINE = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much)

settings.register_profile("quick", deadline=None, suppress_health_check=_SLOW_IS_FINE)
settings.register_profile(
    "nightly",
    deadline=None,
    suppress_health_check=_SLOW_IS_FINE,
    max_examples=100 * NIGHTLY_FACTOR,
)
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "quick")
settings.load_profile(PROFILE)


def examples(quick: int, *, shrink: bool = True) -> settings:
    """Return the settings of a test that can afford this many examples in a quick run.

    Where an example is little more than a seed there is nothing to shrink, and trying takes minutes.
    """
    phases = tuple(one for one in Phase if shrink or one not in (Phase.shrink, Phase.explain))
    count = quick * (NIGHTLY_FACTOR if PROFILE == "nightly" else 1)
    return settings(max_examples=count, phases=phases)
