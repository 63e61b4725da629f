"""Scenes of every kind, drawn by a path tracer (Mitsuba 3): light that bounces, gloss that mirrors, depth of field.

A development tool, in the extra `traced`: `python -m tests.scenes.traced figure --seed 3 -o DIR`.
"""
