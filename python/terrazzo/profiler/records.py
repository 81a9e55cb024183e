"""What a session keeps of launches and scopes: a tree with sums, or a trace with every begin and end.

Times of the host are nanoseconds of time.perf_counter_ns, those of a device
come from a pair of its events around each launch.
"""

import os
import threading


class Tree:
    """Sums by path of scopes and kernel; hatchet's JSON."""

    output_format = suffix = "hatchet"

    def __init__(self):
        self.metrics = {}  # path of names -> metric -> sum
        self.pending = []  # (path, event before, event after)

    def add(self, path, metrics):
        into = self.metrics.setdefault(path, {})
        for name, number in metrics.items():
            into[name] = into.get(name, 0) + number

    def scope_ended(self, path, began, ended, metrics):
        """Its launches say all."""

    def launch(self, path, told, began, ended, device):
        """`device`: a DeviceTime, or None of a launch on the host. `told`: numbers beside the time."""
        self.add(path, {"count": 1, **told})
        if device is None:
            self.add(path, {"time (ns)": ended - began})
        else:
            self.pending.append((path, device))

    def content(self):
        """What the file holds. Waits for the launches that are timed."""
        for path, device in self.pending:
            device.after.synchronize()
            self.add(path, {"time (ns)": round(device.before.elapsed_time(device.after) * 1e6)})
        self.pending.clear()
        return [self._tree(), {}]

    def _tree(self):
        root = {"frame": {"name": "ROOT", "type": "function"}, "metrics": {}, "children": []}
        for path, metrics in self.metrics.items():
            node = root
            for name in path:
                known = [child for child in node["children"] if child["frame"]["name"] == name]
                if not known:
                    known = [{"frame": {"name": name, "type": "function"}, "metrics": {}, "children": []}]
                    node["children"] += known
                node = known[0]
            node["metrics"].update(metrics)
        return root


class DeviceTime:
    """The events around a launch, and where it ran."""

    def __init__(self, before, after, index, stream):
        self.before, self.after, self.index, self.stream = before, after, index, stream


class _Clock:
    """A device's events as times of the host.

    Distances of events are told as floats of 32 bits: the anchor moves along, so that they stay short.
    """

    _far = 1000.0  # milliseconds

    def __init__(self, event, time):
        self.event, self.time = event, time

    def time_of(self, event):
        event.synchronize()
        distance = self.event.elapsed_time(event)
        time = self.time + round(distance * 1e6)
        if distance > self._far:
            self.event, self.time = event, time
        return time


class Trace:
    """Every launch and scope; the JSON that Chrome's and Perfetto's viewers read.

    The host is one process of the file, with a row for each thread; each device
    is one, with a row for each stream.
    """

    output_format = suffix = "chrome_trace"

    def __init__(self):
        self.events = []
        self.pending = []  # (path, numbers, DeviceTime)
        self.clocks = {}  # index of a device -> _Clock
        self.threads = {}

    def add(self, path, metrics):
        """Scopes and launches carry their own numbers."""

    def _event(self, name, kind, process, row, began, ended, args):
        self.events.append({"name": name, "cat": kind, "ph": "X", "ts": began, "dur": ended - began, "pid": process,
                            "tid": row, "args": args})

    def _thread(self):
        return self.threads.setdefault(threading.get_ident(), (len(self.threads), threading.current_thread().name))[0]

    def scope_ended(self, path, began, ended, metrics):
        self._event(path[-1], "scope", 0, self._thread(), began, ended, dict(metrics or {}))

    def anchor(self, index, make_event, now):
        """Called before the first launch on a device: what its clock says now."""
        if index not in self.clocks:
            event = make_event()
            event.record()
            event.synchronize()
            self.clocks[index] = _Clock(event, now())

    def launch(self, path, told, began, ended, device):
        self._event(path[-1], "kernel" if device is None else "launch", 0, self._thread(), began, ended, told)
        if device is not None and device.index in self.clocks:
            self.pending.append((path, told, device))

    def content(self):
        for path, told, device in self.pending:
            clock = self.clocks[device.index]
            began, ended = clock.time_of(device.before), clock.time_of(device.after)
            self._event(path[-1], "kernel", 1 + device.index, device.stream, began, ended,
                        {"scope": "/".join(path[:-1]), **told})
        self.pending.clear()
        first = min((event["ts"] for event in self.events), default=0)
        for event in self.events:  # as microseconds
            event["ts"], event["dur"] = (event["ts"] - first) / 1e3, event["dur"] / 1e3
        return {"displayTimeUnit": "ns", "traceEvents": self._names() + self.events}

    def _names(self):
        def name(what, process, text, **row):
            return {"name": what, "ph": "M", "pid": process, **row, "args": {"name": text}}

        rows = {(event["pid"], event["tid"]) for event in self.events}
        threads = dict(self.threads.values())
        processes = sorted({process for process, _ in rows})
        return [name("process_name", process, f"device {process - 1}" if process else f"host (process {os.getpid()})")
                for process in processes] + \
               [name("thread_name", process, threads[row] if process == 0 else f"stream {row:#x}", tid=row)
                for process, row in sorted(rows)]
