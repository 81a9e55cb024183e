"""What an assembly text of AMDGCN says of a kernel, whoever wrote it. No times.

Formulas, written down before anything was measured:

registers       VGPRs (AGPRs among them), AGPRs, SGPRs, spills of both: the metadata of the kernel.
loop            The innermost loop with the most matrix instructions; without any, with the most bytes that are loaded from
                memory. A loop is a strongly connected set of blocks; blocks end at branches and labels. Where there is no
                loop, the whole kernel takes its place.
matrix          v_mfma, v_wmma, v_smfmac of the loop; share: of its instructions.
fused           Multiply-adds of the loop by lanes: v_fma, v_fmac, v_mad, v_dot of floats. Of pk forms each counts once. In a
                kernel with a dot that has no matrix instruction they do the product.
waits           s_waitcnt and s_wait_*cnt of the loop.
width           Bytes that a lane moves by one load or store of memory (global, flat, buffer; not scratch, not atomics) of
                the loop: the widest, and the mean over those instructions. Narrow ones count 1 and 2 bytes.
product         Multiply-adds of the loop's matrix instructions, of a wave: rows x columns x depth.
bytes in flight The most bytes of loads of memory, of a workgroup, that are on their way at once. The loop's instructions are
                walked three times in the order in which they stand. A load adds its width times the lanes of a wave; a wait
                for at most n removes all but the newest n loads and stores. Loads straight to LDS count. The largest sum,
                times the waves of the workgroup. Branches are taken to be passed: an upper bound where loads are in arms.
of operands     Bytes in flight, over the bytes that one iteration loads.

A kernel may have several variants; the figures are of the one that a launch takes whose sizes divide: the first one.
"""

import re

LOADS = re.compile(r"^(global|flat|buffer)_load_(?:lds_)?(\w+)$")
STORES = re.compile(r"^(global|flat|buffer)_store_(\w+)$")
WIDTHS = {"ubyte": 1, "sbyte": 1, "u8": 1, "i8": 1, "byte": 1, "b8": 1, "ushort": 2, "sshort": 2, "short": 2, "u16": 2, "i16": 2, "b16": 2,
          "dword": 4, "b32": 4, "dwordx2": 8, "b64": 8, "dwordx3": 12, "b96": 12, "dwordx4": 16, "b128": 16}
MATRIX = re.compile(r"^v_(mfma|wmma|smfmac)_.*?_(\d+)x(\d+)x(\d+)")
FUSED = re.compile(r"^v_(dual_|pk_)?(fma|fmac|mad|dot)\w*_(f16|f32|f64|bf16|mix)|^v_(fma|mad)_mix")
COUNTED = {"agpr": ".agpr_count", "sgpr": ".sgpr_count", "vgpr": ".vgpr_count", "sgpr_spills": ".sgpr_spill_count",
           "vgpr_spills": ".vgpr_spill_count", "lds": ".group_segment_fixed_size", "scratch": ".private_segment_fixed_size"}


def width(form):
    """Bytes of one lane; d16 forms move one or two."""
    form = re.sub(r"_e(32|64)$", "", form)
    if "d16" in form:
        return 1 if re.search(r"byte|[iu]8|b8", form) else 2
    return WIDTHS.get(form, 0)


class Block:
    def __init__(self, label):
        self.label, self.code, self.next = label, [], set()


def blocks_of(lines):
    """Blocks of one function, in the order in which they stand, with those behind each as numbers."""
    blocks = [Block(None)]
    for line in lines:
        text = line.split(";")[0].split("//")[0].strip()
        label = re.match(r"^([.\w$]+):$", text)
        if label:
            blocks.append(Block(label.group(1)))
        elif text and not text.startswith("."):
            if blocks[-1].code and re.match(r"s_(c?branch|endpgm|setpc)", blocks[-1].code[-1]):
                blocks.append(Block(None))
            blocks[-1].code.append(text)
    at = {block.label: i for i, block in enumerate(blocks) if block.label}
    for i, block in enumerate(blocks):
        last = block.code[-1].split() if block.code else [""]
        if last[0].startswith(("s_branch", "s_cbranch")):
            block.next.add(at[last[1]])
        if not last[0].startswith(("s_branch", "s_endpgm", "s_setpc")) and i + 1 < len(blocks):
            block.next.add(i + 1)
    return blocks


def components(blocks, among):
    """Sets of blocks that reach each other, with a cycle."""
    def reached(root, edges, seen):
        stack, order = [(root, iter(edges(root)))], []
        seen.add(root)
        while stack:
            node, left = stack[-1]
            following = next((n for n in left if n in among and n not in seen), None)
            if following is None:
                order.append(node)
                stack.pop()
            else:
                seen.add(following)
                stack.append((following, iter(edges(following))))
        return order

    before = {i: [j for j in among if i in blocks[j].next] for i in among}
    seen, order = set(), []
    for root in sorted(among):
        if root not in seen:
            order += reached(root, lambda i: sorted(blocks[i].next), seen)
    seen = set()
    for root in reversed(order):
        if root not in seen:
            found = set(reached(root, lambda i: before[i], seen))
            if len(found) > 1 or root in blocks[root].next:
                yield found, before


def innermost(blocks, among):
    for loop, before in components(blocks, among):
        entries = [i for i in loop if i == 0 or any(j not in loop for j in before[i])]
        inner = list(innermost(blocks, loop - {entries[0] if entries else min(loop)}))
        yield from inner or [loop]


def name_of(line):
    return re.sub(r"_e(32|64)$", "", line.split()[0])


def is_load(line):
    found = LOADS.match(name_of(line))
    return width(found.group(2)) if found else 0


def is_store(line):
    found = STORES.match(name_of(line))
    return width(found.group(2)) if found else 0


def bytes_in_flight(code, lanes, waves):
    """See the formula. gfx12 has a counter of loads of its own, gfx11 one of stores."""
    own_stores = any(re.match(r"s_waitcnt_vscnt|s_wait_storecnt", line) for line in code)
    flying, most = [], 0
    for line in code * 3:
        if is_load(line):
            flying.append(is_load(line) * lanes)
        elif is_store(line) and not own_stores:
            flying.append(0)
        waits = re.search(r"vmcnt\((\d+)\)", line) or re.match(r"s_wait_loadcnt\S*\s+(0x[0-9a-f]+|\d+)", line)
        if waits:
            left = int(waits.group(1), 0)
            flying = flying[len(flying) - left:] if left else []
        most = max(most, sum(flying))
    return most * waves


def metadata_of(text):
    """Figures by the kernels' names, from the notes."""
    found = {}
    notes = text[text.index("amdhsa.kernels:"):]
    for kernel in re.split(r"\n  - ", notes)[1:]:
        name = re.search(r"\n    \.name:\s+(\S+)", "\n    " + kernel)
        if name:
            found[name.group(1)] = {key: int(re.search(re.escape(word) + r":\s+(\d+)", kernel).group(1)) for key, word in COUNTED.items()
                                    if re.search(re.escape(word) + r":\s+\d+", kernel)}
            found[name.group(1)].setdefault("agpr", 0)
    return found


def bodies_of(text):
    """Lines of each kernel, in order."""
    for found in re.finditer(r"^(\w+):[^\n]*\n(.*?)^\.Lfunc_end", text, re.M | re.S):
        yield found.group(1), found.group(2).splitlines()


def figures(text, lanes, waves, shared=None):
    """Of the first kernel of an assembly text; `shared`: LDS in bytes where the launch gives it."""
    notes = metadata_of(text)
    name, lines = next((name, lines) for name, lines in bodies_of(text) if name in notes)
    blocks = blocks_of(lines)
    loops = [sorted(loop) for loop in innermost(blocks, set(range(len(blocks))))]

    def code_of(loop):
        return [line for i in loop for line in blocks[i].code]

    def weight(loop):
        code = code_of(loop)
        return (sum(bool(MATRIX.match(line)) for line in code), sum(map(is_load, code)), len(code))

    loop = max(loops, key=weight, default=None)
    if loop is None or weight(loop)[:2] == (0, 0):
        loop = range(len(blocks))
    code = code_of(loop)
    matrix = [MATRIX.match(line) for line in code if MATRIX.match(line)]
    accesses = [is_load(line) or is_store(line) for line in code if is_load(line) or is_store(line)]
    flying = bytes_in_flight(code, lanes, waves)
    loaded = sum(map(is_load, code)) * lanes * waves
    everything = [line for block in blocks for line in block.code]
    return {"kernel": name, **notes[name], "lds": notes[name]["lds"] if shared is None else shared,
            "has_loop": not isinstance(loop, range), "instructions": len(everything), "loop": len(code),
            "branches": sum(line.startswith("s_cbranch") for line in code),
            "matrix": len(matrix), "matrix_of_kernel": sum(bool(MATRIX.match(line)) for line in everything),
            "fused": sum(bool(FUSED.match(line)) for line in code),
            "product": sum(int(m.group(2)) * int(m.group(3)) * int(m.group(4)) for m in matrix),
            "waits": sum(bool(re.match(r"s_wait(cnt|_\w*cnt)", line)) for line in code),
            "barriers": sum(bool(re.match(r"s_barrier(_wait)?$", line.split()[0])) for line in code),
            "lds_accesses": sum(line.startswith("ds_") for line in code),
            "widest": max(accesses, default=0), "mean_width": round(sum(accesses) / len(accesses), 2) if accesses else 0,
            "loaded": loaded, "in_flight": flying}
