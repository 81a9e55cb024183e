//===- HotLoop.cpp - what stands in a kernel's busiest loop ---------------===//
//
// What   See HotLoop.h. Loops are found in the graph of branches: the code
//        generator lays blocks of a loop out in any order.
// Why    See HotLoop.h.
//===----------------------------------------------------------------------===//
#include "plugins/amd/compiler/HotLoop.h"

#include "plugins/amd/compiler/llvm/Amdgcn.h"

#include "terrazzo/plugin/LLVMError.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrAnalysis.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ELFObjectFile.h"

#include <numeric>
#include <set>

extern "C" void LLVMInitializeAMDGPUDisassembler();

using namespace llvm;

namespace tz::amd {

namespace {

struct Decoded {
  uint64_t address;
  std::string name;
  uint64_t target = 0; ///< of a branch; 0: it is none
};

/// The instructions of one function, as the disassembler knows them.
class Decoder {
public:
  explicit Decoder(const Machine &machine)
      : generator(makeTargetMachine(machine)),
        context(generator->getTargetTriple(), generator->getMCAsmInfo(),
                generator->getMCRegisterInfo(), subtarget()),
        info(generator->getMCInstrInfo()) {
    LLVMInitializeAMDGPUDisassembler();
    const Target &target = generator->getTarget();
    disassembler.reset(target.createMCDisassembler(*subtarget(), context));
    analysis.reset(target.createMCInstrAnalysis(info));
    printer.reset(target.createMCInstPrinter(generator->getTargetTriple(), 0,
                                             *generator->getMCAsmInfo(), *info,
                                             *generator->getMCRegisterInfo()));
    if (!disassembler || !analysis || !printer) {
      throw plugin::Failure(TZ_E_INTERNAL, "there is no disassembler");
    }
  }

  std::vector<Decoded> decode(ArrayRef<uint8_t> code, uint64_t address) {
    std::vector<Decoded> all;
    for (uint64_t at = 0; at < code.size();) {
      MCInst inst;
      uint64_t size = 0;
      if (disassembler->getInstruction(inst, size, code.drop_front(at),
                                       address + at,
                                       nulls()) != MCDisassembler::Success) {
        break; // padding behind the end
      }
      Decoded one{address + at, nameOf(inst)};
      uint64_t target = 0;
      if (analysis->isBranch(inst) &&
          analysis->evaluateBranch(inst, address + at, size, target)) {
        one.target = target;
      }
      all.push_back(std::move(one));
      at += size;
    }
    return all;
  }

private:
  const MCSubtargetInfo *subtarget() const {
    return generator->getMCSubtargetInfo();
  }
  std::string nameOf(const MCInst &inst) {
    std::string text;
    raw_string_ostream stream(text);
    printer->printInst(&inst, 0, "", *subtarget(), stream);
    return StringRef(text).ltrim().split(' ').first.split('\t').first.str();
  }

  std::unique_ptr<TargetMachine> generator;
  MCContext context;
  const MCInstrInfo *info;
  std::unique_ptr<MCDisassembler> disassembler;
  std::unique_ptr<MCInstrAnalysis> analysis;
  std::unique_ptr<MCInstPrinter> printer;
};

/// Bytes of one lane, by the name of a load or a store of global memory; 0 for
/// anything else. "d16" stands where half a register is.
unsigned bytesOf(StringRef name) {
  name.consume_back("_e32");
  name.consume_back("_e64");
  const bool isGlobal = name.consume_front("global_") ||
                        name.consume_front("flat_") ||
                        name.consume_front("buffer_");
  const bool isAccess =
      name.consume_front("load_") || name.consume_front("store_");
  if (!isGlobal || !isAccess) {
    return 0;
  }
  (void)name.consume_front("lds_");
  return StringSwitch<unsigned>(name)
      .Cases({"dwordx4", "b128"}, 16)
      .Cases({"dwordx3", "b96"}, 12)
      .Cases({"dwordx2", "b64"}, 8)
      .Cases({"dword", "b32"}, 4)
      // "ubyte", "sbyte_d16", "d16_hi_u8" and their likes are one byte.
      .Default(name.contains("byte") || name.contains("8") ? 1 : 2);
}

void countWidth(StringRef name, LoopFigures &figures) {
  if (const unsigned bytes = bytesOf(name)) {
    figures.widest = std::max(figures.widest, bytes);
    figures.narrowest =
        figures.narrowest ? std::min(figures.narrowest, bytes) : bytes;
  }
}

void count(StringRef name, LoopFigures &figures) {
  countWidth(name, figures);
  ++figures.instructions;
  figures.matrix += name.starts_with("v_mfma") || name.starts_with("v_wmma") ||
                    name.starts_with("v_smfmac");
  figures.waits += name.starts_with("s_wait") &&
                   !name.starts_with("s_wait_alu") &&
                   !name.starts_with("s_wait_idle");
  // Of two halves of a barrier one is counted.
  figures.barriers += name == "s_barrier" || name == "s_barrier_wait";
  figures.shared += name.starts_with("ds_");
  figures.memory += name.starts_with("global_") || name.starts_with("flat_") ||
                    name.starts_with("buffer_load") ||
                    name.starts_with("buffer_store") ||
                    name.starts_with("scratch_");
}

/// Instructions without a branch among them, and the blocks behind.
struct Block {
  size_t first, end;
  SmallVector<unsigned, 2> next;
};

std::vector<Block> blocksOf(ArrayRef<Decoded> code) {
  std::set<uint64_t> starts;
  for (auto [i, one] : enumerate(code)) {
    if (one.target || StringRef(one.name).starts_with("s_endpgm")) {
      starts.insert(one.target);
      starts.insert(i + 1 < code.size() ? code[i + 1].address : 0);
    }
  }
  std::vector<Block> blocks;
  std::map<uint64_t, unsigned> at;
  for (auto [i, one] : enumerate(code)) {
    if (i == 0 || starts.count(one.address)) {
      at[one.address] = unsigned(blocks.size());
      blocks.push_back({i, i, {}});
    }
    blocks.back().end = i + 1;
  }
  for (auto [i, block] : enumerate(blocks)) {
    const Decoded &last = code[block.end - 1];
    if (auto to = at.find(last.target); last.target && to != at.end()) {
      block.next.push_back(to->second);
    }
    const bool isEnd =
        last.name == "s_branch" || StringRef(last.name).starts_with("s_endpgm");
    if (!isEnd && i + 1 < blocks.size()) {
      block.next.push_back(unsigned(i + 1));
    }
  }
  return blocks;
}

/// The innermost loops: sets of blocks that reach each other, whose rest
/// without the block that is entered first has no such set.
class Loops {
public:
  explicit Loops(const std::vector<Block> &blocks)
      : blocks(blocks), before(blocks.size()), set(blocks.size(), 0) {
    for (auto [i, block] : enumerate(blocks)) {
      for (unsigned next : block.next) {
        before[next].push_back(unsigned(i));
      }
    }
    std::vector<unsigned> all(blocks.size());
    std::iota(all.begin(), all.end(), 0);
    find(all);
  }
  std::vector<std::vector<unsigned>> innermost;

private:
  /// Of these blocks; true if there was a loop among them.
  bool find(const std::vector<unsigned> &among) {
    const unsigned here = ++sets;
    for (unsigned block : among) {
      set[block] = here;
    }
    bool any = false;
    for (const std::vector<unsigned> &loop : componentsOf(among, here)) {
      any = true;
      const auto [first, inside] = split(loop);
      if (!find(inside)) {
        innermost.push_back(loop);
      }
    }
    return any;
  }

  /// The block that is entered from elsewhere, and the others.
  std::pair<unsigned, std::vector<unsigned>>
  split(const std::vector<unsigned> &loop) const {
    unsigned first = loop.front();
    for (unsigned block : loop) {
      if (any_of(before[block],
                 [&](unsigned from) { return !is_contained(loop, from); })) {
        first = block;
        break;
      }
    }
    std::vector<unsigned> inside = loop;
    llvm::erase(inside, first);
    return {first, std::move(inside)};
  }

  /// Strongly connected components with a cycle (Kosaraju).
  std::vector<std::vector<unsigned>>
  componentsOf(const std::vector<unsigned> &among, unsigned here) {
    std::vector<unsigned> order;
    std::vector<bool> seen(blocks.size(), false);
    for (unsigned root : among) {
      walk(root, here, seen, order, [&](unsigned block) {
        return ArrayRef<unsigned>(blocks[block].next);
      });
    }
    std::vector<bool> taken(blocks.size(), false);
    std::vector<std::vector<unsigned>> components;
    for (unsigned root : reverse(order)) {
      std::vector<unsigned> component;
      walk(root, here, taken, component,
           [&](unsigned block) { return ArrayRef<unsigned>(before[block]); });
      if (component.size() > 1 ||
          (!component.empty() && is_contained(blocks[root].next, root))) {
        llvm::sort(component);
        components.push_back(std::move(component));
      }
    }
    return components;
  }

  /// Appends what is reached from `root` within the set, each block behind
  /// those that it leads to.
  void walk(unsigned root, unsigned here, std::vector<bool> &seen,
            std::vector<unsigned> &order,
            function_ref<ArrayRef<unsigned>(unsigned)> edges) const {
    std::vector<std::pair<unsigned, size_t>> stack;
    auto enter = [&](unsigned block) {
      if (set[block] == here && !seen[block]) {
        seen[block] = true;
        stack.emplace_back(block, 0);
      }
    };
    enter(root);
    while (!stack.empty()) {
      auto &[block, next] = stack.back();
      if (next < edges(block).size()) {
        enter(edges(block)[next++]);
        continue;
      }
      order.push_back(block);
      stack.pop_back();
    }
  }

  const std::vector<Block> &blocks;
  std::vector<SmallVector<unsigned, 2>> before;
  std::vector<unsigned> set; ///< the newest that each block is in
  unsigned sets = 0;
};

LoopFigures hotLoopOf(ArrayRef<Decoded> code) {
  const std::vector<Block> blocks = blocksOf(code);
  LoopFigures best;
  for (const std::vector<unsigned> &loop : Loops(blocks).innermost) {
    LoopFigures one;
    for (unsigned block : loop) {
      for (size_t i = blocks[block].first; i < blocks[block].end; ++i) {
        count(code[i].name, one);
      }
    }
    if (std::tie(one.matrix, one.memory, one.instructions) >
        std::tie(best.matrix, best.memory, best.instructions)) {
      best = one;
    }
  }
  if (!best.instructions) {
    for (const Decoded &one : code) {
      countWidth(one.name, best);
    }
  }
  return best;
}

} // namespace

std::map<std::string, LoopFigures> hotLoopsOf(const std::string &codeObject,
                                              const Machine &machine) {
  const auto file =
      plugin::check(object::ELFObjectFile<object::ELF64LE>::create(
                        MemoryBufferRef(codeObject, "kernel")),
                    TZ_E_INTERNAL);
  Decoder decoder(machine);
  std::map<std::string, LoopFigures> figures;
  for (const object::ELFSymbolRef &symbol : file.getDynamicSymbolIterators()) {
    if (symbol.getELFType() != ELF::STT_FUNC) {
      continue;
    }
    const StringRef name = plugin::check(symbol.getName(), TZ_E_INTERNAL);
    const uint64_t address = plugin::check(symbol.getAddress(), TZ_E_INTERNAL);
    const auto section = plugin::check(symbol.getSection(), TZ_E_INTERNAL);
    const StringRef bytes =
        plugin::check(section->getContents(), TZ_E_INTERNAL);
    const auto code = arrayRefFromStringRef(
        bytes.substr(address - section->getAddress(), symbol.getSize()));
    figures[name.str()] = hotLoopOf(decoder.decode(code, address));
  }
  return figures;
}

} // namespace tz::amd
