"""Photographs drawn by Blender's Cycles: `python -m benchmarks.cycles KIND`.

Written without sight of how the program measures, so that scenes and measuring share as few beliefs as may be.
Run it in an environment of its own with `bpy`, `numpy`, `opencv-python-headless` and `pillow`; `shapes`, `layout` and
`camera` need no Blender.
"""
