"""Policies in `.cpol`."""
