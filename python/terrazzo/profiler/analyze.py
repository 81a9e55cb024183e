"""Says what limits a program: python -m terrazzo.profiler.analyze run.hatchet

Reads a tree or a trace that a session wrote, and applies each rule of terrazzo.profiler.rules. A rule that cannot show
figures says nothing. Of peaks that are not given, and not measured, nothing is said that needs them.
"""

import argparse
import json
import sys

from . import peaks, rules
from .states import COMPUTE_METADATA_SCOPE_NAME
from .statements import Statements

_PART_CLOCKS = ("cycles", "steps")


def _add_parts(kernel, node, path=()):
    for child in node["children"]:
        metrics = child["metrics"]
        clock = next((name for name in _PART_CLOCKS if name in metrics), None)
        if clock is None:
            continue
        inner = (*path, child["frame"]["name"])
        cycles, visits = kernel.parts.get(inner, (0, 0))
        kernel.parts[inner] = (cycles + metrics[clock], visits + metrics.get("visits", 0))
        _add_parts(kernel, child, inner)


def _add_samples(kernel, node):
    for child in node["children"]:
        metrics = child["metrics"]
        if "num_samples" in metrics:
            line = kernel.samples.setdefault(child["frame"]["name"].rpartition("@")[0] or child["frame"]["name"], {})
            line[""] = line.get("", 0) + metrics["num_samples"]
            for name, count in metrics.items():
                if name.startswith("stalled_"):
                    line[name[8:]] = line.get(name[8:], 0) + count


def _of_kernels(node):
    own = node["metrics"].get("time (ns)", 0) if "count" in node["metrics"] else 0
    return own + sum(_of_kernels(child) for child in node["children"])


def _add_facts(kernel, metrics, devices):
    """Of its code and grid."""
    kernel.programs += metrics.get("programs", 0)
    kernel.threads, kernel.registers, kernel.spill_bytes = (metrics.get(key, 0) for key in ("threads", "registers", "spill_bytes"))
    kernel.cores = devices.get(metrics.get("device_type"), {}).get(metrics.get("device_id"), {}).get("num_sms", 0)


def _read_tree(node, profile, devices, path=()):
    for child in node["children"]:
        name, metrics = child["frame"]["name"], child["metrics"]
        if name == COMPUTE_METADATA_SCOPE_NAME:
            profile.metadata_ns += _of_kernels(child)
            continue
        if name == "<samples>":  # of kernels that stand in several places, or in none
            for one in child["children"]:
                _add_samples(profile.kernels.setdefault(one["frame"]["name"], rules.Kernel(one["frame"]["name"])), one)
        elif metrics.get("count"):
            kernel = profile.kernels.setdefault(name, rules.Kernel(name))
            kernel.ns += metrics.get("time (ns)", 0)
            kernel.count += metrics["count"]
            kernel.bytes += metrics.get("bytes", 0)
            kernel.flops += sum(metrics.get(key, 0) for key in ("flops", "flops8", "flops16", "flops32", "flops64"))
            _add_facts(kernel, metrics, devices)
            _add_parts(kernel, child)
            _add_samples(kernel, child)
        else:
            if "cpu_time (ns)" in metrics:
                profile.scopes.append(((*path, name), metrics["cpu_time (ns)"], _of_kernels(child)))
            _read_tree(child, profile, devices, (*path, name))


def _read_trace(content, profile):
    profile.events = [event for event in content["traceEvents"] if event.get("ph") == "X"]
    for event in profile.events:
        if event.get("cat") in ("kernel", "copy", "fill"):
            kernel = profile.kernels.setdefault(event["name"], rules.Kernel(event["name"]))
            kernel.ns += event["dur"] * 1e3
            kernel.count += 1
            kernel.bytes += event["args"].get("bytes", 0)
            kernel.flops += sum(event["args"].get(key, 0) for key in ("flops", "flops8", "flops16", "flops32", "flops64"))


def read(path):
    """The profile of a file, for rules. ValueError: it is none."""
    with open(path, encoding="utf-8") as file:
        try:
            content = json.load(file)
        except ValueError as error:
            raise ValueError(f"{path}: no profile ({error})") from None
    profile = rules.Profile({}, [], statements=Statements.of(path))
    try:
        if isinstance(content, dict):
            _read_trace(content, profile)
        else:
            _read_tree(content[0], profile, content[1] if len(content) > 1 else {})
    except (KeyError, IndexError, TypeError, AttributeError):
        raise ValueError(f"{path}: no profile: a tree of frames or a trace is expected") from None
    return profile


def findings(profile):
    """What rules say of a profile, the largest share first."""
    return sorted((found for one in rules.RULES.values() for found in one(profile)), key=lambda found: -found.share)


def main(arguments=None, program="python -m terrazzo.profiler.analyze"):
    """The command; gives the exit status: 1 where the file is no profile."""
    parser = argparse.ArgumentParser(prog=program, description=__doc__.partition("\n")[0])
    parser.add_argument("file", help="what finalize() wrote: NAME.hatchet or NAME.chrome_trace")
    parser.add_argument("--peak-bytes", type=float, metavar="GB/S", help="of the device's memory")
    parser.add_argument("--peak-flops", type=float, metavar="TFLOP/S", help="of the units that the kernels use")
    parser.add_argument("--measure", action="store_true", help="measure peaks that are not given, on the device that launches would use")
    given = parser.parse_args(arguments)
    try:
        profile = read(given.file)
    except (OSError, ValueError) as error:
        print(f"analyze: {error}", file=sys.stderr)
        return 1
    profile.peak_bytes = given.peak_bytes and given.peak_bytes * 1e9
    profile.peak_flops = given.peak_flops and given.peak_flops * 1e12
    if given.measure:
        profile.peak_bytes = profile.peak_bytes or peaks.bytes_per_second()
        profile.peak_flops = profile.peak_flops or peaks.flops_per_second()
        print(f"this machine: {profile.peak_bytes / 1e9:.1f} GB/s, {profile.peak_flops / 1e12:.3f} TFLOP/s (f32)")
    found = findings(profile)
    for one in found:
        print(one.text())
    if not found:
        print(f"{len(rules.RULES)} rules, and none has figures that show anything")
    return 0


if __name__ == "__main__":
    sys.exit(main())
