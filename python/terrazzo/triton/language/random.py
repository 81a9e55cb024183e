"""`tl.random`: Philox and what is made of it."""

from ...language.values import constexpr
from . import core

N_ROUNDS_DEFAULT = constexpr(10)
for _name in ("pair_uniform_to_normal", "philox", "philox_impl", "rand", "rand4x", "randint", "randint4x", "randn",
              "randn4x", "uint_to_uniform_float"):
    globals()[_name] = getattr(core, _name)
