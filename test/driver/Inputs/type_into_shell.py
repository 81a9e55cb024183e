"""type_into_shell.py SHELL KEYS: types into an interactive shell that has the completion of tz; prints the line it made.

SHELL is bash or zsh. <TAB> in KEYS is the tab key. The line is not run, but printed by echo.
"""
import os
import pty
import re
import select
import sys
import time

COMMANDS = {"bash": ["bash", "--norc", "--noprofile", "-i"], "zsh": ["zsh", "-f", "-i"]}
SETUP = {"bash": "source <(tz completion bash)",
         "zsh": "autoload -Uz compinit; compinit -u -D; source <(tz completion zsh)"}
shell, keys = sys.argv[1], sys.argv[2].replace("<TAB>", "\t")
child, terminal = pty.fork()
if child == 0:
    os.environ.update(PS1="$ ", TERM="dumb", INPUTRC="/dev/null")
    os.execvp(shell, COMMANDS[shell])


def read_until(mark, seconds=20):
    text, end = "", time.time() + seconds
    while not re.search(mark, text) and time.time() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            text += os.read(terminal, 4096).decode(errors="replace")
    return text


def quiet(seconds=0.4):
    """What comes until nothing has come for a while."""
    text = ""
    while select.select([terminal], [], [], seconds)[0]:
        text += os.read(terminal, 4096).decode(errors="replace")
    return text


read_until(r"\$ ")
os.write(terminal, f"stty cols 400; {SETUP[shell]}; PS1=; echo re''ady\n".encode())
read_until(r"ready")
quiet()
for key in re.findall(r"\t|[^\t]+", keys):
    os.write(terminal, key.encode())
    quiet(0.3)  # a shell that is slower finds the rest waiting
# The finished line is printed instead of being run.
os.write(terminal, b"\x01echo 'LINE \x05'; echo do''ne\n")
line = re.findall(r"LINE ([^'\r\n]*)", read_until("done"))
print(line[-1].rstrip() if line else "nothing")
os.write(terminal, b"exit\n")
