"""Sheets and clauses read from `specs/`: what a federation asks for, edition by edition. No judging, no measuring."""
