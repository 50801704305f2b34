"""Tests of the rules of Lanterloo."""
