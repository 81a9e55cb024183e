"""Compiles cases under Triton for one machine, without a GPU. Run by table.py with the interpreter that has Triton.

    PYTHON peer.py ARCH EXAMPLES CASE...     prints a line of JSON for each case: its assembly, LDS and warps, or why there is none
"""

import importlib
import json
import os
import sys

import cases


def compiled(case, arch):
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    import triton
    function = getattr(importlib.import_module(case.file[:-len(".py")]), case.function)
    signature, attributes = {}, {}
    for i, (name, kind) in enumerate(cases.arguments_of(function.arg_names, case)):
        signature[name] = kind.split(":")[0] if kind else "constexpr"
        # What a launch would find out: divisible by 16, and arrays below 2 GiB.
        promised = ([["tt.divisibility", 16]] if kind and kind.endswith(":16") else []) + ([["tt.pointer_range", 32]] if kind and kind[0] == "*" else [])
        if promised:
            attributes[(i,)] = promised
    lanes = 32 if arch.startswith("gfx1") else 64
    kernel = triton.compile(ASTSource(function, signature, case.constants, attributes), target=GPUTarget("hip", arch, lanes), options=case.options)
    return {"text": kernel.asm["amdgcn"], "lds": kernel.metadata.shared, "warps": kernel.metadata.num_warps, "lanes": kernel.metadata.warp_size}


def main():
    arch, examples, *names = sys.argv[1:]
    sys.path.insert(0, examples)
    for case in cases.CASES:
        if case.name in names:
            try:
                print(json.dumps(compiled(case, arch)), flush=True)
            except Exception as problem:
                print(json.dumps({"failed": f"{type(problem).__name__}: {problem}".splitlines()[0][:200]}), flush=True)


if __name__ == "__main__":
    if os.environ.get("TRITON_CACHE_DIR") is None:
        sys.exit("peer.py: TRITON_CACHE_DIR is not set; table.py sets it, so that nothing is taken from an earlier run")
    main()
