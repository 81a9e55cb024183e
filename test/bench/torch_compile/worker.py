"""A process of table.py: one model under one compiler.

It reads requests, a line of JSON each, and answers each by a line of JSON:
{"do": "prepare"} builds the model and runs it without a compiler; "cold" is the
first call with one; "check" compares; "pace" says how many calls make a sample,
"steps" times so many; "profile" says what the kernels of a step take. An answer
with "error" is the last one.
"""

import contextlib
import json
import os
import sys
import time
import traceback


class Worker:
    def __init__(self, row):
        self.row = row
        self.device = row["device"]

    def prepare(self):
        """Everything that is no compilation: imports, the model, the device's context, what is right."""
        if self.row["peer"] == "terrazzo":
            import terrazzo

            terrazzo.install_as_triton()
        import torch

        import models

        self.torch = torch
        if self.device == "cpu":
            import torch._inductor.config

            torch._inductor.config.cpu_backend = "triton" if self.row["peer"] == "terrazzo" else "cpp"
        torch.manual_seed(0)
        family = models.FAMILIES[self.row["family"]]
        model, self.inputs, self.loss = family.make()
        self.trains = self.row["what"] == "training"
        self.sizes = family.sizes if self.row["dynamic"] else family.sizes[:1]
        self.only_batch = family.only_batch
        self.model = model.to(self.device).train(self.trains)
        self.batches = {size: self._moved(self.inputs(size)) for size in self.sizes}
        # What is right: fp64, no compiler. And how far off the precision that is used is without one.
        self.right = self._exactly()
        self.eager = {size: self._run(self.model, size) for size in self.sizes}
        self._wait()
        return {"torch": torch.__version__, "compiler": self._version()}

    def _exactly(self):
        import copy

        import models

        model, batches = self.model, self.batches
        self.model = copy.deepcopy(model).double()
        if self.device == "cpu":
            models.sum_depthwise(self.model)  # torch takes minutes for these in fp64
        self.batches = {size: tuple(self._cast(part) for part in batch) for size, batch in batches.items()}
        try:
            return {size: self._run(self.model, size, exact=True) for size in self.sizes}
        finally:
            self.model, self.batches = model, batches

    def _cast(self, part):
        """Arguments, those that are floats in fp64."""
        def cast(value):
            return value.double() if getattr(value, "is_floating_point", bool)() else value

        return {name: cast(v) for name, v in part.items()} if isinstance(part, dict) else tuple(map(cast, part))

    def _version(self):
        if self.row["peer"] == "inductor-cpp":
            return self.torch.__version__
        import triton

        assert ("terrazzo" in triton.__name__) == (self.row["peer"] == "terrazzo"), triton
        if self.row["peer"] == "terrazzo":
            import terrazzo

            return terrazzo.__version__
        return triton.__version__

    def _moved(self, inputs):
        args, kwargs = inputs

        def move(value):
            return value.to(self.device) if hasattr(value, "to") else value

        return tuple(map(move, args)), {name: move(value) for name, value in kwargs.items()}

    def _wait(self):
        if self.device != "cpu":
            self.torch.cuda.synchronize()

    def _precision(self, exact):
        """bf16 where it is quick: products on a device."""
        if exact or self.device == "cpu":
            return contextlib.nullcontext()
        return self.torch.autocast(self.device, dtype=self.torch.bfloat16)

    def _call(self, model, size, exact=False):
        args, kwargs = self.batches[size]
        if self.trains:
            model.zero_grad(set_to_none=True)
            with self._precision(exact):
                loss = self.loss(model(*args, **kwargs))
            loss.backward()
            return loss
        with self.torch.no_grad(), self._precision(exact):
            return model(*args, **kwargs)

    def _run(self, model, size, exact=False):
        """What a call gives, as one list of fp64 tensors that stay: outputs, or the loss and gradients."""
        made = self._call(model, size, exact)
        if self.trains:
            return [made.detach().double(), *(p.grad.detach().double() for p in self.model.parameters() if p.grad is not None)]
        made = made.logits if hasattr(made, "logits") else made
        return [made.detach().double()]

    def _next(self):
        if self.row["mode"] != "default":
            self.torch.compiler.cudagraph_mark_step_begin()

    def cold(self):
        self.torch._dynamo.reset()
        options = {} if self.row["mode"] == "default" else {"mode": self.row["mode"]}
        start = time.perf_counter()
        self.compiled = self.torch.compile(self.model, dynamic=self._dynamic(), **options)
        self._next()
        self._call(self.compiled, self.sizes[0])
        self._wait()
        took = time.perf_counter() - start
        return {"seconds": took, "phases": self._phases()}

    def _dynamic(self):
        """What torch.compile is told of shapes; marks the batch if nothing else is dynamic."""
        if not self.row["dynamic"]:
            return None
        if not self.only_batch:
            return True
        for args, kwargs in self.batches.values():
            for value in (*args, *kwargs.values()):
                if isinstance(value, self.torch.Tensor):
                    self.torch._dynamo.mark_dynamic(value, 0)
        return None

    def _phases(self):
        from torch._dynamo.utils import compile_times

        try:
            names, values = compile_times(repr="csv", aggregate=True)
        except Exception as error:  # of torch's own bookkeeping
            return {"error": str(error)}
        wanted = ("_compile.compile_inner", "OutputGraph.call_user_compiler", "compile_fx_inner", "GraphLowering.codegen",
                  "async_compile.wait", "async_compile.precompile", "CachingAutotuner.benchmark_all_configs", "reload_kernel_in_parent",
                  "GraphLowering.run", "Scheduler.__init__", "Scheduler.codegen", "PyCodeCache.load_by_key_path",
                  "TritonTemplate.generate_and_load", "select_algorithm", "cudagraphify")
        return {n: round(sum(float(v) for v in str(value).split(",")), 3) for n, value in zip(names, values)
                if any(w in n for w in wanted)}

    def check(self):
        """Errors beside the ones that no compiler makes (errors.py): which is the worst, and what was allowed."""
        import errors

        bound = 1e-4 if self.device == "cpu" else 2e-2  # fp32, bf16
        shares = []
        for size in self.sizes:
            for _ in range(3):  # reduce-overhead: warm-up, capture, replay
                self._next()
                got = self._run(self.compiled, size)
            self._wait()
            worst = errors.worst(got, self.eager[size], self.right[size], bound)
            if not worst["off"] <= worst["allowed"]:
                raise AssertionError(f"batch {size}, tensor {worst['tensor']} of {len(got)}: off by {worst['off']:.3g} "
                                     f"({worst['measure']}), allowed {worst['allowed']:.3g}")
            shares.append(worst)
        return max(shares, key=lambda worst: worst["off"] / worst["allowed"])

    def pace(self):
        """How many steps take some milliseconds together."""
        self._timed(3)
        return {"count": max(1, min(20, int(0.02 / max(self._timed(2), 1e-5))))}

    def steps(self, count, core=None):
        """Seconds a step, of `count` together; core: where this thread runs meanwhile."""
        cores = os.sched_getaffinity(0)
        if core is not None:
            os.sched_setaffinity(0, {core})
        try:
            self._timed(1)  # wakes the device and its caches for this process
            return {"seconds": self._timed(count)}
        finally:
            os.sched_setaffinity(0, cores)

    def _timed(self, count):
        start = time.perf_counter()
        for _ in range(count):
            for size in self.sizes:
                self._next()
                self._call(self.compiled, size)
        self._wait()
        return (time.perf_counter() - start) / (count * len(self.sizes))

    def profile(self):
        """Microseconds a step of each kernel."""
        from torch.profiler import ProfilerActivity, profile

        steps = 5
        with profile(activities=[ProfilerActivity.CUDA]) as found:
            for _ in range(steps):
                self._next()
                self._call(self.compiled, self.sizes[0])
            self._wait()
        times = {}
        for event in found.events():
            if str(event.device_type).endswith("CUDA"):
                times[event.name] = times.get(event.name, 0.0) + event.device_time / steps
        top = sorted(times.items(), key=lambda item: -item[1])[:60]
        return {"kernels": {name[:90]: round(us, 2) for name, us in top}, "all": round(sum(times.values()), 1)}


def main():
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what libraries print is no answer
    worker = None
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if worker is None:
                worker = Worker(request.pop("row"))
            answer = getattr(worker, request.pop("do"))(**request)
        except BaseException as error:
            traceback.print_exc()
            answer = {"error": f"{type(error).__name__}: {error}"[:2000]}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
        if "error" in answer:
            break
    os._exit(0)  # some pools of workers end late


if __name__ == "__main__":
    main()
