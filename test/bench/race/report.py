"""Tables and a plot of race's results."""

import math
import statistics
import sys

import rows as files


def geometric_mean(values):
    return math.exp(statistics.fmean(map(math.log, values))) if values else float("nan")


def _of(row, peer, key):
    value = row.get(peer, {}).get(key)
    return "" if value is None else str(value)


def table(rows, markdown):
    head = ["x Triton", "Triton us", "Terrazzo us", "registers", "spills", "shared", "kernel", "launch", "result"]
    lines = []
    for row in rows:
        lines.append([f"{row['ratio']:.2f}", f"{row['triton']['us']:.2f}", f"{row['terrazzo']['us']:.2f}",
                      *(_of(row, "triton", key) + "/" + _of(row, "terrazzo", key) for key in ("registers", "spills", "shared")),
                      row["kernel"], row.get("label", ""), row.get("comparison", "")])
    if markdown:
        return "\n".join("| " + " | ".join(line) + " |" for line in [head, ["---"] * len(head), *lines])
    widths = [min(60, max(len(line[i]) for line in [head, *lines])) for i in range(len(head))]
    return "\n".join("  ".join(cell[:width].ljust(width) for cell, width in zip(line, widths)).rstrip() for line in [head, *lines])


def summary(result, worst, markdown=False):
    rows = result["rows"]
    timed = sorted((row for row in rows if "ratio" in row), key=lambda row: row["ratio"])
    text = [f"{result['machine']}, {result['date']}, commit {result['commit']}, Triton {result['peers']['triton']}"]
    ratios = [row["ratio"] for row in timed]
    if ratios:
        below = ", ".join(f"{sum(r < bar for r in ratios)} below {bar}" for bar in (0.95, 0.85, 0.8, 0.5))
        text.append(f"{len(ratios)} rows timed: geometric mean {geometric_mean(ratios):.3f}, median {statistics.median(ratios):.3f}, "
                    f"least {ratios[0]:.2f}; {below}; {sum(r > 1.05 for r in ratios)} above 1.05")
    compiled = [(row["triton"]["first_call_s"], row["terrazzo"]["first_call_s"]) for row in rows
                if row.get("triton", {}).get("first_call_s") and row.get("terrazzo", {}).get("first_call_s")]
    if compiled:
        text.append(f"first call, compiling: geometric mean {geometric_mean([o / t for t, o in compiled]):.3f} of Triton's ({len(compiled)} rows)")
    groups = {}
    for row in rows:
        kind = row.get("comparison") or ("fails under Terrazzo alone" if "problem" in row.get("terrazzo", {}) and "problem" not in row.get("triton", {})
                                         else "fails under Triton alone" if "problem" in row.get("triton", {}) and "problem" not in row.get("terrazzo", {})
                                         else "fails under both" if "problem" in row.get("triton", {}) else "no result")
        groups.setdefault(kind, []).append(row)
    text.append("results: " + ", ".join(f"{len(found)} {kind}" for kind, found in sorted(groups.items())))
    text.append(table(timed[:worst], markdown))
    for kind in ("different", "fails under Terrazzo alone", "no result"):
        for row in groups.get(kind, [])[:40]:
            why = row.get("terrazzo", {}).get("problem") or row.get("problem") or f"error {row.get('error')}; with small numbers {row.get('small_values')}"
            text.append(f"{kind}: {row['kernel']} {row.get('label', '')}: {' '.join(why.split())[:240]}")
    return "\n".join(text)


def plot(results, path):
    try:
        import matplotlib
    except ImportError:
        sys.exit("race: a plot needs matplotlib: pip install matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(figsize=(9, 5))
    for result in results:
        ratios = sorted(row["ratio"] for row in result["rows"] if "ratio" in row)
        axes.plot([100 * (i + 0.5) / len(ratios) for i in range(len(ratios))], ratios,
                  label=f"{result['commit']}: {len(ratios)} rows, {geometric_mean(ratios):.2f}")
    axes.set_yscale("log", base=2)
    axes.axhline(1, color="gray", linewidth=0.8)
    axes.set_xlabel("rows, % of each corpus")
    axes.set_ylabel("device time of Triton / of Terrazzo")
    axes.set_title(f"{results[0]['machine']}, {results[0]['date'][:10]}, Triton {results[0]['peers']['triton']}")
    axes.legend()
    figure.savefig(path, bbox_inches="tight")


def main(options):
    try:
        results = [files.read(path) for path in options.results]
    except (OSError, ValueError) as error:
        sys.exit(f"race: {error}")
    for result in results:
        print(summary(result, options.worst, options.markdown) + "\n")
    if options.plot:
        plot(results, options.plot)
    return 0
