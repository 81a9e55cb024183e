"""`python -m triton.profiler.viewer`: shows a profile in the terminal."""

import sys

from terrazzo.profiler.viewer import MetricError, Node, available, chosen, compared, lines, main, metric, read

if __name__ == "__main__":
    sys.exit(main())
