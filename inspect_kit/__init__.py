"""inspect-kit: equipment compliance inspection for table sports, from a reading to a certificate."""

__version__ = "0.1.0"
