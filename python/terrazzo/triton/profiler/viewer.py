"""`python -m triton.profiler.viewer`: shows a profile in the terminal. The functions give tables of the package hatchet."""

import sys

from terrazzo.profiler.viewer import main
from terrazzo.triton.profiler.tables import (apply_diff_profile, derive_metrics, filter_frames, format_frames, get_min_time_bytes,
                                             get_min_time_flops, get_raw_metrics, match_available_metrics, parse, print_tree, read)

if __name__ == "__main__":
    sys.exit(main())
