"""in_terminal.py COMMAND...: runs it with a terminal as stderr, until it has shown how far it is or has ended."""
import os
import pty
import select
import subprocess
import sys

master, slave = pty.openpty()
process = subprocess.Popen(sys.argv[1:], stderr=slave, stdout=subprocess.DEVNULL)
os.close(slave)
text = ""
while " of " not in text and select.select([master], [], [], 60)[0]:
    try:
        text += os.read(master, 4096).decode()
    except OSError:  # the command has ended
        break
process.kill()
process.wait()
print(text)
