//===- AssemblyMachine.h - registers of inline assembly ---------*- C++ -*-===//
//
// What   AssemblyMachine: runs statements of InlineAssembly.h on tiles.
// Why    Registers (InlineAssembly.cpp) and instructions
//        (AssemblyOperations.cpp) are files of their own.
//
// Invariants
//  1  A register holds a tile of the type that was written last. Reading it as
//     another type of its width reinterprets the bits, as the machine does.
//  2  Opcodes give the types, registers' declarations and constraints do not.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_ASSEMBLY_ASSEMBLYMACHINE_H
#define TERRAZZO_CORE_FRONTEND_ASSEMBLY_ASSEMBLYMACHINE_H

#include "core/frontend/assembly/InlineAssembly.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace tz::frontend {

/// The unsigned integer of so many bits.
DType unsignedOf(unsigned bits);

/// How many operands opcodes of AssemblyBits.cpp take; 0 for others.
size_t bitOperands(llvm::StringRef base);

/// The parts' bits in one unsigned number, the first part's lowest.
OptionalTile joinBits(OpEmitter &emit, llvm::ArrayRef<TileValue> parts,
                      unsigned width, SourceLoc at);

/// How many elements of a type a register has where a statement gets `pack` of
/// them: those of 8 and 16 bits share one of 32.
unsigned elementsPerRegister(const TileType &type, int64_t pack);
/// The registers of all operands, which have one shape; a register is a tile
/// with an element for each time that the text is run.
std::optional<TileList> packOperands(OpEmitter &emit,
                                     llvm::ArrayRef<TileValue> operands,
                                     int64_t pack, SourceLoc at);
/// The tile of `shape` whose elements are in these registers.
OptionalTile unpackResult(OpEmitter &emit, llvm::ArrayRef<TileValue> registers,
                          DType type, int64_t pack,
                          llvm::ArrayRef<int64_t> shape, SourceLoc at);

/// Runs statements; every member gives nothing after it reported an error.
class AssemblyMachine {
public:
  AssemblyMachine(BuiltinCall &call, llvm::ArrayRef<TileValue> operands,
                  size_t results, bool sharesRegister)
      : call(call), emit(emitterAt(call.evaluator, call.loc)) {
    for (auto [i, value] : llvm::enumerate(operands)) {
      std::string name = "$" + std::to_string(results + i);
      registers[name] = value;
      if (sharesRegister && value.type.elem == DType::U32) {
        packed.insert(name);
      }
    }
  }

  bool run(const AssemblyStatement &statement);
  /// The register's low bits as `type`.
  OptionalTile result(const std::string &name, DType type);

private:
  BuiltinCall &call;
  OpEmitter &emit;
  llvm::StringMap<TileValue> registers;
  llvm::StringSet<> packed; // operands that may be of several elements
  llvm::SmallVector<llvm::StringRef, 4> parts; // of the opcode: setp, gt, f32
  const AssemblyStatement *now = nullptr;

  std::nullopt_t error(const llvm::Twine &message) {
    call.error(0, message);
    return std::nullopt;
  }
  std::nullopt_t notUnderstood(llvm::StringRef what) {
    return error("inline assembly is text for one machine; target '" +
                 call.evaluator.targetName() + "' takes none, and '" + what +
                 "' is not among the instructions that are understood; write "
                 "it with operations of the language or libdevice");
  }
  /// The opcode's parts behind the first, less the types at the end, are all
  /// among `words`.
  bool onlyWords(llvm::ArrayRef<llvm::StringRef> words,
                 size_t types = 1) const {
    return llvm::all_of(
        llvm::ArrayRef(parts).drop_front().drop_back(types),
        [&](llvm::StringRef part) { return llvm::is_contained(words, part); });
  }
  bool has(llvm::StringRef part) const {
    return llvm::is_contained(parts, part);
  }

  OptionalTile immediate(llvm::StringRef text, DType type);
  OptionalTile read(llvm::StringRef name, DType type);
  /// Operands from `first` on as `type`.
  std::optional<llvm::SmallVector<Value, 3>> readAll(size_t first, DType type);
  OptionalTile evaluate();
  OptionalTile instruction(llvm::StringRef base, DType type);
  bool movesVector() const;
  bool moveVector();
  OptionalTile onHalves();
  OptionalTile viaSingle(llvm::StringRef opcode, DType type);

  //===-- bits (AssemblyBits.cpp) -----------------------------------------===//
  /// The operand, if it is a number.
  std::optional<uint64_t> number(size_t i) const;
  OptionalTile shifted(const OptionalTile &x, bool left, uint64_t by);
  OptionalTile masked(const OptionalTile &x, uint64_t mask);
  OptionalTile both(BinaryFn fn, const OptionalTile &a, const OptionalTile &b);
  OptionalTile bits(llvm::StringRef base, DType type);
  OptionalTile threeInputs();
  OptionalTile signs(const OptionalTile &byte);
  OptionalTile chosenByte(const OptionalTile &bytes, const OptionalTile &digit);
  OptionalTile permutedBy(const OptionalTile &selector);
  OptionalTile permuted();
  OptionalTile field(llvm::StringRef base, DType type);
  OptionalTile funnel();
  OptionalTile longProduct(DType type);
  OptionalTile function(llvm::StringRef name, DType type);
  OptionalTile floats(llvm::StringRef base, DType type);
  OptionalTile largerMagnitude(bool larger, const TileValue &a,
                               const TileValue &b);
  OptionalTile integers(llvm::StringRef base, DType type);
  OptionalTile comparison(DType type);
  OptionalTile conversion();
  OptionalTile halvesTo(DType from, DType to);
  OptionalTile binary(BinaryFn fn, DType type);
};

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_ASSEMBLY_ASSEMBLYMACHINE_H
