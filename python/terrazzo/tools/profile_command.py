"""`tz profile`: runs a program with Terrazzo in Triton's place, in a session of the profiler; `tz profile view` shows one."""

from ..profiler import command, viewer
from .drop_in import install_as_triton


def main(arguments):
    """The command; gives the exit status."""
    if arguments[:1] == ["view"]:
        return viewer.main(arguments[1:], "tz profile view")
    install_as_triton()
    return command.main(arguments, "tz profile")
