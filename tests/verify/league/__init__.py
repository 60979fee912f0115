"""Readers for the source files, written from the format documents alone.

They share no code with the C program on purpose: two readings of one document that agree are worth
more than one reading checked against itself.
"""


class FormatError(Exception):
    """A source file cannot be read; the text names the part and the numbers."""
