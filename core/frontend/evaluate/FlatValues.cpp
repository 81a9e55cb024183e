//===- FlatValues.cpp - a value as its SSA values -------------------------===//
//
// What   flatten, rebuild, sameShape.
// Why    See FlatValues.h.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/FlatValues.h"

#include "core/frontend/evaluate/EvaluationBounds.h"
#include "core/frontend/evaluate/WorkBudget.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tz::frontend {

void flatten(const Value &value, SmallVectorImpl<mlir::Value> &out) {
  WorkBudget::Level level;
  if (!level) {
    return;
  }
  if (value.isTile()) {
    out.push_back(value.asTile().value);
  } else if (value.isSequence()) {
    for (const Value &item : value.items()) {
      flatten(item, out);
    }
    // A tuple that holds another twice, and so on, has 2^n parts.
    if (out.size() > Limits().sequenceLength) {
      WorkBudget::charge(WorkBudget::Steps);
    }
  }
}

Value rebuild(const Value &shape, mlir::ValueRange &values) {
  WorkBudget::Level level;
  if (!level) {
    return Value();
  }
  if (shape.isTile()) {
    if (values.empty()) { // the budget ended while they were collected
      return Value();
    }
    TileValue tile = shape.asTile();
    tile.value = values.front();
    values = values.drop_front();
    return Value::tile(std::move(tile));
  }
  if (shape.isSequence()) {
    auto copy = std::make_shared<SequenceObject>(shape.sequence());
    for (Value &item : copy->items) {
      item = rebuild(item, values);
    }
    return shape.is(ValueKind::Record) ? Value::record(copy)
           : shape.is(ValueKind::List) ? Value::list(std::move(copy->items))
                                       : Value::tuple(std::move(copy->items));
  }
  return shape;
}

bool sameShape(const Value &a, const Value &b) {
  WorkBudget::Level level;
  if (!level) {
    return false;
  }
  if (a.isTile() && b.isTile()) {
    return a.asTile().type == b.asTile().type;
  }
  if (a.isSequence() && b.isSequence()) {
    return a.is(ValueKind::Record) == b.is(ValueKind::Record) &&
           a.sequence().type == b.sequence().type &&
           a.items().size() == b.items().size() &&
           all_of(zip(a.items(), b.items()), [](auto pair) {
             return sameShape(std::get<0>(pair), std::get<1>(pair));
           });
  }
  return !a.isTile() && !b.isTile() && identical(a, b);
}

} // namespace tz::frontend
