//===- ControlOps.cpp - scf.if, scf.for, scf.while ------------------------===//
//
// What   Structured control flow over translated blocks.
// Why    C++ recursion is as deep as the nesting of regions, which translate()
//        limits; loops are loops.
//
//===----------------------------------------------------------------------===//
#include "core/interpreter/Machine.h"

using namespace mlir;

namespace tz::interpreter {

namespace {

/// Copies first: sources and targets may be the same slots in another order.
void moveValues(Machine &m, ArrayRef<uint32_t> from, ArrayRef<uint32_t> to) {
  SmallVector<TileValue, 4> values;
  for (uint32_t slot : from) {
    values.push_back(m.valueIn(slot));
  }
  for (auto [slot, value] : llvm::zip(to, values)) {
    m.setValue(slot, value);
  }
}

bool branch(Machine &m, const Instruction &in) {
  m.decideBy(m.operand(in, 0));
  const Code &code = in.regions[m.operand(in, 0).isTrueAt(0) ? 0 : 1];
  if (!m.execute(code)) {
    return false;
  }
  moveValues(m, code.yields, in.results);
  return true;
}

/// Turns of a loop from `low` to `high` by `step` > 0, without overflow.
uint64_t iterationsOf(bool isUnsigned, const TileValue &low,
                      const TileValue &high, const TileValue &step) {
  auto read = [&](const TileValue &value) {
    return isUnsigned ? static_cast<__int128>(value.bitsAt(0))
                      : static_cast<__int128>(signedLanes(value).front());
  };
  const __int128 distance = read(high) - read(low);
  if (distance <= 0) {
    return 0;
  }
  return static_cast<uint64_t>((distance + read(step) - 1) / read(step));
}

bool countedLoop(Machine &m, const Instruction &in) {
  auto op = cast<scf::ForOp>(in.op);
  const Code &code = in.regions.front();
  const TileValue low = m.operand(in, 0), step = m.operand(in, 2);
  const bool isUnsigned = op.getUnsignedCmp();
  if (step.bitsAt(0) == 0 || (!isUnsigned && signedLanes(step).front() < 0)) {
    return m.fail(in, "the step of a loop must be positive");
  }
  for (unsigned i = 0; i < 3; ++i) {
    m.decideBy(m.operand(in, i));
  }
  const uint64_t iterations =
      iterationsOf(isUnsigned, low, m.operand(in, 1), step);
  ArrayRef<uint32_t> inits = ArrayRef<uint32_t>(in.operands).drop_front(3);
  ArrayRef<uint32_t> carried = ArrayRef<uint32_t>(code.arguments).drop_front();
  moveValues(m, inits, carried);
  uint64_t index = low.bitsAt(0);
  for (uint64_t iteration = 0; iteration < iterations;
       ++iteration, index += step.bitsAt(0)) {
    m.setValue(code.arguments.front(), fromIntegers(low.kind(), {index}));
    if (!m.iterate(in) || !m.execute(code)) {
      return false;
    }
    moveValues(m, code.yields, carried);
  }
  moveValues(m, carried, in.results);
  return true;
}

bool conditionalLoop(Machine &m, const Instruction &in) {
  const Code &before = in.regions[0], &after = in.regions[1];
  moveValues(m, in.operands, before.arguments);
  while (true) {
    if (!m.iterate(in) || !m.execute(before)) {
      return false;
    }
    // scf.condition: the condition, then what it hands on.
    auto handed = ArrayRef<uint32_t>(before.yields).drop_front();
    m.decideBy(m.valueIn(before.yields.front()));
    if (!m.valueIn(before.yields.front()).isTrueAt(0)) {
      moveValues(m, handed, in.results);
      return true;
    }
    moveValues(m, handed, after.arguments);
    if (!m.execute(after)) {
      return false;
    }
    moveValues(m, after.yields, before.arguments);
  }
}

} // namespace

void addControlHandlers(HandlerTable &table) {
  table["scf.if"] = branch;
  table["scf.for"] = countedLoop;
  table["scf.while"] = conditionalLoop;
}

} // namespace tz::interpreter
