//===- DebugInfo.cpp - Lines of the kernel for its machine code -----------===//
//
// What   See DebugInfo.h.
// Why    A call that the frontend inlined is a pair of locations, callee and
//        caller, and so are LLVM's; what has to be made is the scopes.
//===----------------------------------------------------------------------===//
#include "terrazzo/lowering/DebugInfo.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tz::lowering {

namespace {

/// Calls, names and fused locations around one place; wire data may nest and
/// share them as its writer likes.
constexpr unsigned MaxSteps = 256;

/// What stands at one place of a source.
struct Place {
  StringRef function; ///< empty: not said
  mlir::FileLineColRange range;
};

/// A location that is no call: names go around a place, of fused ones the first
/// counts.
std::optional<Place> placeOf(mlir::Location location) {
  Place place;
  for (unsigned step = 0; step < MaxSteps; ++step) {
    if (auto range = dyn_cast<mlir::FileLineColRange>(location)) {
      place.range = range;
      return place;
    }
    if (auto name = dyn_cast<mlir::NameLoc>(location)) {
      place.function = name.getName();
      location = name.getChildLoc();
    } else if (auto fused = dyn_cast<mlir::FusedLoc>(location);
               fused && !fused.getLocations().empty()) {
      location = fused.getLocations().front();
    } else {
      break;
    }
  }
  return std::nullopt;
}

} // namespace

DebugInfo::DebugInfo(Module &module, tile::KernelOp kernel, unsigned level,
                     Form form)
    : module(module), kernel(kernel),
      level(form == Form::Tables ? level : std::min(level, 1u)) {
  std::optional<Place> place =
      level ? placeOf(kernel.getLoc()) : std::optional<Place>();
  if (!place) {
    return; // a kernel without a source, built by a program
  }
  builder.emplace(module);
  unit = builder->createCompileUnit(
      // Debuggers have no expressions of the kernel language; those of C fit.
      DISourceLanguageName(dwarf::DW_LANG_C11),
      file(place->range.getFilename()), "Terrazzo",
      /*isOptimized=*/true, /*Flags=*/"", /*RV=*/0, /*SplitName=*/"",
      form == Form::Directives ? DICompileUnit::DebugDirectivesOnly
      : level > 1              ? DICompileUnit::FullDebug
                               : DICompileUnit::LineTablesOnly,
      /*DWOId=*/0, /*SplitDebugInlining=*/true,
      /*DebugInfoForProfiling=*/false, DICompileUnit::DebugNameTableKind::None);
  if (!module.getModuleFlag("Debug Info Version")) { // of another variant
    module.addModuleFlag(Module::Warning, "Debug Info Version",
                         DEBUG_METADATA_VERSION);
    module.addModuleFlag(Module::Warning, "Dwarf Version", 5);
  }
  entryScope = subprogram(kernel.getSymName(), kernel.getSymName(),
                          file(place->range.getFilename()),
                          place->range.getStartLine(), false);
}

DIFile *DebugInfo::file(StringRef path) {
  DIFile *&made = files[path];
  if (!made) {
    made = builder->createFile(path, "");
  }
  return made;
}

DISubprogram *DebugInfo::subprogram(StringRef name, StringRef symbol,
                                    DIFile *file, unsigned line,
                                    bool artificial) {
  return builder->createFunction(
      unit, name, symbol, file, line,
      builder->createSubroutineType(builder->getOrCreateTypeArray({})), line,
      artificial ? DINode::FlagArtificial : DINode::FlagZero,
      DISubprogram::SPFlagDefinition | DISubprogram::SPFlagOptimized);
}

void DebugInfo::setEntry(Function *entry) {
  if (builder) {
    entry->setSubprogram(entryScope);
  }
}

DebugLoc DebugInfo::at(mlir::Location location) {
  if (!builder) {
    return {};
  }
  auto [entry, isNew] = known.try_emplace(location, nullptr);
  if (isNew) {
    unsigned steps = MaxSteps;
    entry->second = locate(location, nullptr, steps);
  }
  return DebugLoc(entry->second);
}

/// `location` in a function that was called from `site`, null for the kernel.
DILocation *DebugInfo::locate(mlir::Location location, DILocation *site,
                              unsigned &steps) {
  if (steps == 0) {
    return nullptr;
  }
  --steps;
  if (auto call = dyn_cast<mlir::CallSiteLoc>(location)) {
    DILocation *caller = locate(call.getCaller(), site, steps);
    if (!caller) {
      return locate(call.getCallee(), site, steps);
    }
    // One distinct node for each call, by which LLVM tells calls apart.
    DILocation *&callSite = callSites[caller];
    if (!callSite) {
      callSite = DILocation::getDistinct(
          module.getContext(), caller->getLine(), caller->getColumn(),
          caller->getScope(), caller->getInlinedAt());
    }
    return locate(call.getCallee(), callSite, steps);
  }
  std::optional<Place> place = placeOf(location);
  if (!place) {
    return nullptr;
  }
  DIFile *source = file(place->range.getFilename());
  DIScope *scope = entryScope;
  if (site) {
    StringRef name = place->function.empty() ? "inlined" : place->function;
    DISubprogram *&made =
        inlined[(name + Twine('\0') + source->getFilename()).str()];
    if (!made) {
      made = subprogram(name, "", source, 0, false);
    }
    scope = made;
  } else if (source != entryScope->getFile()) {
    scope = builder->createLexicalBlockFile(entryScope, source);
  }
  return DILocation::get(module.getContext(), place->range.getStartLine(),
                         place->range.getStartColumn(), scope, site);
}

DIType *DebugInfo::type(mlir::Type type) {
  if (auto pointer = dyn_cast<tile::PtrType>(type)) {
    return builder->createPointerType(this->type(pointer.getPointee()), 64);
  }
  const unsigned bits = std::max(8u, type.getIntOrFloatBitWidth());
  if (auto integer = dyn_cast<mlir::IntegerType>(type)) {
    return integer.getWidth() == 1
               ? builder->createBasicType("i1", 8, dwarf::DW_ATE_boolean)
               : builder->createBasicType("i" + std::to_string(bits), bits,
                                          dwarf::DW_ATE_signed);
  }
  std::string name;
  raw_string_ostream(name) << type;
  // Debuggers know the floats of IEEE 754 only; of others they show the bits.
  const bool isKnown = type.isF16() || type.isF32() || type.isF64();
  return builder->createBasicType(
      name, bits, isKnown ? dwarf::DW_ATE_float : dwarf::DW_ATE_unsigned);
}

void DebugInfo::keepArguments(IRBuilderBase &b, Value *arguments) {
  if (!builder || level < 2) {
    return;
  }
  // Volatile: stays on the stack whatever becomes of the register. Without a
  // line, it is in front of where breakpoints of the function are.
  const DebugLoc line = b.getCurrentDebugLocation();
  b.SetCurrentDebugLocation(DebugLoc());
  argumentsKept = b.CreateAlloca(arguments->getType());
  b.CreateStore(arguments, argumentsKept, /*isVolatile=*/true);
  b.SetCurrentDebugLocation(line);
}

void DebugInfo::nameArgument(IRBuilderBase &b, unsigned index,
                             uint64_t offset) {
  if (!argumentsKept) {
    return;
  }
  DILocalVariable *variable = builder->createParameterVariable(
      entryScope, kernel.getArgName(index), index + 1, entryScope->getFile(),
      entryScope->getLine(), type(kernel.getArgumentTypes()[index]),
      /*AlwaysPreserve=*/true);
  const uint64_t place[] = {dwarf::DW_OP_deref, dwarf::DW_OP_plus_uconst,
                            offset};
  builder->insertDeclare(argumentsKept, variable,
                         builder->createExpression(place),
                         DILocation::get(module.getContext(),
                                         entryScope->getLine(), 0, entryScope),
                         b.GetInsertBlock());
}

/// False if a caller of it is not located itself. A function that serves ops of
/// several lines gets none of them (0).
bool DebugInfo::locateHelper(Function &function) {
  const DILocation *first = nullptr;
  bool same = true;
  for (const User *user : function.users()) {
    auto *call = dyn_cast<CallInst>(user);
    if (!call) {
      continue;
    }
    const DILocation *here = call->getDebugLoc().get();
    if (!here) {
      return false;
    }
    if (!first) {
      first = here;
    }
    same &= first->getLine() == here->getLine() &&
            first->getFile() == here->getFile();
  }
  if (!first) {
    return false;
  }
  DISubprogram *scope = subprogram(function.getName(), "", first->getFile(),
                                   same ? first->getLine() : 0, true);
  function.setSubprogram(scope);
  DebugLoc line = DILocation::get(module.getContext(),
                                  same ? first->getLine() : 0, 0, scope);
  for (Instruction &one : instructions(function)) {
    one.setDebugLoc(line);
  }
  return true;
}

void DebugInfo::finish() {
  if (!builder) {
    return;
  }
  // Helpers may call helpers: callers first, and they do not recurse.
  for (bool changed = true; changed;) {
    changed = false;
    for (Function &function : module) {
      if (!function.isDeclaration() && !function.getSubprogram()) {
        changed |= locateHelper(function);
      }
    }
  }
  builder->finalize();
}

} // namespace tz::lowering
