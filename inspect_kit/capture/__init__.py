"""Readings as they come in: tables, typed entries, instruments. No limits, no opinions."""
