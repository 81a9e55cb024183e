//===- Machine.h - a kernel made ready to run, and its state ----*- C++ -*-===//
//
// What   Instructions (an op with a handler and value slots), blocks of them,
//        and the machine that executes one program at a time.
// Why    Handlers are looked up once per op of the kernel, not per execution;
//        values live in a flat array of slots instead of a map.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_INTERPRETER_MACHINE_H
#define TERRAZZO_CORE_INTERPRETER_MACHINE_H

#include "core/interpreter/Interpreter.h"
#include "core/interpreter/Observer.h"
#include "core/interpreter/ShadowMemory.h"
#include "core/interpreter/TileValue.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace tz::interpreter {

class Machine;
struct Instruction;
enum class Reading : uint8_t;

/// Executes one instruction. False: the run has failed, see Machine::fail.
using Handler = bool (*)(Machine &, const Instruction &);

struct Code;

struct Instruction {
  Handler handler = nullptr;
  mlir::Operation *op = nullptr;
  uint32_t number = 0;                     ///< from 1, within the kernel
  llvm::SmallVector<uint32_t, 3> operands; ///< slots
  llvm::SmallVector<uint32_t, 1> results;  ///< slots
  Kind resultKind = Kind::I1;              ///< of the first result
  TileValue constant;                      ///< arith.constant
  Reading mustNotWrap{};                   ///< R3, AddressArithmetic.h
  std::vector<Code> regions;               ///< one block each
};

/// A block: its arguments, its ops, and what the terminator hands over.
struct Code {
  mlir::Block *block = nullptr; ///< null: scf.if without else
  llvm::SmallVector<uint32_t, 4> arguments;
  std::vector<Instruction> body;
  llvm::SmallVector<uint32_t, 4> yields;
  /// No op inside holds a region: the block can run on many lanes at once.
  bool isStraightLine = true;
};

using HandlerTable = llvm::StringMap<Handler>;
void addIntegerHandlers(HandlerTable &table);
void addFloatHandlers(HandlerTable &table);
void addMathHandlers(HandlerTable &table);
void addConversionHandlers(HandlerTable &table);
void addShapeHandlers(HandlerTable &table);
void addCombineHandlers(HandlerTable &table);
void addMatrixHandlers(HandlerTable &table);
void addMemoryHandlers(HandlerTable &table);
void addAtomicHandlers(HandlerTable &table);
void addControlHandlers(HandlerTable &table);
void addProgramHandlers(HandlerTable &table);

using SlotMap = llvm::DenseMap<mlir::Value, uint32_t>;

/// Turns a kernel into code; `slots` numbers its values from 0.
llvm::Expected<Code> translate(tile::KernelOp kernel, SlotMap &slots);

/// "file:line:col", with the chain of inlined calls.
std::string describe(mlir::Location location);

class Machine {
public:
  Machine(const LaunchArgs &args, const Options &options, Report &report,
          const SlotMap &slotOf)
      : args(args), options(options), report(report),
        memory(options, args.grid), slotOf(slotOf), slots(slotOf.size()) {}

  /// Runs one program from its first op.
  bool runProgram(const Code &code, tile::KernelOp kernel);
  bool execute(const Code &code);

  const TileValue &operand(const Instruction &in, unsigned index) const {
    return slots[in.operands[index]];
  }
  void setResult(const Instruction &in, TileValue value, unsigned index = 0) {
    slots[in.results[index]] = std::move(value);
  }
  const TileValue &valueIn(uint32_t slot) const { return slots[slot]; }
  /// Null if it has not been computed.
  const TileValue *lookup(mlir::Value value) const;
  void setValue(uint32_t slot, TileValue value) {
    slots[slot] = std::move(value);
  }

  /// Ends the run with an error at the op. Always false.
  bool fail(const Instruction &in, const llvm::Twine &message);
  bool failAt(mlir::Operation &op, const llvm::Twine &message);
  /// Counts an iteration of a loop as a step: its regions may have no op.
  bool iterate(const Instruction &in);
  /// Records a finding of checked mode; equal ones are counted.
  void find(const Instruction &in, FindingKind kind, uint64_t address,
            const llvm::Twine &message);
  llvm::Error takeError();
  /// The observer has ended the run; it has not failed.
  bool isEnded() const { return ended; }

  /// The bound (Errors.h) of the element at an address; 0 = exact.
  double errorAt(uint64_t address, unsigned bytes);
  void setErrorAt(uint64_t address, unsigned bytes, double error);
  /// What atomics added to a cell so far, whoever came first.
  struct Additions {
    double terms = 0, magnitude = 0, given = 0;
  };
  llvm::DenseMap<uint64_t, Additions> additions;
  /// Bytes of the elements that Report::bounds counts, per allocation.
  llvm::DenseMap<uint64_t, unsigned> cellBytes;
  /// Counts a decision about what is executed that bounds could turn.
  void decideBy(const TileValue &value) {
    report.undecided += value.errors() ? 1 : 0;
  }
  /// Bounds of the lanes that are being loaded, until setLoaded.
  Floats loadErrors;
  void setLoaded(const Instruction &in, TileValue value);
  /// The kernel allows a * b + c to be fused (tile.contract; the default).
  bool contract = true;
  /// Inside a combine region: targets may combine in another order.
  bool anyOrder = false;
  /// Ops that a program may execute; 0: any number.
  uint64_t stepLimit = 0;

  /// Linear id of the running program, x fastest.
  uint32_t linearProgram() const;

  const LaunchArgs &args;
  const Options &options;
  Report &report;
  ShadowMemory memory;
  std::array<uint32_t, 3> program = {0, 0, 0};

private:
  bool executeObserved(const Code &code);
  bool step(const Instruction &in);
  bool stopAt(mlir::Operation &op);
  bool go(bool on) {
    ended |= !on;
    return on;
  }

  const SlotMap &slotOf;
  std::vector<TileValue> slots;
  bool ended = false;
  uint64_t stepsLeft = 0; // of the running program
  std::string failure;
  llvm::DenseMap<std::pair<mlir::Operation *, unsigned>, size_t> found;
};

} // namespace tz::interpreter

#endif // TERRAZZO_CORE_INTERPRETER_MACHINE_H
