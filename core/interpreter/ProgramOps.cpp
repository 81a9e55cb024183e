//===- ProgramOps.cpp - constants, ids, hints, print, assert --------------===//
//
// What   Ops about the program itself; promises are checked in checked mode.
// Why    A broken promise (tile.assume, tile.hint) makes a target's answer
//        wrong where the interpreter's is right: it must be said.
//
//===----------------------------------------------------------------------===//
#include "core/interpreter/ElementText.h"
#include "core/interpreter/Machine.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace mlir;

namespace tz::interpreter {

namespace {

bool constant(Machine &m, const Instruction &in) {
  m.setResult(in, in.constant);
  return true;
}

bool programId(Machine &m, const Instruction &in) {
  const uint32_t axis = cast<tile::ProgramIdOp>(in.op).getAxis();
  m.setResult(in, fromIntegers(Kind::I32, {m.program[axis]}));
  return true;
}

bool numPrograms(Machine &m, const Instruction &in) {
  const uint32_t axis = cast<tile::NumProgramsOp>(in.op).getAxis();
  m.setResult(in, fromIntegers(Kind::I32, {m.args.grid[axis]}));
  return true;
}

bool assume(Machine &m, const Instruction &in) {
  if (m.options.checked && !m.operand(in, 0).isTrueAt(0)) {
    m.find(in, FindingKind::BrokenPromise, 0, "an assumption does not hold");
  }
  return true;
}

/// "[3, 7]" of a lane; empty for a scalar.
std::string position(ArrayRef<int64_t> shape, int64_t lane) {
  if (shape.empty()) {
    return "";
  }
  SmallVector<std::string> parts;
  for (size_t d = shape.size(); d-- > 0;) {
    parts.insert(parts.begin(), std::to_string(lane % shape[d]));
    lane /= shape[d];
  }
  return "[" + llvm::join(parts, ", ") + "]";
}

/// Checks one dimension of a hint: runs of `run` values that grow by `step`;
/// every run's start is a multiple of `multiple`. A `run` of 0: the hint names
/// no length, so that a run goes on as far as the values do.
void checkRuns(Machine &m, const Instruction &in, int64_t dim, int64_t run,
               uint64_t step, uint64_t multiple) {
  Unsigned lanes = unsignedLanes(m.operand(in, 0));
  ArrayRef<int64_t> shape = tile::shapeOf(in.op->getOperand(0).getType());
  int64_t inner = 1;
  for (size_t d = dim + 1; d < shape.size(); ++d) {
    inner *= shape[d];
  }
  const int64_t size = shape.empty() ? 1 : shape[dim];
  const Kind kind = m.operand(in, 0).kind();
  auto element = cast_if_present<tile::PtrType>(dyn_cast<tile::PtrType>(
      tile::elementType(in.op->getOperand(0).getType())));
  const uint64_t unit = element ? tile::storageBytes(element.getPointee()) : 1;
  for (int64_t lane = 0; lane < static_cast<int64_t>(lanes.size()); ++lane) {
    const int64_t index = lane / inner % size;
    const uint64_t keep =
        widthOf(kind) == 64 ? ~uint64_t{0} : (uint64_t{1} << widthOf(kind)) - 1;
    const bool follows =
        index != 0 &&
        lanes[lane] == ((lanes[lane - inner] + step * unit) & keep);
    const bool starts = run == 0 ? !follows : index % run == 0;
    const bool holds = starts ? lanes[lane] % multiple == 0 : follows;
    if (!holds) {
      m.find(in, FindingKind::BrokenPromise, 0,
             "the hint does not hold at " + position(shape, lane) +
                 (starts ? ": not a multiple of " + std::to_string(multiple)
                         : std::string(": the run of ") + std::to_string(run) +
                               " ends early"));
      return;
    }
  }
}

bool hint(Machine &m, const Instruction &in) {
  auto op = cast<tile::HintOp>(in.op);
  if (m.options.checked && !isFloat(m.operand(in, 0).kind())) {
    const size_t rank =
        std::max<size_t>(1, tile::shapeOf(op.getSource().getType()).size());
    for (size_t d = 0; d < rank; ++d) {
      const int64_t run = op.getContiguity() ? (*op.getContiguity())[d] : 0;
      const int64_t multiple =
          op.getDivisibility() ? (*op.getDivisibility())[d] : 1;
      checkRuns(m, in, static_cast<int64_t>(d), run, 1,
                static_cast<uint64_t>(multiple));
      if (op.getConstancy()) {
        checkRuns(m, in, static_cast<int64_t>(d), (*op.getConstancy())[d], 0,
                  1);
      }
    }
  }
  m.setResult(in, m.operand(in, 0));
  return true;
}

bool barrier(Machine &, const Instruction &) {
  return true; // memory ops of a program are executed in order anyway
}

/// One line an element, in the form that docs/reference/abi.md gives for
/// devices.
bool print(Machine &m, const Instruction &in) {
  if (!m.options.print) {
    return true;
  }
  auto op = cast<tile::PrintOp>(in.op);
  auto show = [&](llvm::function_ref<void(llvm::raw_ostream &)> write) {
    PrintEvent event{m.program, describe(op.getLoc()), {}};
    llvm::raw_string_ostream os(event.text);
    write(os);
    os.flush();
    m.options.print(event);
  };
  const size_t count = in.operands.size();
  if (count == 0) {
    show([&](llvm::raw_ostream &os) { os << "idx () " << op.getPrefix(); });
  }
  for (unsigned i = 0; i < count; ++i) {
    const TileValue &value = m.operand(in, i);
    ArrayRef<int64_t> shape = tile::shapeOf(op.getArgs()[i].getType());
    for (int64_t lane = 0; lane < value.count(); ++lane) {
      show([&](llvm::raw_ostream &os) {
        std::string where = position(shape, lane);
        os << "idx ("
           << (where.empty() ? where : where.substr(1, where.size() - 2))
           << ") ";
        if (count > 1) {
          os << "(operand " << i << ") ";
        }
        os << op.getPrefix() << (op.getPrefix().ends_with(" ") ? "" : " ");
        printElement(os, value, lane, op.getIsSigned()[i], op.getHex());
      });
    }
  }
  return true;
}

/// Whoever watches the run notes when it comes by.
bool record(Machine &, const Instruction &) { return true; }

bool assertion(Machine &m, const Instruction &in) {
  auto op = cast<tile::AssertOp>(in.op);
  const TileValue &condition = m.operand(in, 0);
  for (int64_t lane = 0; lane < condition.count(); ++lane) {
    const bool active = !op.getMask() || m.operand(in, 1).isTrueAt(lane);
    if (active && !condition.isTrueAt(lane)) {
      std::string where =
          position(tile::shapeOf(op.getCondition().getType()), lane);
      return m.fail(in, "assertion failed: " + op.getMessage() +
                            (where.empty() ? "" : " at " + where));
    }
  }
  return true;
}

} // namespace

void addProgramHandlers(HandlerTable &table) {
  table["arith.constant"] = constant;
  table["tile.program_id"] = programId;
  table["tile.num_programs"] = numPrograms;
  table["tile.assume"] = assume;
  table["tile.hint"] = hint;
  table["tile.barrier"] = barrier;
  table["tile.print"] = print;
  table["tile.assert"] = assertion;
  table["tile.record"] = record;
}

} // namespace tz::interpreter
