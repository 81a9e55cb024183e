"""Exit status 0 as soon as a folder is empty; 1 if that takes 30 seconds."""

import os
import sys
import time

end = time.monotonic() + 30
while os.listdir(sys.argv[1]):
    if time.monotonic() > end:
        sys.exit(f"still there: {os.listdir(sys.argv[1])}")
    time.sleep(0.02)
