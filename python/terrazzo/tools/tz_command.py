"""The command tz, which lies beside the libraries of the wheel."""

import os
import sys


def main():
    """Becomes the program tz; gives 1 where that is not there."""
    if sys.argv[1:2] == ["profile"]:
        from . import profile_command

        return profile_command.main(sys.argv[2:])
    if sys.argv[1:2] == ["analyze"]:
        from ..profiler import analyze

        return analyze.main(sys.argv[2:], "tz analyze")
    program = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bin", "tz")
    # What tz starts in Python (pictures of bench results) is this one.
    os.environ.setdefault("TERRAZZO_PYTHON", sys.executable)
    try:
        os.execv(program, ["tz", *sys.argv[1:]])
    except OSError as error:
        print(f"tz: {program}: {error.strerror}; install the wheel again (pip install --force-reinstall terrazzo)",
              file=sys.stderr)
        return 1


if __name__ == "__main__":  # tz itself, of an archive
    sys.exit(main())
