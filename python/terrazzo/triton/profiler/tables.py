"""Profiles as tables of the package hatchet, with the functions that scripts know from Proton's viewer.

Needs hatchet (`pip install llnl-hatchet`), which is imported when the first of them is called. A table is a GraphFrame:
a row for each scope and kernel, a column for each metric. Names of inclusive columns that were derived end in " (inc)".
"""

import importlib
import json

from ...profiler.hooks import LaunchHook
from ...profiler.states import COMPUTE_METADATA_SCOPE_NAME
from ...profiler.viewer import _FORMATS, _FRAME, _RATE, _SCALES, _TIME, _TIMES
from . import specs


def _package(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        raise ImportError(f"tables of profiles are of the package hatchet, and {name} is missing: pip install llnl-hatchet. "
                          "`tz profile view` shows profiles without it") from None


def _without_metadata(frame):
    """The frame without what only computes what kernels say of themselves, and without what is empty; None: nothing is left."""
    if frame["frame"]["name"] == COMPUTE_METADATA_SCOPE_NAME or not (frame["metrics"] or frame["children"]):
        return None
    kept = [child for child in map(_without_metadata, frame["children"]) if child is not None]
    return {**frame, "children": kept} if kept or not frame["children"] else None


def get_raw_metrics(file):
    """(table, inclusive columns, exclusive columns, devices) of an open file."""
    root, devices = json.load(file)
    table = _package("hatchet").GraphFrame.from_literal([frame for frame in [_without_metadata(root)] if frame])
    inclusive = table.show_metric_columns()
    return table, inclusive, [name for name in table.dataframe.columns if name not in inclusive], devices


def match_available_metrics(metrics, inclusive_metrics, exclusive_metrics):
    """The columns that are meant, whatever their case and without their unit. RuntimeError: one is not there."""
    wanted = metrics if isinstance(metrics, list) else [metrics]
    columns = {}
    for name in [*inclusive_metrics, *exclusive_metrics]:
        column = name + (" (inc)" if name in inclusive_metrics else "")
        for said in (name, name.partition("(")[0].strip().lower()):
            columns.setdefault(said, column)
    found = [columns[name.lower()] for name in wanted if name.lower() in columns]
    if not found:
        raise RuntimeError(f"Metric {wanted[-1] if wanted else ''} is not found. Use the --list flag to list available metrics")
    return found


def _least_seconds(table, devices, seconds_of):
    """Of each kernel the sum of seconds_of(type, device, its rows); kernels of other devices have 0."""
    times = _package("pandas").DataFrame(0.0, index=table.index, columns=["min_time"])
    for kind, numbered in devices.items():
        for number, device in numbered.items():
            rows = table["device_id"] == number
            for seconds in seconds_of(kind, device, table[rows]):
                times.loc[rows, "min_time"] += seconds
    return times


def get_min_time_flops(df, device_info):
    """The seconds that operations take at the devices' peak, as column min_time."""

    def seconds(kind, device, rows):
        for width in LaunchHook.flops_width:
            if f"flops{width}" in rows.columns:
                peak = specs.max_flops(kind, device["arch"], width, device["num_sms"], device["clock_rate"])
                yield rows[f"flops{width}"].fillna(0) / peak

    return _least_seconds(df, device_info, seconds)


def get_min_time_bytes(df, device_info):
    """The seconds that bytes take at the devices' peak, as column min_time."""

    def seconds(kind, device, rows):
        yield rows["bytes"] / specs.max_bps(kind, device["arch"], device["bus_width"], device["memory_clock_rate"])

    return _least_seconds(df, device_info, seconds)


class _Columns:
    """Columns that are computed from those of a table."""

    def __init__(self, table, inclusive, exclusive, devices):
        self.data, self.devices = table.dataframe, devices
        self.inclusive, self.exclusive = inclusive, exclusive

    def of(self, name):
        """The name of a column of the profile."""
        return match_available_metrics(name, self.inclusive, self.exclusive)[0]

    def seconds(self, clock):
        column = self.of(clock)
        return self.data[column] * _TIMES[column.split("(")[1].split(")")[0]] / 1e9

    def _utilization(self):
        least = get_min_time_flops(self.data, self.devices)["min_time"].combine(
            get_min_time_bytes(self.data, self.devices)["min_time"], max)
        return "util", (least / self.seconds("time")).where(self.data["device_id"].notna())

    def _rate(self, metric, rate):
        counted = self.of("bytes" if rate["what"] == "byte" else "flops" + (rate["width"] or ""))
        return metric + " (inc)", self.data[counted] / self.seconds("time") / _SCALES[rate["scale"]]

    def _time(self, metric, time):
        clock = time["clock"].removeprefix("avg_")
        value = self.seconds(clock) * 1e9 / _TIMES[time["unit"]]
        return metric + " (inc)", value / self.data[self.of("count")] if clock != time["clock"] else value

    def _share(self, metric, name):
        column = self.of(name)
        is_inclusive = column.endswith("(inc)")
        whole = self.data[column].iloc[0] if is_inclusive else self.data[column].sum()
        return metric + (" (inc)" if is_inclusive else ""), self.data[column] / whole * 100.0

    def derive(self, metric):
        """The column of a metric, which is there afterwards."""
        name, _, unit = metric.partition("/")
        if metric == "util":
            column, values = self._utilization()
        elif rate := _RATE.fullmatch(metric):
            column, values = self._rate(metric, rate)
        elif time := _TIME.fullmatch(metric):
            column, values = self._time(metric, time)
        elif unit == "%":
            column, values = self._share(metric, name)
        elif unit:
            raise ValueError(f"Unsupported unit {unit}")
        else:
            return self.of(name)
        self.data[column] = values
        return column


def derive_metrics(gf, metrics, inclusive_metrics, exclusive_metrics, device_info):
    """Adds the columns of metrics such as time/ms, avg_time/us, tflop16/s, gbyte/s, util, time/%; gives their names."""
    columns = _Columns(gf, inclusive_metrics, exclusive_metrics, device_info)
    derived = [columns.derive(metric) for metric in metrics]
    for name in derived:
        (gf.inc_metrics if name.endswith("(inc)") else gf.exc_metrics).append(name)
    return derived


def format_frames(gf, format):
    """Shortens frames of the program; see the viewer's --format."""
    text = _FORMATS.get(format)
    if text:
        gf.dataframe["name"] = gf.dataframe["name"].str.replace(f"^{_FRAME.pattern}$", text, regex=True)
    return gf


def filter_frames(gf, include=None, exclude=None, threshold=None, metric=None):
    """The rows whose path has a name that matches, none that matches, and whose metric is not below."""
    if include:
        gf = gf.filter(f'MATCH ("*")->(".", p)->("*")\nWHERE p."name" =~ "{include}"', squash=True)
    if exclude:
        negation = _package("hatchet.query").NegationQuery
        gf = gf.filter(negation(f'MATCH (".", p)->("*")\nWHERE p."name" =~ "{exclude}"'), squash=True)
    if threshold:
        gf = gf.filter(["*", {metric: f">= {threshold}"}], squash=True)
    return gf


def read(filename):
    """get_raw_metrics of a file, with sums over children."""
    with open(filename) as file:
        table, inclusive, exclusive, devices = get_raw_metrics(file)
    if not inclusive and not exclusive:
        raise ValueError(f"{filename}: the profile has no metrics")
    table.update_inclusive_columns()
    return table, inclusive, exclusive, devices


def parse(metrics, filename, include=None, exclude=None, threshold=None):
    """(table, names of its derived columns) of a file."""
    table, inclusive, exclusive, devices = read(filename)
    derived = derive_metrics(table, metrics, inclusive, exclusive, devices)
    return filter_frames(table, include, exclude, threshold, derived[0]), derived


def apply_diff_profile(gf, derived_metrics, diff_file, metrics, include, exclude, threshold):
    """The table without what another profile has."""
    other, _ = parse(metrics, diff_file, include, exclude, threshold)
    for table in (gf, other):
        table.inc_metrics = [name for name in derived_metrics if name.endswith("(inc)")]
        table.exc_metrics = [name for name in derived_metrics if not name.endswith("(inc)")]
    return gf.sub(other)


def print_tree(gf, metrics, depth=100, format=None, print_sorted=False):
    """Prints a table as a tree; print_sorted: also its rows by the first metric."""
    gf = format_frames(gf, format)
    print(gf.tree(metric_column=metrics, expand_name=True, depth=depth, render_header=False))
    if print_sorted:
        print(f"Sorted kernels by metric {metrics[0]}")
        for _, row in gf.dataframe.sort_values(by=[metrics[0]], ascending=False).iloc[1:].iterrows():
            print(f"{row['name'][:100]:105} {row[metrics[0]]:.4}")
