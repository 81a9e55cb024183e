"""Element types: names, widths and numbers have one table, include/terrazzo/ElementTypes.def."""

import pathlib

import numpy as np
import pytest

import terrazzo
import terrazzo.triton as triton
import terrazzo.triton.language as tl
from terrazzo import _native, knobs

ROWS = {signature: (language, kind, bits, mantissa, bias)
        for signature, language, kind, bits, mantissa, bias in _native.ELEMENT_TYPES}
OF_NUMPY = {"bool": "u1", "float16": "fp16", "float32": "fp32", "float64": "fp64",
            **{f"{sign}int{bits}": f"{sign or 'i'}{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}}


@triton.jit
def touch(x, n):
    tl.store(x, tl.load(x))


@triton.jit
def fixed(x, n: tl.uint16, a: "fp64", b: "bf16", c: "i1", d: bool):
    tl.store(x, n)


def signature_of(launch):
    told = []
    with knobs.runtime.scope():
        knobs.runtime.jit_cache_hook = lambda **facts: told.append(facts["compile"]["signature"]) or True
        launch()
    signature, = told
    return signature


@pytest.mark.parametrize("signature", ROWS)
def test_dtypes_are_those_of_the_table(signature):
    language, kind, bits, mantissa, bias = ROWS[signature]
    type_ = getattr(tl, language)
    assert tl.str_to_ty(signature) == tl.str_to_ty(language) == type_ and tl.str_to_ty("*" + signature).element_ty == type_
    assert type_.primitive_bitwidth == bits and type_.is_floating() == (kind == "float")
    assert type_.is_int_signed() == (kind == "signed") and type_.is_bool() == (kind == "bool")
    assert repr(type_) == f"triton.language.{language}" and str(type_) == (signature if kind == "float" else language)
    if kind == "float":
        assert type_.fp_mantissa_width == mantissa and type_.exponent_bias == bias
        assert type_.is_standard_floating() == (bits > 8)


def test_each_type_has_one_row():
    assert len(ROWS) == len(_native.ELEMENT_TYPES) == 18
    names = [name for row in _native.ELEMENT_TYPES for name in {*row[:2]}] + [alias for alias, _ in _native.ELEMENT_ALIASES]
    assert len(names) == len(set(names)) and {name for _, name in _native.ELEMENT_ALIASES} <= ROWS.keys()
    assert all(tl.str_to_ty(alias) == tl.str_to_ty(name) for alias, name in _native.ELEMENT_ALIASES)


@pytest.mark.parametrize("name", OF_NUMPY)
def test_arrays_of_numpy(name):
    array = np.zeros(8, name)
    assert signature_of(lambda: touch[(1,)](array, 3))["x"] == "*" + OF_NUMPY[name]
    bits = ROWS[OF_NUMPY[name]][2]
    assert array.itemsize == max(bits // 8, 1)


@pytest.mark.parametrize("signature", ROWS)
def test_arrays_that_are_types(signature):
    """Among them those that NumPy does not have."""
    told = signature_of(lambda: touch.warmup(getattr(tl, ROWS[signature][0]), 3, grid=(1,)))
    assert told["x"] == "*" + signature


def test_annotations_fix_types():
    told = signature_of(lambda: fixed[(1,)](np.zeros(8, np.uint16), 3, 2, 1.5, 1, True))
    assert told == {"x": "*u16", "n": "u16", "a": "fp64", "b": "bf16", "c": "u1", "d": "u1"}


@pytest.mark.parametrize("number, type_", [(-1, "i32"), (2**31, "i64"), (-2**40, "i64"), (2**63, "u64"), (0.5, "fp32"), (True, "u1")])
def test_numbers(number, type_):
    assert signature_of(lambda: touch[(1,)](np.zeros(8, np.float32), number))["n"] == type_


def test_no_module_knows_a_number():
    for path in pathlib.Path(terrazzo.__file__).parent.rglob("*.py"):
        assert "TZ_TYPE" not in path.read_text(encoding="utf-8"), f"{path} names types by the library's numbers"
