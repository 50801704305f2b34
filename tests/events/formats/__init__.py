"""Tests of events/formats."""
