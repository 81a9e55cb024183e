"""triton.profiler.specs: what data sheets say."""

import pytest

from terrazzo.triton.profiler import specs


def test_peaks():
    assert specs.max_flops("HIP", "gfx942", 8, 304, 2100000) == pytest.approx(2614e12, rel=0.01)
    assert specs.max_bps("HIP", "gfx942", 0, 0) == 5.3e12
    with pytest.raises(ValueError, match="architecture 'gfx1' is not known; known are gfx90a"):
        specs.max_bps("HIP", "gfx1", 0, 0)
