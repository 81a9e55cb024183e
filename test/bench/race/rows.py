"""Rows of the race as a file of results (schema.json of test/bench/results), and back.

A row of the race is what replay.py says of one launch. In the file its samples are
microseconds by peer, why a peer has none is in `failed`, and the rest is in `facts`.
"""

import os
import statistics
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "results"))

import results  # noqa: E402

PEERS = ("triton", "terrazzo")


def write(path, what, versions, machine, rows):
    """versions: peer -> version. The file is whole or not there."""
    if os.environ.get("RACE_COMMIT"):
        os.environ.setdefault("TERRAZZO_BENCH_COMMIT", os.environ["RACE_COMMIT"])
    document = results.Results(what, versions, machine)
    for row in rows:
        facts = {key: value for key, value in row.items() if key not in (*PEERS, "ratio", "label") and value is not None}
        samples, failed = {}, {}
        for peer in PEERS:
            of_peer = dict(row.get(peer, {}))
            samples[peer] = of_peer.pop("samples", [])
            problem = of_peer.pop("problem", None) or row.get("problem")
            if problem:
                failed[peer] = problem
            of_peer.pop("us", None)
            facts[peer] = of_peer
        name = " ".join(filter(None, (row["kernel"], row.get("label"), row.get("id", row["file"])[:6])))
        document.row(name, "us", samples, failed=failed, facts=facts)
    document.write(path)


def read(path):
    """{"machine", "date", "commit", "peers", "what", "rows"}; rows as replay.py makes them. ValueError if it is no such file."""
    document = results.read(path)
    rows = []
    for row in document["rows"]:
        facts = dict(row.get("facts", {}))
        # The name is the kernel, its label, and the beginning of its id.
        facts["label"] = row["name"].removeprefix(facts.get("kernel", "")).rpartition(" ")[0].strip()
        for peer in PEERS:
            facts[peer] = dict(facts.get(peer, {}))
            if row["samples"].get(peer):
                facts[peer].update(samples=row["samples"][peer], us=round(statistics.median(row["samples"][peer]), 3))
            if peer in row.get("failed", {}):
                facts[peer]["problem"] = row["failed"][peer]
        if all(row["samples"].get(peer) for peer in PEERS):
            facts["ratio"] = round(facts["triton"]["us"] / facts["terrazzo"]["us"], 4)
        rows.append(facts)
    machine = document["machine"]
    return {"machine": machine.get("device", machine["processor"]), "date": document["date"], "commit": document["commit"],
            "what": document["what"], "peers": {peer["name"]: peer["version"] for peer in document["peers"]}, "rows": rows}
