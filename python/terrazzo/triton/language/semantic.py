"""`triton.language.semantic`: in Triton, what builds IR for each function of the language.

Terrazzo's frontend reads a kernel's text and is no Python program, so there is nothing to call; asking for a name says so.
"""

from .._absent import missing


def __getattr__(name):
    raise missing(__name__, name)
