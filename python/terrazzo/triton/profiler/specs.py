"""`triton.profiler.specs`: what devices can do at most, from their makers' data sheets."""

# Dense operations of 8 bits on matrix units; of wider numbers they are as many fewer. Data sheets tell those of a
# multiprocessor in a clock; or of a part in a second, with its multiprocessors and its clock in kHz (none: of any part of that
# architecture). They are Proton's figures, so that both tell one utilisation.
_OPERATIONS = {
    "CUDA": {"80": (624e12, None, None), "86": 1024, "89": (330.3e12, None, None), "90": (1513e12, 114, 1755e3), "100": 16384},
    "HIP": {"gfx90a": 1024, "gfx942": 4096, "gfx950": 8192},
}
_BYTES_PER_SECOND = {"gfx90a": 3.2e12, "gfx942": 5.3e12, "gfx950": 8.0e12}


def _of(table, what, key):
    if key not in table:
        raise ValueError(f"{what} {key!r} is not known; known are {', '.join(table)}")
    return table[key]


def max_flops(device_type, arch, width, num_sms, clock_rate):
    """Operations per second on numbers of `width` bits; clock_rate in kHz. ValueError: the device is not known."""
    told = _of(_of(_OPERATIONS, "device type", device_type), "architecture", arch)
    if not isinstance(told, tuple):
        return told * num_sms * clock_rate * 1e3 / (width / 8)
    most, of_sms, of_clock = told
    return most / (width / 8) * (num_sms / of_sms * (clock_rate / of_clock) if of_sms else 1)


def max_bps(device_type, arch, bus_width, memory_clock_rate):
    """Bytes per second of the memory; bus_width in bits, memory_clock_rate in kHz. ValueError: the device is not known."""
    _of(_OPERATIONS, "device type", device_type)
    if device_type == "HIP":
        return _of(_BYTES_PER_SECOND, "architecture", arch)
    return 2 * bus_width / 8 * memory_clock_rate * 1e3  # two transfers in a clock
