//===- Isa.h - What the target CPU offers to emitted code -----------------===//
//
// What   The few facts about an x86-64 target that the emitters of math and
//        dots ask for, and how to get them from a list of LLVM features.
// Why    Emitters choose instructions by what the target has, never by its
//        name, and must agree with each other about vector widths.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_COMPILER_ISA_H
#define TERRAZZO_PLUGINS_CPU_COMPILER_ISA_H

#include "terrazzo/lowering/Arithmetic.h"

#include "llvm/ADT/StringRef.h"

namespace tz::cpu {

struct Isa {
  /// Bits of a native vector register: 512, 256 or 128.
  unsigned vectorBits = 128;
  bool avx2 = false; ///< with FMA and F16C, as in x86-64-v3
  bool fma = false;
  bool f16c = false;
  bool avx512 = false;     ///< F, BW, DQ, VL and CD, as in x86-64-v4
  bool avx512bf16 = false; ///< VDPBF16PS
  bool avx512vnni = false; ///< VPDPWSSD
  bool avx512fp16 = false;
  bool amxBf16 = false; ///< tiles, TDPBF16PS
  bool amxInt8 = false; ///< tiles, TDPBSSD

  unsigned lanes(unsigned elementBits) const {
    return vectorBits / elementBits;
  }
  /// Vector registers of the register file.
  unsigned registers() const { return avx512 ? 32 : 16; }

  lowering::FloatUnits floatUnits() const { return {.half = f16c}; }

  /// What is left of it when vectors have at most `bits`.
  Isa narrowedTo(unsigned bits) const;

  /// From a list as in the `target-features` attribute: "+avx2,+fma,-sse4a".
  static Isa fromFeatures(llvm::StringRef features);
};

} // namespace tz::cpu

#endif
