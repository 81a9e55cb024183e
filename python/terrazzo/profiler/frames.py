"""Where in the program a launch is made: frames of Python, for sessions with context="python"."""

import os
import sys

from .. import _native

_MOST = 1 << 16  # names that are kept
_names = {}  # (code, line) -> as it is told; None: a frame of this package
_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def _named(code, line):
    if len(_names) >= _MOST:  # of a program that makes functions again and again
        _names.clear()
    own = code.co_filename.startswith(_OWN)
    _names[code, line] = name = None if own else f"{code.co_filename}:{line}@{code.co_name}"
    return name


def tell():
    """Tells where this thread is, as FILE:LINE@FUNCTION from the outermost in. Frames of this package are left out."""
    names, frame = [], sys._getframe(1)
    while frame is not None:
        place = (frame.f_code, frame.f_lineno)
        try:
            name = _names[place]
        except KeyError:
            name = _named(*place)
        if name is not None:
            names.append(name)
        frame = frame.f_back
    _native.profile_set_frames(names[::-1])
