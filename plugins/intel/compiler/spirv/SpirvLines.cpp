//===- SpirvLines.cpp - which lines the instructions of a module are of ---===//
//
// What   Instructions of SPIR-V that name a file, a line and a column, and what
//        OpenCL.DebugInfo.100 says of files and functions.
// Why    A driver's tools show the source beside the code only where the module
//        tells of it, and LLVM's code generator writes no OpLine. Calls of
//        functions that nobody has stand for them in its input: it keeps their
//        places among the instructions. In its output they are replaced.
//        Intel's compiler makes a table of lines only of lines in a scope.
//
// OpLine says nothing of calls that were inlined. A line of the library inside
// the compiler, whose file nobody has, is that of the call.
//===----------------------------------------------------------------------===//
#include "plugins/intel/compiler/spirv/SpirvLines.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Path.h"

#include <optional>

using namespace llvm;

namespace tz::intel {

/// What the names of the functions begin with; a number follows.
static constexpr StringRef MarkName = "tz.source.line.";

//===--- In LLVM IR -------------------------------------------------------===//

/// The innermost place in a file.
static const DILocation *placeOf(const Instruction &of) {
  const DILocation *at = of.getDebugLoc().get();
  while (at && (at->getFilename().starts_with("<") || at->getLine() == 0)) {
    at = at->getInlinedAt();
  }
  return at;
}

static std::string pathOf(StringRef file, StringRef folder) {
  SmallString<128> path(file);
  if (!sys::path::is_absolute(path) && !folder.empty()) {
    path = folder;
    sys::path::append(path, file);
  }
  return std::string(path);
}

void SpirvLines::mark(Module &module) {
  FunctionType *type =
      FunctionType::get(Type::getVoidTy(module.getContext()), false);
  std::map<SourceLine, FunctionCallee> known;
  for (Function &function : module) {
    if (const DISubprogram *about = function.getSubprogram()) {
      functions[function.getName().str()] = {
          pathOf(about->getFilename(), about->getDirectory()), about->getLine(),
          0};
    }
    for (BasicBlock &block : function) {
      std::optional<SourceLine> here;
      for (auto at = block.getFirstNonPHIOrDbgOrAlloca(); at != block.end();
           ++at) {
        const DILocation *place = placeOf(*at);
        if (!place) {
          continue;
        }
        SourceLine one{pathOf(place->getFilename(), place->getDirectory()),
                       place->getLine(), place->getColumn()};
        if (here == one) {
          continue;
        }
        here = one;
        FunctionCallee &callee = known[one];
        if (!callee) {
          callee = module.getOrInsertFunction(
              MarkName.str() + std::to_string(places.size()), type);
          cast<Function>(callee.getCallee())
              ->setCallingConv(CallingConv::SPIR_FUNC);
          places.push_back(one);
        }
        IRBuilder<>(&block, at)
            .CreateCall(callee)
            ->setCallingConv(CallingConv::SPIR_FUNC);
      }
    }
  }
}

//===--- In SPIR-V --------------------------------------------------------===//

// SPIR-V 3.49, and instructions of the set OpenCL.DebugInfo.100.
enum LineOpcode : uint32_t {
  OpName = 5,
  OpString = 7,
  OpLine = 8,
  OpExtInstImport = 11,
  OpExtInst = 12,
  OpEntryPoint = 15,
  OpTypeVoid = 19,
  OpTypeFunction = 33,
  OpFunction = 54,
  OpFunctionEnd = 56,
  OpFunctionCall = 57,
  OpDecorate = 71,
  OpLabel = 248,
};
enum DebugOpcode : uint32_t {
  DebugCompilationUnit = 1,
  DebugTypeFunction = 8,
  DebugFunction = 20,
  DebugLexicalBlock = 21,
  DebugScope = 23,
  DebugSource = 35,
};
static constexpr size_t HeaderWords = 5, BoundWord = 3;
static constexpr uint32_t LinkageAttributes = 41;
static constexpr uint32_t SetVersion = 0x10000, DwarfVersion = 4,
                          LanguageOpenClCpp = 4, FlagIsPublic = 3,
                          FlagIsDefinition = 8;

namespace {

/// A module without the marks, with lines in their places.
class LineWriter {
public:
  LineWriter(ArrayRef<uint32_t> words, ArrayRef<SourceLine> places,
             const std::map<std::string, SourceLine> &functions)
      : words(words), places(places), bound(words[BoundWord]) {
    findMarks();
    each([&](ArrayRef<uint32_t> one) {
      if (opcode(one) == OpTypeVoid) {
        voidType = one[1];
      } else if (opcode(one) == OpEntryPoint) {
        const std::string name = text(one.drop_front(3));
        if (auto at = functions.find(name); at != functions.end()) {
          entries[one[2]] = {name, at->second};
        }
      }
    });
  }

  std::vector<uint32_t> run() {
    made.assign(words.begin(), words.begin() + HeaderWords);
    each([&](ArrayRef<uint32_t> one) { take(one); });
    made[BoundWord] = bound;
    return std::move(made);
  }

private:
  struct Entry {
    std::string name;
    SourceLine place;
    uint32_t id = 0; ///< of its DebugFunction
  };

  static uint32_t opcode(ArrayRef<uint32_t> one) { return one[0] & 0xffff; }
  void each(function_ref<void(ArrayRef<uint32_t>)> visit) const {
    for (size_t at = HeaderWords; at < words.size();) {
      const size_t count = std::max<size_t>(words[at] >> 16, 1);
      visit(words.slice(at, std::min(count, words.size() - at)));
      at += count;
    }
  }
  static std::string text(ArrayRef<uint32_t> from) {
    std::string bytes;
    for (uint32_t word : from) {
      for (int i = 0; i < 4; ++i) {
        if (char c = char(word >> 8 * i)) {
          bytes += c;
        } else {
          return bytes;
        }
      }
    }
    return bytes;
  }
  /// Their functions, and the type that these alone have.
  void findMarks() {
    each([&](ArrayRef<uint32_t> one) {
      if (opcode(one) == OpDecorate && one[2] == LinkageAttributes) {
        const std::string name = text(one.drop_front(3));
        StringRef number = name;
        unsigned which = 0;
        if (number.consume_front(MarkName) && !number.getAsInteger(10, which) &&
            which < places.size()) {
          marks[one[1]] = which;
        }
      } else if (opcode(one) == OpFunction) {
        (marks.contains(one[2]) ? types : usedTypes).insert(one[4]);
      }
    });
  }
  bool isOfMarks(ArrayRef<uint32_t> one) const {
    switch (opcode(one)) {
    case OpName:
    case OpDecorate:
      return marks.contains(one[1]);
    case OpTypeFunction:
      return types.contains(one[1]) && !usedTypes.contains(one[1]);
    default:
      return false;
    }
  }

  //===--- What is written ------------------------------------------------===//

  void add(uint32_t opcode, ArrayRef<uint32_t> operands) {
    made.push_back(uint32_t(1 + operands.size()) << 16 | opcode);
    made.insert(made.end(), operands.begin(), operands.end());
  }
  static std::vector<uint32_t> literal(std::string bytes) {
    bytes.append(4 - bytes.size() % 4, '\0');
    std::vector<uint32_t> result;
    for (size_t i = 0; i < bytes.size(); i += 4) {
      result.push_back(support::endian::read32le(bytes.data() + i));
    }
    return result;
  }
  uint32_t addString(uint32_t opcode, const std::string &bytes) {
    std::vector<uint32_t> operands = literal(bytes);
    operands.insert(operands.begin(), bound);
    add(opcode, operands);
    return bound++;
  }
  /// An instruction of the set.
  uint32_t addDebug(DebugOpcode which, ArrayRef<uint32_t> operands) {
    SmallVector<uint32_t, 16> all{voidType, bound, debugSet, which};
    all.append(operands.begin(), operands.end());
    add(OpExtInst, all);
    return bound++;
  }

  void take(ArrayRef<uint32_t> one) {
    addSections(opcode(one));
    if (opcode(one) == OpFunction) {
      isInMark = marks.contains(one[2]);
      auto entry = entries.find(one[2]);
      here = entry == entries.end() ? nullptr : &entry->second;
    } else if (opcode(one) == OpLabel) {
      scope = 0;
    }
    if (opcode(one) == OpFunctionCall && marks.contains(one[3])) {
      addLine(places[marks.lookup(one[3])]);
    } else if (!isInMark && !isOfMarks(one)) {
      made.insert(made.end(), one.begin(), one.end());
    }
    isInMark = isInMark && opcode(one) != OpFunctionEnd;
  }
  void addLine(const SourceLine &place) {
    if (here) {
      const uint32_t wanted = scopes.at({here->id, place.file});
      if (scope != wanted) {
        addDebug(DebugScope, wanted);
        scope = wanted;
      }
    }
    add(OpLine, {strings.at(place.file), place.line, place.column});
  }

  /// What stands before an instruction of this kind, once.
  void addSections(uint32_t next) {
    // Behind capabilities and extensions, and the sets of instructions.
    if (debugSet == 0 && next != 17 && next != 10) {
      debugSet = addString(OpExtInstImport, "OpenCL.DebugInfo.100");
    }
    // Behind the memory model, entries and modes.
    constexpr uint32_t beforeNames[] = {10, 11, 14, 15, 16, 17, 331};
    if (strings.empty() && !is_contained(beforeNames, next)) {
      addStrings();
    }
    if (unit == 0 && next == OpFunction) {
      addScopes();
    }
  }
  void addStrings() {
    auto ensure = [&](const std::string &one) {
      if (!strings.contains(one)) {
        strings[one] = addString(OpString, one);
      }
    };
    ensure("");
    for (const SourceLine &place : places) {
      ensure(place.file);
    }
    for (const auto &[id, entry] : entries) {
      ensure(entry.name);
      ensure(entry.place.file);
    }
  }
  void addScopes() {
    std::map<std::string, uint32_t> sources;
    auto source = [&](const std::string &file) {
      uint32_t &id = sources[file];
      id = id ? id : addDebug(DebugSource, strings.at(file));
      return id;
    };
    unit = addDebug(DebugCompilationUnit,
                    {SetVersion, DwarfVersion, source(places.front().file),
                     LanguageOpenClCpp});
    const uint32_t type = addDebug(DebugTypeFunction, {FlagIsPublic, voidType});
    for (auto &[id, entry] : entries) {
      const uint32_t file = source(entry.place.file), line = entry.place.line;
      entry.id = addDebug(DebugFunction,
                          {strings.at(entry.name), type, file, line, 0, unit,
                           strings.at(""), FlagIsDefinition, line, id});
      scopes[{entry.id, entry.place.file}] = entry.id;
      // Lines of another file are in a block of that file.
      for (const SourceLine &place : places) {
        uint32_t &made = scopes[{entry.id, place.file}];
        if (made == 0) {
          made = addDebug(DebugLexicalBlock, {source(place.file), place.line,
                                              place.column, entry.id});
        }
      }
    }
  }

  const ArrayRef<uint32_t> words;
  const ArrayRef<SourceLine> places;
  uint32_t bound, voidType = 0, debugSet = 0, unit = 0;
  DenseMap<uint32_t, unsigned> marks; ///< of a function: which place
  DenseSet<uint32_t> types, usedTypes;
  std::map<uint32_t, Entry> entries; ///< by their function
  std::map<std::string, uint32_t> strings;
  std::map<std::pair<uint32_t, std::string>, uint32_t> scopes;
  std::vector<uint32_t> made;
  bool isInMark = false;
  Entry *here = nullptr;
  uint32_t scope = 0; ///< of the block so far
};

} // namespace

std::string SpirvLines::write(const std::string &binary) const {
  if (places.empty()) {
    return binary;
  }
  std::vector<uint32_t> words;
  for (size_t i = 0; i + 4 <= binary.size(); i += 4) {
    words.push_back(support::endian::read32le(binary.data() + i));
  }
  std::string result;
  for (uint32_t word : LineWriter(words, places, functions).run()) {
    char bytes[4];
    support::endian::write32le(bytes, word);
    result.append(bytes, 4);
  }
  return result;
}

} // namespace tz::intel
