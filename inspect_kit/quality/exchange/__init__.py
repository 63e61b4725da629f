"""Lots for other programs: Q-DAS ASCII, QIF 3.0, CSV, and XML in the shape of a digital calibration certificate."""
