"""What tests of profiles share."""

import json

import numpy as np


def children(node):
    """By their names."""
    return {child["frame"]["name"]: child for child in node["children"]}


def tree(path):
    """The root of a hatchet file."""
    return json.loads(path.read_text())[0]


def ones_and_zeros(length):
    """Arrays that a kernel reads and writes."""
    return np.ones(length, np.float32), np.zeros(length, np.float32)
