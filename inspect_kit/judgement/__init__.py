"""Clause × measurement → finding: decision rules, verdicts with their reasons, risks. Pure functions, no files."""
