"""Prints the records of a jitdump file, for lines.test: kind, name, lines.

Fails on anything that perf's specification of the format does not allow.
"""
import struct
import sys

data = open(sys.argv[1], "rb").read()
magic, version, size, machine, _, pid, _, flags = struct.unpack_from("<6I2Q", data)
assert (magic, version, size, machine, flags) == (0x4A695444, 1, 40, 62, 0), "header"
at, last, pending = size, 0, None
while at < len(data):
    kind, total, when = struct.unpack_from("<2IQ", data, at)
    assert total > 16 and at + total <= len(data) and when >= last, "record"
    last = when
    body, end = at + 16, at + total
    if kind == 2:
        address, count = struct.unpack_from("<2Q", data, body)
        body += 16
        rows = []
        for _ in range(count):
            place, line, discriminator = struct.unpack_from("<Q2I", data, body)
            name_end = data.index(0, body + 16, end)
            rows.append((place - address, line, data[body + 16:name_end].decode()))
            body = name_end + 1
        assert body == end and discriminator == 0, "lines"
        assert rows == sorted(rows, key=lambda row: row[0]), "order"
        pending = (address, rows)
    elif kind == 0:
        owner, thread, vma, address, code, index = struct.unpack_from("<2I4Q", data, body)
        name_end = data.index(0, body + 40, end)
        name = data[body + 40:name_end].decode()
        assert owner == pid and vma == address and name_end + 1 + code == end, "code"
        print("function", name)
        if pending:
            assert pending[0] == address, "lines of another function"
            assert all(0 <= offset < code for offset, _, _ in pending[1]), "lines outside"
            for _, line, file in pending[1]:
                print("  line", line, file.split("/")[-1])
        pending = None
    else:
        raise SystemExit(f"unknown record {kind}")
    at = end
assert pending is None, "lines without code"
