"""Loads the Hypothesis profile before any test of the events is read."""

from tests import profiles

__all__ = ["profiles"]
