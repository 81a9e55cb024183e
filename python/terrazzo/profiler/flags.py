"""What parts of the profiler tell each other."""


class Flags:
    """profiling_on: a session is there. command_line: the command has its own, and start() begins no other."""

    def __init__(self):
        self.profiling_on = self.instrumentation_on = self.command_line = False


flags = Flags()
