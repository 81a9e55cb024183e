//===- Interpreter.cpp - runs a kernel over a grid ------------------------===//
//
// What   Checks the arguments, runs the programs, collects findings.
// Why    The one place that knows the order of programs.
//
//===----------------------------------------------------------------------===//
#include "core/interpreter/Interpreter.h"

#include "core/interpreter/Machine.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/Twine.h"

#include <cstdlib>

using namespace mlir;

namespace tz::interpreter {

llvm::StringRef toString(FindingKind kind) {
  switch (kind) {
  case FindingKind::OutOfBounds:
    return "out-of-bounds access";
  case FindingKind::UninitializedRead:
    return "uninitialised read";
  case FindingKind::Race:
    return "race between programs";
  case FindingKind::DivisionByZero:
    return "division by zero";
  case FindingKind::AddressOverflow:
    return "overflow in address arithmetic";
  case FindingKind::BrokenPromise:
    return "broken promise";
  }
  return "finding";
}

bool Machine::step(const Instruction &in) {
  ++report.steps;
  if (stepsLeft == 0) {
    return stopAt(*in.op);
  }
  --stepsLeft;
  return in.handler(*this, in);
}

bool Machine::iterate(const Instruction &in) {
  if (stepsLeft == 0) {
    return stopAt(*in.op);
  }
  --stepsLeft;
  return true;
}

/// Ends the run at the innermost loop around an op.
bool Machine::stopAt(Operation &op) {
  Operation *loop = &op;
  while (loop && !isa<scf::ForOp, scf::WhileOp>(loop)) {
    loop = loop->getParentOp();
  }
  return failAt(
      loop ? *loop : op,
      (loop ? "this loop may never end: the program" : "the program") +
          llvm::Twine(" has run the limit of ") + llvm::Twine(stepLimit) +
          " steps; TERRAZZO_INTERP_STEPS=N allows N, and 0 any "
          "number");
}

bool Machine::execute(const Code &code) {
  if (options.observer) {
    return executeObserved(code);
  }
  for (const Instruction &in : code.body) {
    if (!step(in)) {
      return false;
    }
  }
  return true;
}

bool Machine::executeObserved(const Code &code) {
  if (!code.block) {
    return true;
  }
  Observer &observer = *options.observer;
  auto find = [this](mlir::Value value) { return lookup(value); };
  Observer::Lookup values = find;
  if (!go(observer.enterBlock(*code.block, values))) {
    return false;
  }
  for (const Instruction &in : code.body) {
    if (!go(observer.beforeOp(*in.op, values)) || !step(in)) {
      return false;
    }
  }
  return go(observer.leaveBlock(*code.block, values));
}

const TileValue *Machine::lookup(mlir::Value value) const {
  auto slot = slotOf.find(value);
  return slot == slotOf.end() || slots[slot->second].count() == 0
             ? nullptr
             : &slots[slot->second];
}

static std::string nameOf(const std::array<uint32_t, 3> &program) {
  return "(" + std::to_string(program[0]) + ", " + std::to_string(program[1]) +
         ", " + std::to_string(program[2]) + ")";
}

bool Machine::fail(const Instruction &in, const llvm::Twine &message) {
  return failAt(*in.op, message);
}

bool Machine::failAt(Operation &op, const llvm::Twine &message) {
  failure = (describe(op.getLoc()) + ": " + message + " (program " +
             nameOf(program) + ")")
                .str();
  if (options.observer) {
    options.observer->failed(op, message.str());
  }
  return false;
}

void Machine::find(const Instruction &in, FindingKind kind, uint64_t address,
                   const llvm::Twine &message) {
  auto key = std::make_pair(in.op, static_cast<unsigned>(kind));
  auto known = found.find(key);
  if (known != found.end()) {
    ++report.findings[known->second].count;
    return;
  }
  if (report.findings.size() >= options.maxFindings) {
    ++report.suppressed;
    return;
  }
  found[key] = report.findings.size();
  report.findings.push_back({kind, describe(in.op->getLoc()), message.str(),
                             program, address, /*count=*/1});
  if (options.observer) {
    options.observer->found(*in.op, report.findings.back());
  }
}

llvm::Error Machine::takeError() {
  return llvm::createStringError(failure.empty() ? "the run has failed"
                                                 : failure);
}

uint32_t Machine::linearProgram() const {
  return program[0] + args.grid[0] * (program[1] + args.grid[1] * program[2]);
}

static llvm::Error checkLaunch(tile::KernelOp kernel, const LaunchArgs &args,
                               const Options &options) {
  const size_t expected = kernel.getArgumentTypes().size();
  if (args.args.size() != expected) {
    return llvm::createStringError(
        "kernel '" + kernel.getSymName() + "' takes " + llvm::Twine(expected) +
        " arguments, " + llvm::Twine(args.args.size()) + " are given");
  }
  const __int128 programs =
      static_cast<__int128>(args.grid[0]) * args.grid[1] * args.grid[2];
  if (programs > INT32_MAX) {
    return llvm::createStringError("the grid has more than 2^31 - 1 programs");
  }
  if (options.onlyProgram) {
    for (unsigned axis = 0; axis < 3; ++axis) {
      if ((*options.onlyProgram)[axis] >= args.grid[axis]) {
        return llvm::createStringError(
            "program " + nameOf(*options.onlyProgram) + " is not in the grid");
      }
    }
  }
  return llvm::Error::success();
}

/// Of the options, or of the environment.
static llvm::Expected<uint64_t> stepLimitOf(const Options &options) {
  if (options.stepLimit) {
    return *options.stepLimit;
  }
  const char *text = secure_getenv("TERRAZZO_INTERP_STEPS");
  uint64_t limit = StepLimit;
  if (text && *text && llvm::StringRef(text).getAsInteger(10, limit)) {
    return llvm::createStringError("TERRAZZO_INTERP_STEPS='" +
                                   llvm::Twine(text) +
                                   "' is no number of steps; 0 allows any");
  }
  return limit;
}

bool Machine::runProgram(const Code &code, tile::KernelOp kernel) {
  stepsLeft = stepLimit == 0 ? UINT64_MAX : stepLimit;
  if (options.observer) {
    slots.assign(slots.size(), TileValue()); // nothing of the last program
    if (!go(options.observer->startProgram(program))) {
      return false;
    }
  }
  for (auto [index, slot] : llvm::enumerate(code.arguments)) {
    const Kind kind = *kindOf(kernel.getArgumentTypes()[index]);
    setValue(slot, fromIntegers(kind, {args.args[index].bits}));
  }
  return execute(code);
}

llvm::Error run(tile::KernelOp kernel, const LaunchArgs &args,
                const Options &options, Report &report) {
  if (llvm::Error error = checkLaunch(kernel, args, options)) {
    return error;
  }
  for (auto [index, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    if (!kindOf(type)) {
      return llvm::createStringError("argument " + llvm::Twine(index) +
                                     " has a type outside tile IR");
    }
  }
  SlotMap slots;
  llvm::Expected<Code> code = translate(kernel, slots);
  if (!code) {
    return code.takeError();
  }
  llvm::Expected<uint64_t> limit = stepLimitOf(options);
  if (!limit) {
    return limit.takeError();
  }
  Machine machine(args, options, report, slots);
  machine.stepLimit = *limit;
  if (auto contract = kernel->getAttrOfType<BoolAttr>("tile.contract")) {
    machine.contract = contract.getValue();
  }
  const auto &grid = args.grid;
  const uint64_t total = static_cast<uint64_t>(grid[0]) * grid[1] * grid[2];
  for (uint64_t linear = 0; linear < total; ++linear) {
    machine.program = {static_cast<uint32_t>(linear % grid[0]),
                       static_cast<uint32_t>(linear / grid[0] % grid[1]),
                       static_cast<uint32_t>(linear / grid[0] / grid[1])};
    if (options.onlyProgram && *options.onlyProgram != machine.program) {
      continue;
    }
    if (!machine.runProgram(*code, kernel)) {
      machine.memory.countWritten(report);
      return machine.isEnded() ? llvm::Error::success() : machine.takeError();
    }
    ++report.programs;
    if (options.programsDone) {
      options.programsDone->store(report.programs, std::memory_order_relaxed);
    }
  }
  machine.memory.countWritten(report);
  return llvm::Error::success();
}

} // namespace tz::interpreter
