//===- MachineCode.cpp - what a kernel's instructions are -----------------===//
//
// What   See MachineCode.h.
// Why    See MachineCode.h.
//===----------------------------------------------------------------------===//
#include "plugins/intel/compiler/offline/MachineCode.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Regex.h"

using namespace llvm;

namespace tz::intel {

namespace {

/// Instructions from `first` to `last`, which jumps back.
struct Loop {
  unsigned first, last;

  bool holds(const Loop &other) const {
    return first <= other.first && other.last <= last;
  }
};

class Reader {
public:
  void read(StringRef line) {
    if (line.starts_with("L") && line.contains(':')) {
      labels[line.take_until([](char c) { return c == ':'; })] =
          code.instructions;
      return;
    }
    line = line.trim();
    if (line.empty()) {
      return;
    }
    readJump(line);
    isMatrix.push_back(line.contains("dpas"));
    count(line);
    ++code.instructions;
  }
  MachineCode finish() {
    for (const Loop &loop : loops) {
      if (none_of(loops, [&](const Loop &other) {
            return &other != &loop && loop.holds(other);
          })) {
        consider(loop);
      }
    }
    return std::move(code);
  }

private:
  void readJump(StringRef line) {
    SmallVector<StringRef> found;
    if (!jump.match(line, &found)) {
      return;
    }
    if (auto known = labels.find(found[3]); known != labels.end()) {
      loops.push_back({known->second, code.instructions});
    }
  }
  void count(StringRef line) {
    SmallVector<StringRef> found;
    if (isMatrix.back() && matrix.match(line, &found)) {
      ++code.matrix[(found[1] + " of " + found[2] + " lanes, " + found[3])
                        .str()];
    } else if (block.match(line, &found)) {
      ++code.blockLoads[found[1].str()];
    } else if (prefetch.match(line)) {
      ++code.prefetches;
    } else if (call.match(line)) {
      ++code.calls;
    }
  }
  /// Takes the loop if it is hotter than the one that is known.
  void consider(const Loop &loop) {
    const unsigned size = loop.last + 1 - loop.first;
    const auto of =
        unsigned(count_if(ArrayRef<char>(isMatrix).slice(loop.first, size),
                          [](char one) { return one != 0; }));
    const uint64_t mine = uint64_t(of) * code.loopInstructions,
                   known = uint64_t(code.loopMatrix) * size;
    if (code.loopInstructions == 0 || mine > known ||
        (mine == known && size > code.loopInstructions)) {
      code.loopInstructions = size;
      code.loopMatrix = of;
    }
  }

  MachineCode code;
  StringMap<unsigned> labels; ///< the instruction behind each
  std::vector<Loop> loops;
  std::vector<char> isMatrix; ///< of each instruction
  Regex jump{"(^|[ )])(jmpi|while|goto) [^L]*(L[0-9]+)"},
      matrix{"(dpasw?\\.[0-9x]+) \\(([0-9]+)\\|M[0-9]+\\).*:[a-z0-9]+ +"
             "r[^ ]+:([a-z0-9]+)"},
      block{"load_block2d\\.ugm\\.([a-z0-9]+)\\."},
      prefetch{"send\\.ugm \\(16\\|M0\\) +null .*rd:0; load\\.ugm"},
      call{"^(\\([^)]*\\) +)?calla? "};
};

} // namespace

MachineCode readMachineCode(StringRef text) {
  Reader reader;
  for (StringRef line : split(text, '\n')) {
    reader.read(line);
  }
  return reader.finish();
}

static std::string listed(const std::map<std::string, unsigned> &counts) {
  std::string text;
  for (const auto &[what, count] : counts) {
    text += (text.empty() ? "" : "; ") + std::to_string(count) + " " + what;
  }
  return text.empty() ? "none" : text;
}

std::vector<std::pair<std::string, std::string>>
factsOf(const MachineCode &code) {
  std::string loop = "none";
  if (code.loopInstructions != 0) {
    loop = std::to_string(code.loopInstructions) + " instructions, " +
           std::to_string(code.loopMatrix) + " of them dpas";
  }
  return {{"instructions", std::to_string(code.instructions)},
          {"hot_loop", loop},
          {"dpas", listed(code.matrix)},
          {"block_loads", listed(code.blockLoads)},
          {"prefetches", std::to_string(code.prefetches)},
          {"calls", std::to_string(code.calls)}};
}

} // namespace tz::intel
