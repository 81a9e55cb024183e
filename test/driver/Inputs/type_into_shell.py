"""type_into_shell.py SHELL KEYS: types into an interactive shell that has the completion of tz; prints the line it made.

SHELL is bash or zsh. <TAB> in KEYS is the tab key. The line is not run, but printed by echo.
After each key the script presses ctrl-g, which makes the shell print a mark: it reads
keys in order, so the mark says that the key has been worked on, however slow the machine is.
"""
import os
import pty
import re
import select
import sys
import time

COMMANDS = {"bash": ["bash", "--norc", "--noprofile", "-i"], "zsh": ["zsh", "-f", "-i"]}
# The quotes inside a word keep what is typed from looking like what is printed.
SETUP = {
    "bash": """source <(tz completion bash); bind -x '"\\C-g":echo "<ma""rk>"'""",
    "zsh": """autoload -Uz compinit; compinit -u -D; source <(tz completion zsh); mark() { print "<ma""rk>" }; zle -N mark; bindkey '^G' mark""",
}
shell, keys = sys.argv[1], sys.argv[2].replace("<TAB>", "\t")
child, terminal = pty.fork()
if child == 0:
    os.environ.update(PS1="$ ", TERM="dumb", INPUTRC="/dev/null")
    os.execvp(shell, COMMANDS[shell])


def read_until(mark, seconds=60):
    text, end = "", time.time() + seconds
    while not re.search(mark, text):
        if time.time() > end:
            sys.exit(f"type_into_shell.py: no {mark} within {seconds} s, but:\n{text}")
        if select.select([terminal], [], [], 0.1)[0]:
            text += os.read(terminal, 4096).decode(errors="replace")
    return text


read_until(r"[$#%] ")
os.write(terminal, f"stty cols 400; {SETUP[shell]}; PS1=; echo re''ady\n".encode())
read_until("ready")
for key in [""] + re.findall(r"\t|[^\t]+", keys):
    os.write(terminal, key.encode() + b"\x07")
    read_until("<mark>")
# The finished line is printed instead of being run.
os.write(terminal, b"\x01echo 'LINE \x05'; echo '<e''nd>'\n")
line = re.findall(r"LINE ([^'\r\n]*)", read_until("<end>"))
print(line[-1].rstrip() if line else "nothing")
os.write(terminal, b"exit\n")
