"""`python -m triton.profiler.proton`: runs a program in a session of the profiler."""

import sys

from terrazzo.profiler.command import main

if __name__ == "__main__":
    sys.exit(main())
