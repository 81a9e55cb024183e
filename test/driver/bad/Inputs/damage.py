"""Changes the last byte of every file below a folder; fails if there is none."""
import os
import sys

changed = 0
for folder, _, names in os.walk(sys.argv[1]):
    for name in names:
        path = os.path.join(folder, name)
        data = bytearray(open(path, "rb").read())
        if len(data) > 64:
            data[-1] ^= 1
            os.chmod(path, 0o600)
            open(path, "wb").write(data)
            changed += 1
sys.exit(0 if changed else 1)
