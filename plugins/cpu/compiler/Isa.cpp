//===- Isa.cpp - What the target CPU offers to emitted code ---------------===//
//
// What   Reads the facts of Isa.h from a feature list.
// Why    See Isa.h.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/Isa.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace tz::cpu {

Isa Isa::fromFeatures(StringRef features) {
  StringSet<> present;
  SmallVector<StringRef> list;
  features.split(list, ',', -1, false);
  for (StringRef name : list) {
    if (name.consume_front("-")) {
      present.erase(name);
    } else {
      name.consume_front("+");
      present.insert(name);
    }
  }
  Isa isa;
  auto has = [&](StringRef name) { return present.contains(name); };
  isa.fma = has("fma");
  isa.f16c = has("f16c");
  isa.avx2 = has("avx2") && isa.fma && isa.f16c;
  isa.avx512 = isa.avx2 && has("avx512f") && has("avx512bw") &&
               has("avx512dq") && has("avx512vl");
  isa.avx512bf16 = isa.avx512 && has("avx512bf16");
  isa.avx512vnni = isa.avx512 && has("avx512vnni");
  isa.avx512fp16 = isa.avx512 && has("avx512fp16");
  isa.amxBf16 = isa.avx512 && has("amx-tile") && has("amx-bf16");
  isa.amxInt8 = isa.avx512 && has("amx-tile") && has("amx-int8");
  isa.vectorBits = isa.avx512 ? 512 : has("avx") ? 256 : 128;
  return isa;
}

Isa Isa::narrowedTo(unsigned bits) const {
  Isa isa = *this;
  if (bits >= vectorBits) {
    return isa;
  }
  isa.vectorBits = bits;
  isa.avx512 = isa.avx512bf16 = isa.avx512vnni = isa.avx512fp16 = false;
  isa.amxBf16 = isa.amxInt8 = false;
  if (bits < 256) {
    isa.avx2 = isa.fma = isa.f16c = false;
  }
  return isa;
}

} // namespace tz::cpu
