"""Holds concurrent.futures."""
