"""Device time of contenders, in turns.

A batch is n launches between two events, queued behind a delay kernel, so that the
host's own cost of a launch does not show. Rounds go over all contenders; the figure
is the median over the rounds. A GPU at its power limit is slower behind a contender
that drew more, so every two rounds start with another one and the second goes backwards.
"""

import statistics
import time

import torch

HOST_US = 30  # what a launch may cost the host, with room
ROW_MS = 2000  # device time for the rounds of a row


class Contender:
    def __init__(self, name, runs, launches=1, note=""):
        """runs: one function per set of buffers."""
        self.name, self.runs, self.launches, self.note = name, runs, launches, note
        self.samples = []

    @property
    def ms(self):
        return statistics.median(self.samples)

    def batch(self, count):
        """Queues one batch; gives its events."""
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda._sleep(int(1900 * min(HOST_US * count * self.launches, 20000)))
        start.record()
        for i in range(count):
            self.runs[i % len(self.runs)]()
        stop.record()
        return start, stop, count


def one(contender, count):
    start, stop, count = contender.batch(count)
    stop.synchronize()
    return start.elapsed_time(stop) / count


def turns(contenders, round):
    """The order of a round: over the rounds, each contender comes behind each of its neighbours."""
    first = round // 2 % len(contenders)
    order = contenders[first:] + contenders[:first]
    return order[::-1] if round % 2 else order


def measure(contenders, rounds, batch_ms):
    """Fills the samples of each contender."""
    counts, spent = {}, 0.0
    for c in contenders:
        one(c, 1)
        guess = one(c, 2)
        counts[c] = max(1, min(200, int(batch_ms / max(guess, 1e-3))))
        spent += counts[c] * guess
        c.samples = []
    # A row of long kernels needs fewer rounds for as good a median.
    for round in range(max(8, min(rounds, int(ROW_MS / max(spent, 1e-3))))):
        pending = [(c, c.batch(counts[c])) for c in turns(contenders, round)]
        torch.cuda.synchronize()
        for c, (start, stop, count) in pending:
            c.samples.append(start.elapsed_time(stop) / count)


def best_of(candidates):
    """The quickest of several, by the best of some short looks at each."""
    if len(candidates) == 1:
        return candidates[0]
    times = {c: one(c, 1) for c in candidates}
    for _ in range(2):
        limit = 3 * min(times.values())
        for c in candidates:
            if times[c] <= limit:
                times[c] = min(times[c], one(c, max(1, min(5, int(10 / max(times[c], 1e-3))))))
    return min(candidates, key=times.get)


def host_us(run, count=2000):
    """Host time of a call, in batches that the queue holds."""
    samples = []
    for _ in range(15):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(count // 15):
            run()
        samples.append((time.perf_counter() - begin) / (count // 15))
    torch.cuda.synchronize()
    return statistics.median(samples) * 1e6
