"""python -m terrazzo script.py [arguments]: runs a program with Terrazzo in Triton's place.

`-m module` runs a module, `-c code` code, as python itself does; `--version`
says which Terrazzo this is. The command `tz` comes with the package.
"""

import os
import runpy
import sys

_USAGE = "usage: python -m terrazzo (script.py | -m module | -c code | --version) [arguments]"


def main(arguments):
    """Runs what the arguments say; gives the exit status: 2 for a wrong command line."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__.strip(), _USAGE, sep="\n\n")
        return 0 if arguments else 2
    if arguments[0] in ("-V", "--version"):
        from . import _native

        print(f"terrazzo {_native.version()}")
        return 0
    from .tools.drop_in import install_as_triton
    install_as_triton()
    if arguments[0] in ("-m", "-c"):
        if len(arguments) < 2:
            print(f"{arguments[0]} needs {'a module' if arguments[0] == '-m' else 'code'}\n{_USAGE}", file=sys.stderr)
            return 2
        sys.path.insert(0, os.getcwd())
        if arguments[0] == "-m":
            sys.argv = arguments[1:]
            runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
        else:
            sys.argv = ["-c"] + arguments[2:]
            exec(compile(arguments[1], "<string>", "exec"), {"__name__": "__main__"})
        return 0
    script = arguments[0]
    if not os.path.exists(script):
        print(f"python -m terrazzo: there is no file {script}\n{_USAGE}", file=sys.stderr)
        return 2
    sys.argv = arguments
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    runpy.run_path(script, run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
