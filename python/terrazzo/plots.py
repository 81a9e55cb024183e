"""Pictures of what was measured: lines over sizes, bars over configurations.

    tz bench ... --json times.json
    python -m terrazzo.plots times.json --output times.html

Reads the JSON of `tz bench --json`, and that of the benches in test/bench. Draws
with matplotlib (`pip install 'terrazzo[plot]'`) to .html, .svg or .png. A page
holds the picture and the figures, and opens without a network.
"""

import html
import io
import json
import os
import statistics
import sys

from .runtime import private_files

FORMATS = (".html", ".svg", ".png")
INSTALL = "pip install 'terrazzo[plot]'"

# Told apart by people who see few colours, too, and on white and in grey.
_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#8C6D31")
_MARKERS = "os^Dvp*X"


class PlotError(Exception):
    """What is wrong, in a sentence."""


class Series:
    """Values of one line, or of one colour of bars; `low` and `high` may be None. `color` and `dashes`
    are matplotlib's; None: chosen by the place in the list."""

    def __init__(self, name, color=None, dashes=None):
        self.color, self.dashes = color, dashes
        self.name, self.xs, self.ys, self.low, self.high = name, [], [], [], []

    def add(self, x, y, low=None, high=None):
        self.xs.append(x)
        self.ys.append(y)
        self.low.append(low)
        self.high.append(high)


class Panel:
    """One pair of axes. `kind`: "lines" over numbers or "bars" over names."""

    def __init__(self, kind, xlabel, ylabel, series, x_log=None, y_log=False):
        self.kind, self.xlabel, self.ylabel, self.series = kind, xlabel, ylabel, series
        xs = [x for one in series for x in one.xs]
        self.x_log = kind == "lines" and min(xs) > 0 and max(xs) >= 8 * min(xs) if x_log is None else x_log
        self.y_log = y_log


class Picture:
    """Panels one below the other, and who measured them where and when."""

    def __init__(self, title, facts, panels, command="", note=""):
        self.title, self.facts, self.panels, self.command, self.note = title, facts, panels, command, note

    def save(self, path):
        """Writes the file whole or not at all."""
        kind = suffix(path)
        data = self._page() if kind == ".html" else self._draw(kind[1:])
        try:
            private_files.replace(path, data, mode=0o666, makes_folders=False)
        except OSError as error:
            raise PlotError(f"{path}: cannot be written: {error.strerror}") from None

    def figure(self, make=None):
        """As matplotlib's Figure; `make` is pyplot.figure for one that is shown."""
        if make is None:
            from matplotlib.figure import Figure as make

        width = 9.0 if max((len(p.series) for p in self.panels), default=1) < 9 else 11.0
        figure = make(figsize=(width, 1.3 + 3.6 * len(self.panels)), layout="constrained")
        axes = figure.subplots(len(self.panels), 1, squeeze=False)[:, 0]
        for i, (panel, ax) in enumerate(zip(self.panels, axes)):
            (_lines if panel.kind == "lines" else _bars)(panel, ax)
            ax.set_xlabel(panel.xlabel)
            ax.set_ylabel(panel.ylabel)
            ax.set_axisbelow(True)
            ax.grid(True, color="#DDDDDD", linewidth=0.8)
            ax.spines[["top", "right"]].set_visible(False)
            if i == 0 and any(one.name for one in panel.series):
                ax.legend(fontsize="small", frameon=False, ncols=1 + len(panel.series) // 9,
                          loc="upper left", bbox_to_anchor=(1.0, 1.0))
        figure.suptitle(self.title, fontsize="x-large", fontweight="bold")
        below = "\n".join(filter(None, (" · ".join(self.facts), self.note)))
        if below:
            axes[0].set_title(below, fontsize="small", color="#555555")
        return figure

    def _draw(self, kind, text="path"):
        import matplotlib

        out = io.BytesIO()
        # Without these the same figures give other bytes each time.
        with matplotlib.rc_context({"svg.hashsalt": "terrazzo", "svg.fonttype": text}):
            self.figure().savefig(out, format=kind, dpi=150, facecolor="white",
                                  metadata={"Date": None} if kind == "svg" else None)
        return out.getvalue()

    def _page(self):
        drawn = self._draw("svg", text="none").decode()
        drawn = drawn[drawn.index("<svg"):]  # no XML declaration, no DTD of another server
        tables = "\n".join(_table(panel) for panel in self.panels)
        command = f"<p><code>{html.escape(self.command)}</code></p>" if self.command else ""
        return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{html.escape(self.title)}</title>
<style>
body {{ font-family: sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em; color: #222; background: #fff; }}
svg {{ max-width: 100%; height: auto; }}
table {{ border-collapse: collapse; margin: 1.5em 0; font-variant-numeric: tabular-nums; }}
th, td {{ padding: .25em .9em; text-align: right; border-bottom: 1px solid #ddd; }}
th:first-child, td:first-child {{ text-align: left; }}
caption {{ text-align: left; color: #555; padding-bottom: .4em; }}
code {{ color: #555; overflow-wrap: anywhere; }}
</style></head>
<body>
{drawn}
{tables}
{command}
</body></html>
""".encode()


def _short(value):
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _table(panel):
    places = list(dict.fromkeys(x for one in panel.series for x in one.xs))
    head = "".join(f"<th>{html.escape(one.name or panel.ylabel)}</th>" for one in panel.series)
    rows = []
    for place in places:
        cells = ""
        for one in panel.series:
            found = one.ys[one.xs.index(place)] if place in one.xs else None
            cells += f"<td>{'' if found is None else _short(float(found))}</td>"
        rows.append(f"<tr><td>{html.escape(str(place))}</td>{cells}</tr>")
    return (f"<table><caption>{html.escape(panel.ylabel)}</caption><thead><tr><th>{html.escape(panel.xlabel)}</th>{head}"
            f"</tr></thead><tbody>{''.join(rows)}</tbody></table>")


def _style(i, series):
    return (series.color or _COLORS[i % len(_COLORS)], _MARKERS[i % len(_MARKERS)],
            series.dashes or ("-", "--", ":")[i // len(_COLORS) % 3])


def _lines(panel, ax):
    for i, one in enumerate(panel.series):
        color, marker, dashes = _style(i, one)
        ax.plot(one.xs, one.ys, color=color, marker=marker, markersize=5, linestyle=dashes, label=one.name)
        if all(v is not None for v in one.low + one.high):
            ax.fill_between(one.xs, one.low, one.high, color=color, alpha=0.15, linewidth=0)
    if panel.x_log:
        ax.set_xscale("log", base=2)
        places = sorted({x for one in panel.series for x in one.xs})
        if len(places) <= 12:
            ax.set_xticks(places, [f"{p:,}" for p in places], rotation=30 if len(places) > 6 else 0)
            ax.minorticks_off()
    if panel.y_log:
        ax.set_yscale("log")
    elif all(y >= 0 for one in panel.series for y in one.ys):
        ax.set_ylim(bottom=0)


def _bars(panel, ax):
    names = list(dict.fromkeys(x for one in panel.series for x in one.xs))
    width = 0.8 / len(panel.series)
    for i, one in enumerate(panel.series):
        at = [names.index(x) + (i - (len(panel.series) - 1) / 2) * width for x in one.xs]
        known = all(v is not None for v in one.low + one.high)
        spread = [[y - v for y, v in zip(one.ys, one.low)], [v - y for y, v in zip(one.ys, one.high)]] if known else None
        ax.bar(at, one.ys, width * 0.92, color=_style(i, one)[0], label=one.name, yerr=spread,
               error_kw={"ecolor": "#444444", "elinewidth": 1, "capsize": 2})
    long = max(map(len, names), default=0) > 12 or len(names) > 6
    ax.set_xticks(range(len(names)), names, rotation=30 if long else 0, ha="right" if long else "center", fontsize="small")


def suffix(path):
    """".html", ".svg" or ".png"; else a PlotError."""
    kind = os.path.splitext(path)[1].lower()
    if kind not in FORMATS:
        raise PlotError(f"{path}: a picture ends in {', '.join(FORMATS)}")
    return kind


def require_matplotlib():
    """A PlotError with the command that installs it, if it is not there."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise PlotError(f"pictures are drawn by matplotlib, which is not installed; install it with: {INSTALL}") from None


def origin(path):
    """Machine, commit of the folder of a file, and date, as tz bench writes them."""
    import datetime
    import platform
    import subprocess

    processor = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            processor = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), processor)
    except OSError:
        pass
    folder, commit = os.path.dirname(os.path.abspath(path)), "unknown"
    try:
        head = subprocess.run(["git", "-C", folder, "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
        if head.returncode == 0:
            changed = subprocess.run(["git", "-C", folder, "diff", "--quiet", "HEAD"], capture_output=True).returncode == 1
            commit = head.stdout.strip() + ("+changes" if changed else "")
    except OSError:
        pass  # no git
    now = datetime.datetime.now(datetime.timezone.utc)
    return {"machine": {"processor": processor}, "commit": commit, "date": now.strftime("%Y-%m-%dT%H:%M:%SZ")}


def facts_of(document):
    """Machine, versions, commit and date, as the title has them."""
    machine = document.get("machine", {})
    where = machine.get("device") or machine.get("processor", "")
    commit = document.get("commit", "unknown")
    date = document.get("date", "").replace("T", " ").removesuffix("Z")
    return [part for part in (where, f"commit {commit}", f"{date} UTC" if date else "") if part]


def _number(text):
    try:
        return float(text) if "." in str(text) or "e" in str(text) else int(text)
    except ValueError:
        return None


def _unit(nanoseconds):
    """Divisor and name for times of this order."""
    for size, name in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")):
        if nanoseconds >= size:
            return size, name
    return 1, "ns"


def _of_tz_bench(document):
    """Panels of `tz bench --json`: rates, if they are known, above times."""
    rows = [row for row in document["results"] if "median_ns" in row]
    if not rows:
        raise PlotError("nothing was measured, so there is nothing to draw")
    varied = [name for name in rows[0]["values"] if len({row["values"][name] for row in rows}) > 1]
    sizes = [name for name in varied if all(_number(row["values"][name]) is not None for row in rows)]
    several_targets = len({row["target"] for row in rows}) > 1

    def label(row, without):
        parts = [f"{name}={row['values'][name]}" for name in varied if name != without]
        if "configuration" in row:
            parts.append(f"#{row['configuration']} {row['configuration_text']}")
        return " ".join(parts)

    x = max(sizes, key=lambda name: len({row["values"][name] for row in rows}), default=None)
    scale, unit = _unit(statistics.median(row["median_ns"] for row in rows))
    ways = [(f"time ({unit})", lambda row, ns: ns / scale)]
    if all(row.get("flops") for row in rows):
        ways.insert(0, ("TFLOP/s", lambda row, ns: row["flops"] / ns / 1e3))
    elif all(row.get("bytes") for row in rows):
        ways.insert(0, ("GB/s", lambda row, ns: row["bytes"] / ns))
    panels = []
    for ylabel, value in ways if x else ways[-1:]:
        series = {}
        for row in rows:
            target = row["target"] if several_targets else ""
            name = " ".join(filter(None, (target, label(row, x)))) if x else target
            at = _number(row["values"][x]) if x else label(row, None) or row["target"]
            edges = sorted((value(row, row["low_ns"]), value(row, row["high_ns"])))
            series.setdefault(name, Series(name)).add(at, value(row, row["median_ns"]), *edges)
        if x:
            for one in series.values():
                order = sorted(range(len(one.xs)), key=one.xs.__getitem__)
                for values in (one.xs, one.ys, one.low, one.high):
                    values[:] = [values[i] for i in order]
        values = [y for one in series.values() for y in one.ys]
        # Times over sizes span orders; on a linear axis the small ones are one line.
        isTime = ylabel.startswith("time")
        panels.append(Panel("lines" if x else "bars", x or "configuration", ylabel, list(series.values()),
                            y_log=bool(x) and isTime and max(values) >= 10 * min(values)))
    return panels, "medians; from 10 to 90 % of the launches: " + ("shaded" if x else "the thin lines")


def _of_results(document):
    """Panels of the benches' common form: bars of medians, one panel a unit."""
    units = {}
    for row in document["rows"]:
        for peer, samples in row["samples"].items():
            series = units.setdefault((row["unit"], row["better"]), {})
            ordered = sorted(samples)
            low, high = ordered[len(ordered) // 10], ordered[-1 - len(ordered) // 10]
            series.setdefault(peer, Series(peer)).add(row["name"], statistics.median(samples), low, high)
    if not units:
        raise PlotError("nothing was measured, so there is nothing to draw")
    panels = [Panel("bars", "", f"{unit} ({better} is better)", list(series.values()))
              for (unit, better), series in units.items()]
    return panels, "medians; from 10 to 90 % of the samples: the thin lines"


def picture_of(document):
    """The Picture of a JSON document of tz bench or of test/bench."""
    try:
        if "results" in document:
            title, (panels, note) = document["kernel"], _of_tz_bench(document)
        else:
            title, (panels, note) = document["what"], _of_results(document)
    except (KeyError, TypeError, ValueError) as error:
        raise PlotError(f"this is not the JSON of a bench of Terrazzo ({error!r})") from None
    command = document.get("command", "")
    return Picture(title, facts_of(document), panels, " ".join(command) if isinstance(command, list) else command,
                   note)


def main(arguments):
    """The command; gives the exit status: 1 where no picture can be made."""
    import argparse

    parser = argparse.ArgumentParser(prog="python -m terrazzo.plots", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", default="-", help="JSON; -: standard input")
    parser.add_argument("--output", required=True, metavar="FILE", help=f"ends in {', '.join(FORMATS)}")
    parser.add_argument("--check", action="store_true", help="only say whether a picture could be drawn")
    options = parser.parse_args(arguments)
    try:
        suffix(options.output)
        require_matplotlib()
        if options.check:
            return 0
        try:
            with open(0 if options.file == "-" else options.file, encoding="utf-8") as file:
                document = json.load(file)
        except OSError as error:
            raise PlotError(f"{options.file}: {error.strerror}") from None
        except ValueError as error:
            raise PlotError(f"{options.file}: no JSON: {error}") from None
        picture_of(document).save(options.output)
    except PlotError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
