"""`triton.profiler.specs`: what devices can do at most, from their makers' data sheets."""

# Operations of 8 bits in one clock of a multiprocessor's matrix unit, dense. Of wider ones it does as many fewer.
_PER_CLOCK = {
    "CUDA": {"80": 4096, "86": 1024, "89": 1024, "90": 8192, "100": 16384},
    "HIP": {"gfx90a": 1024, "gfx942": 4096, "gfx950": 8192},
}
_BYTES_PER_SECOND = {"gfx90a": 3.2e12, "gfx942": 5.3e12, "gfx950": 8.0e12}


def _of(table, what, key):
    if key not in table:
        raise ValueError(f"{what} {key!r} is not known; known are {', '.join(table)}")
    return table[key]


def max_flops(device_type, arch, width, num_sms, clock_rate):
    """Operations per second on numbers of `width` bits; clock_rate in kHz. ValueError: the device is not known."""
    per_clock = _of(_of(_PER_CLOCK, "device type", device_type), "architecture", arch)
    return per_clock * num_sms * clock_rate * 1e3 / (width / 8)


def max_bps(device_type, arch, bus_width, memory_clock_rate):
    """Bytes per second of the memory; bus_width in bits, memory_clock_rate in kHz. ValueError: the device is not known."""
    _of(_PER_CLOCK, "device type", device_type)
    if device_type == "HIP":
        return _of(_BYTES_PER_SECOND, "architecture", arch)
    return 2 * bus_width / 8 * memory_clock_rate * 1e3  # two transfers in a clock
