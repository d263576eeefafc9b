"""Errors that a user can mend. Their messages say what is wrong, why, and what to write instead."""

from __future__ import annotations


class UserError(Exception):
    """What a user gave cannot be used, or what it asks for cannot be done."""


class RequestError(UserError):
    """What is asked for makes no sense: the value of an option, or several options together.

    `option` is the option that the value is of, as `--capacity`; empty: it is about several.
    """

    def __init__(self, message: str, option: str = "") -> None:
        super().__init__(message)
        self.option = option


class ToldError(UserError):
    """The user has been told what is wrong: whoever catches this prints nothing more of it."""
