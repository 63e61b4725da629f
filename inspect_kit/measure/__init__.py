"""Readings → values with their uncertainty budget, and the characteristics derived from them. No limits."""
