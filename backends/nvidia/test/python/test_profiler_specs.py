"""triton.profiler.specs: what data sheets say."""

import pytest

from terrazzo.triton.profiler import specs


def test_peaks():
    assert specs.max_flops("CUDA", "80", 16, 108, 1410000) == pytest.approx(312e12, rel=0.01)
    assert specs.max_flops("CUDA", "90", 8, 114, 1620000) == pytest.approx(1513e12, rel=0.01)
    assert specs.max_bps("CUDA", "90", 5120, 2619000) == pytest.approx(3.35e12, rel=0.01)
    with pytest.raises(ValueError, match="architecture 'sm_1' is not known; known are 80"):
        specs.max_flops("CUDA", "sm_1", 8, 1, 1)
    with pytest.raises(ValueError, match="device type 'CPU' is not known; known are CUDA"):
        specs.max_bps("CPU", "x", 8, 1)
