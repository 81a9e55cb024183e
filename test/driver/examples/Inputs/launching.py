"""Runs kernels of docs/examples with `tz run --save` and reads their buffers.

The formulas beside this file compute in plain Python what the kernels should
have computed. They know nothing of the compiler or the interpreter: were the
two wrong in the same way, these would differ.
"""
import os
import shlex
import struct
import subprocess
import sys
import tempfile

EXAMPLES = sys.argv[1]
FORMATS = {"f16": "e", "f32": "f", "f64": "d", "i8": "b", "u8": "B", "i16": "h", "i32": "i", "i64": "q"}
WIDTHS = {"bf16": 2, "f8e4m3fn": 1}
# Half a step of the result's type, times the few roundings on the way to it.
PRECISION = {"f32": 4e-6, "f16": 2e-3, "bf16": 2e-2, "f64": 1e-12}


def from_bf16(data):
    return [struct.unpack("f", b"\0\0" + data[i:i + 2])[0] for i in range(0, len(data), 2)]


def from_e4m3(byte):
    sign, exponent, fraction = -1.0 if byte & 128 else 1.0, byte >> 3 & 15, byte & 7
    if exponent == 15 and fraction == 7:
        return float("nan")
    return sign * (fraction / 8 * 2.0**-6 if exponent == 0 else (1 + fraction / 8) * 2.0 ** (exponent - 7))


class Tensor:
    """The content of a buffer: floats or integers by index."""

    def __init__(self, path, type, shape):
        self.path, self.type, self.shape = path, type, shape
        with open(path, "rb") as file:
            data = file.read()
        if type == "bf16":
            self.values = from_bf16(data)
        elif type == "f8e4m3fn":
            self.values = [from_e4m3(byte) for byte in data]
        else:
            form = FORMATS[type]
            self.values = list(struct.unpack("<" + form * (len(data) // struct.calcsize(form)), data))

    def __getitem__(self, index):
        at = 0
        for i, size in zip(index if isinstance(index, tuple) else (index,), self.shape):
            assert 0 <= i < size, (index, self.shape)
            at = at * size + i
        return self.values[at]

    def __str__(self):
        return f"file({self.path}):{self.type}[{','.join(map(str, self.shape))}]"


class Launcher:
    """Each launch's buffers go to files of one folder, from which another can take them."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.count = 0

    def __call__(self, kernel, grid, constexprs={}, **args):
        """Runs file.py::kernel in the interpreter; the buffers among args as they are afterwards."""
        self.count += 1
        command = ["tz", "run", os.path.join(EXAMPLES, kernel), "--grid", str(grid), "--target", "interp"]
        buffers = {}
        for name, value in args.items():
            command += ["--arg", f"{name}={value}"]
            text = str(value)
            if text.endswith("]"):
                type, _, sizes = text[:-1].split(":")[-1].partition("[")
                if text.startswith("values"):
                    sizes = str(sizes.count(",") + 1)
                path = os.path.join(self.folder.name, f"{self.count}-{name}")
                buffers[name] = (path, type, tuple(map(int, sizes.split(","))))
                command += ["--save", f"{name}={path}"]
        for name, value in constexprs.items():
            command += ["--constexpr", f"{name}={value}"]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            sys.exit(shlex.join(command) + "\n" + done.stdout)
        return {name: Tensor(*buffer) for name, buffer in buffers.items()}


def indices(shape):
    if not shape:
        return [()]
    return [(i,) + rest for i in range(shape[0]) for rest in indices(shape[1:])]


def check(name, tensor, expected, precision=None):
    """Every element against expected(*index), within the precision of the tensor's largest one."""
    pairs = [(at, tensor[at], expected(*at)) for at in indices(tensor.shape)]
    largest = max(abs(wanted) for _, _, wanted in pairs)
    allowed = (PRECISION[tensor.type] if precision is None else precision) * largest
    at, got, wanted = max(pairs, key=lambda pair: (abs(pair[1] - pair[2]), pair[1] != pair[1]))
    for index, got_here, _ in pairs:
        if got_here != got_here:
            sys.exit(f"{name}{list(index)} is not a number")
    if largest == 0 or not abs(got - wanted) <= allowed:
        sys.exit(f"{name}{list(at)} is {got}, the formula says {wanted} (+- {allowed})")
    print(f"{name} agrees with the formula")
