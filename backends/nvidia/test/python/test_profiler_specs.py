"""triton.profiler.specs: what these devices can do at most."""

import pytest

from terrazzo.triton.profiler import specs


def test_peaks_are_as_proton_has_them():
    assert specs.max_flops("CUDA", "80", 16, 108, 1410000) == pytest.approx(312e12)
    assert specs.max_flops("CUDA", "90", 16, 114, 1755000) == pytest.approx(756.5e12)
    assert specs.max_flops("CUDA", "90", 8, 132, 1980000) == pytest.approx(1513e12 * 132 / 114 * 1980 / 1755)
    assert specs.max_flops("CUDA", "100", 8, 148, 1700000) == pytest.approx(16384 * 148 * 1.7e9)
    with pytest.raises(ValueError, match="known are 80, 86, 89, 90, 100"):
        specs.max_flops("CUDA", "12", 8, 1, 1)
