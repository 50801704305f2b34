"""Tests of events/rummy500."""
