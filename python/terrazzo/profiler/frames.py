"""Where in the program a launch is made: frames of Python, for sessions with context="python"."""

import os
import sys

from .. import _native

_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def tell():
    """Tells where this thread is, as FILE:LINE@FUNCTION from the outermost in. Frames of this package are left out."""
    names, frame = [], sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        if not code.co_filename.startswith(_OWN):
            names.append(f"{code.co_filename}:{frame.f_lineno}@{code.co_name}")
        frame = frame.f_back
    _native.profile_set_frames(names[::-1])
