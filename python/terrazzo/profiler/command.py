"""The command `tz profile`, `python -m triton.profiler.proton`: runs a program in a session, and writes what it cost."""

import argparse
import os
import runpy
import sys
import traceback

from .flags import flags
from .sessions import BACKENDS, CONTEXTS, FORMATS, begin, finalize, find, interpret_mode

_USAGE = """%(prog)s [options] script.py [arguments]
       %(prog)s [options] pytest [arguments]
       %(prog)s [options] module [arguments]"""


def _parse(arguments, program):
    parser = argparse.ArgumentParser(
        prog=program, usage=_USAGE,
        description="Runs a program in a session of the profiler. Sessions that the program starts itself begin nothing.")
    parser.add_argument("-n", "--name", help="of the file, with or without its ending (proton)")
    parser.add_argument("-b", "--backend", choices=BACKENDS[1:], help="instrumentation: kernels record their parts; others change nothing")
    parser.add_argument("-c", "--context", choices=CONTEXTS, default="shadow", help="launches by scopes, or by frames of the program, too")
    parser.add_argument("-m", "--mode", help="periodic_flushing, pcsampling; with -b instrumentation: default, mma")
    parser.add_argument("-d", "--data", choices=tuple(FORMATS), default="tree", help="sums, or each launch")
    parser.add_argument("-k", "--hook", choices=("triton",), help="kernels tell their launch_metadata")
    parser.add_argument("target", help="a script, `pytest`, or a module")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="of the program")
    return parser.parse_args(arguments)


def _run(target, arguments):
    """The program's exit status."""
    if os.path.basename(target) == "pytest":
        import pytest

        return int(pytest.main(arguments))
    before = sys.argv
    sys.argv = [target, *arguments]
    try:
        if os.path.exists(target):
            sys.path.insert(0, os.path.dirname(os.path.abspath(target)))
            runpy.run_path(target, run_name="__main__")
        else:
            sys.path.insert(0, os.getcwd())
            runpy.run_module(target, run_name="__main__", alter_sys=True)
    finally:
        sys.argv = before
    return 0


def _status(given):
    """Of what a program gave to sys.exit()."""
    if given is None:
        return 0
    if isinstance(given, int):
        return given
    print(given, file=sys.stderr)
    return 1


def main(arguments=None, program="python -m triton.profiler.proton"):
    """The command; gives the exit status: the program's, 1 if it raises. The profile is written in any case."""
    given = _parse(arguments, program)
    name = given.name or "proton"
    for ending in FORMATS[given.data]:
        name = name.removesuffix("." + ending)
    try:
        mode, parts = interpret_mode(given.backend, given.mode)
        session = begin(name, given.context, given.data, mode, given.hook, parts)
    except ValueError as error:
        print(f"{program}: {error}", file=sys.stderr)
        return 2
    flags.command_line = True
    try:
        status = _run(given.target, given.arguments)
    except SystemExit as end:
        status = _status(end.code)
    except BaseException:  # the program's own; what was recorded until now is written
        traceback.print_exc()
        status = 1
    flags.command_line = False
    try:
        find(session)
    except ValueError:
        return status  # the program has ended it
    finalize(session)
    return status
