"""Timing kernels and comparing results.

do_bench times a function, perf_report makes a table (and with terrazzo[plot]
pictures) of it over sizes, assert_close compares arrays of any library.
"""

import itertools
import os
import sys

from .runtime import timing
from .runtime.drivers import driver


def _clock():
    """The clock of the device that kernels run on now."""
    # Without torch there is no device but the host.
    return timing.HostClock() if "torch" not in sys.modules else timing.clock_of(driver.active)


def do_bench(fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode="mean"):
    """The time of `fn()` in milliseconds.

    It is called for up to `warmup` ms, not at all if something was timed just
    before, then timed for up to `rep` ms: on a device each time after its caches
    were swept, less often if sweeping would take more than three times as long;
    on the host with warm caches (`tz bench` has the same rule). Timing ends
    earlier once the mean, or the median if that or `quantiles` are asked for,
    is known to 1 %. `quantiles` asks for these instead of `return_mode`: one of
    "min", "max", "mean", "median", "all" (a list). Tensors in `grad_to_none`
    lose their gradient before each call.
    """
    return timing.bench(_clock(), fn, warmup, rep, grad_to_none, quantiles, return_mode)


def _array(value):
    import numpy
    if hasattr(value, "detach"):
        value = value.detach().cpu()
        if "bfloat16" in str(value.dtype) or "float8" in str(value.dtype):
            value = value.float()
        value = value.numpy()
    elif hasattr(value, "get") and type(value).__module__.startswith("cupy"):
        value = value.get()
    return numpy.asarray(value)


def assert_close(x, y, atol=None, rtol=None, err_msg=""):
    """AssertionError unless x and y, of any array library, have one shape and are equal within
    atol + rtol * abs(y). The tolerances are numbers or functions of a dtype; both are 1e-2 if left out.
    """
    import numpy
    x, y = _array(x), _array(y)
    atol, rtol = (1e-2 if t is None else t(x.dtype) if callable(t) else t for t in (atol, rtol))
    if x.size > 1 or y.size > 1:
        numpy.testing.assert_allclose(x, y, atol=atol, rtol=rtol, equal_nan=True, err_msg=err_msg)
    elif not numpy.allclose(x, y, atol=atol, rtol=rtol, equal_nan=True):
        raise AssertionError(f"{err_msg} {x} is not close to {y} (atol={atol}, rtol={rtol})".lstrip())


class Benchmark:
    """What perf_report runs: `x_names` take each of `x_vals`, one column for each of `line_vals`."""

    def __init__(self, x_names, x_vals, line_arg, line_vals, line_names, plot_name, args, xlabel="", ylabel="", x_log=False,
                 y_log=False, styles=None):
        if len(line_vals) != len(line_names):
            raise ValueError(f"line_vals has {len(line_vals)} entries, line_names {len(line_names)}")
        self.x_names, self.x_vals = list(x_names), list(x_vals)
        self.line_arg, self.line_vals, self.line_names = line_arg, list(line_vals), list(line_names)
        self.plot_name, self.args = plot_name, args
        self.xlabel, self.ylabel, self.x_log, self.y_log, self.styles = xlabel, ylabel, x_log, y_log, styles


class Table:
    """Rows of a report. Prints as text; `.to_dataframe()` with pandas."""

    def __init__(self, columns, rows):
        self.columns, self.rows = columns, rows

    def __str__(self):
        texts = [self.columns] + [[f"{v:.6f}" if isinstance(v, float) else str(v) for v in row] for row in self.rows]
        widths = [max(len(row[i]) for row in texts) for i in range(len(self.columns))]
        return "\n".join("  ".join(text.rjust(width) for text, width in zip(row, widths)) for row in texts)

    def to_csv(self, path):
        import csv
        with open(path, "w", newline="") as file:
            csv.writer(file).writerows([self.columns] + self.rows)

    def to_dataframe(self):
        import pandas
        return pandas.DataFrame(self.rows, columns=self.columns)


class Mark:
    """A function with its benchmarks; run() makes the reports."""

    def __init__(self, fn, benchmarks):
        self.fn = fn
        self.benchmarks = benchmarks

    def __call__(self, *args, **kwargs):
        return self.fn(*args, **kwargs)

    def _measure(self, bench, extra, diff_col):
        columns = bench.x_names + list(bench.line_names)
        spread = [[f"{name}-min", f"{name}-max"] for name in bench.line_names]
        rows, bounds = [], []
        for x in bench.x_vals:
            values = list(x) if isinstance(x, (list, tuple)) else [x] * len(bench.x_names)
            if len(values) != len(bench.x_names):
                raise ValueError(f"x_vals has {x!r} for the names {bench.x_names}")
            found, low_high = [], []
            for line in bench.line_vals:
                result = self.fn(**dict(zip(bench.x_names, values)), **{bench.line_arg: line}, **bench.args, **extra)
                result = tuple(result) if isinstance(result, (list, tuple)) else (result, None, None)
                found.append(float("nan") if result[0] is None else float(result[0]))
                low_high += result[1:3]
            rows.append(values + found)
            bounds.append(low_high)
        if bench.ylabel:
            columns = bench.x_names + [f"{name} ({bench.ylabel})" for name in bench.line_names]
        if diff_col and len(bench.line_vals) == 2:
            columns = columns + ["Diff"]
            rows = [row + [row[-1] - row[-2]] for row in rows]
        if any(value is not None for row in bounds for value in row):
            return Table(columns, rows), Table(list(itertools.chain(*spread)), bounds)
        return Table(columns, rows), None

    def _picture(self, bench, table, bounds):
        from . import plots

        series = []
        for i, name in enumerate(bench.line_names):
            style = bench.styles[i] if bench.styles and i < len(bench.styles) else (None, None)
            one = plots.Series(name, *style)
            for at, row in enumerate(table.rows):
                spread = bounds.rows[at][2 * i:2 * i + 2] if bounds else (None, None)
                one.add(row[0], row[len(bench.x_names) + i], *spread)
            series.append(one)
        kind = "lines" if all(isinstance(row[0], (int, float)) for row in table.rows) else "bars"
        panel = plots.Panel(kind, bench.xlabel or bench.x_names[0], bench.ylabel, series, x_log=bench.x_log, y_log=bench.y_log)
        code = getattr(self.fn, "__code__", None)
        origin = plots.origin(code.co_filename if code else "")
        clock = _clock()
        if isinstance(clock, timing.DeviceClock):
            origin["machine"]["device"] = clock.interface.get_device_name()
        return plots.Picture(bench.plot_name, plots.facts_of(origin), [panel])

    def _plot(self, bench, table, bounds, save_path, show_plots):
        from . import plots

        try:
            plots.require_matplotlib()
        except plots.PlotError as error:
            print(f"no plot of {bench.plot_name}: {error}", file=sys.stderr)
            return
        picture = self._picture(bench, table, bounds)
        if save_path:
            for kind in (".png", ".html"):
                picture.save(os.path.join(save_path, bench.plot_name + kind))
        if show_plots:
            from matplotlib import pyplot

            figure = picture.figure(pyplot.figure)
            pyplot.show()
            pyplot.close(figure)

    def run(self, show_plots=False, print_data=False, save_path="", return_df=False, diff_col=False, **kwargs):
        """Measures; prints a table if print_data; writes a CSV and pictures (.png, .html) below save_path; gives the tables
        (as pandas' DataFrames where pandas is installed) if return_df."""
        benchmarks = self.benchmarks if isinstance(self.benchmarks, (list, tuple)) else [self.benchmarks]
        if save_path:
            os.makedirs(save_path, exist_ok=True)
        tables = []
        for bench in benchmarks:
            table, bounds = self._measure(bench, kwargs, diff_col)
            if show_plots or save_path:
                self._plot(bench, table, bounds, save_path, show_plots)
            if print_data:
                print(f"{bench.plot_name}:")
                print(table)
            if save_path:
                table.to_csv(os.path.join(save_path, bench.plot_name + ".csv"))
            tables.append(table)
        if not return_df:
            return None
        try:
            tables = [table.to_dataframe() for table in tables]
        except ImportError:
            pass
        return tables if isinstance(self.benchmarks, (list, tuple)) else tables[0]


def perf_report(benchmarks):
    """Decorator: `benchmarks` is one Benchmark or a list; the function's run(print_data=True) measures."""
    return lambda fn: Mark(fn, benchmarks)
