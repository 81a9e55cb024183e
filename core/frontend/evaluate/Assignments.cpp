//===- Assignments.cpp - what names are bound to --------------------------===//
//
// What   Assignment to names, sequences of them, subscripts and attributes.
// Why    See Assignments.h.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/Assignments.h"

#include "core/frontend/evaluate/Classes.h"
#include "core/frontend/evaluate/Evaluator.h"
#include "core/frontend/evaluate/WorkBudget.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tz::frontend {

using namespace ast;

Value Assignments::sanitize(const Value &value, SourceLoc loc) {
  WorkBudget::Level level;
  if (!level) {
    return Value();
  }
  if (value.isNumber()) {
    return ev.materialise(value, loc);
  }
  if (value.is(ValueKind::Tuple) || value.is(ValueKind::List)) {
    std::vector<Value> items;
    for (const Value &item : value.items()) {
      items.push_back(sanitize(item, loc));
    }
    return Value::tuple(std::move(items));
  }
  if (value.is(ValueKind::Record) && value.sequence().type &&
      value.sequence().type->isAggregate) {
    return value; // its class says what its fields are
  }
  if (value.is(ValueKind::Record)) {
    auto fields = std::make_shared<SequenceObject>(value.sequence());
    for (Value &item : fields->items) {
      item = sanitize(item, loc);
    }
    return Value::record(std::move(fields));
  }
  return value;
}

void Assignments::bind(StringRef name, Value value, SourceLoc loc) {
  Evaluator::Frame &f = ev.frame();
  if (!f.function && f.isHost) {
    if (!f.module->given.contains(name)) {
      f.module->members[name] = Binding{std::move(value), loc};
    }
    return;
  }
  ev.notes().name(name, value, loc);
  f.scope[name] = Binding{std::move(value), loc};
}

void Assignments::toSequence(ArrayRef<Expr *> targets, const Value &value,
                             SourceLoc at, SourceLoc loc, bool keepConstexpr) {
  bool known = value.isSequence();
  size_t star = find_if(targets, [](Expr *e) { return isa<Starred>(e); }) -
                targets.begin();
  if (ev.inHost() && known && star < targets.size() &&
      value.items().size() + 1 >= targets.size()) {
    size_t extra = value.items().size() + 1 - targets.size();
    for (size_t i = 0; i < targets.size(); ++i) {
      if (i == star) {
        assign(cast<Starred>(targets[i])->value,
               Value::list(value.items().slice(i, extra).vec()), loc, true);
      } else {
        assign(targets[i], value.items()[i < star ? i : i + extra - 1], loc,
               keepConstexpr);
      }
    }
    return;
  }
  if (known && star == targets.size() &&
      value.items().size() == targets.size()) {
    for (auto [t, v] : zip(targets, value.items())) {
      assign(t, v, loc, keepConstexpr);
    }
    return;
  }
  if (!value.isError() && !ev.inHost()) {
    if (star != targets.size()) {
      ev.fail(targets[star]->loc, "starred targets are not supported in kernel "
                                  "code");
    } else if (known) {
      ev.fail(at, "cannot unpack " + Twine(value.items().size()) +
                      " values into " + Twine(targets.size()) + " names");
    } else {
      ev.fail(at, "cannot unpack " + describe(value) + " into " +
                      Twine(targets.size()) + " names");
    }
  }
  Value each = ev.inHost()
                   ? Value::unknown(loc, "unpacked from an unknown value")
                   : Value();
  for (const Expr *t : targets) {
    assign(t, each, loc, true);
  }
}

void Assignments::toSubscript(const Subscript *target, const Value &value) {
  Value base = ev.eval(target->base);
  if (ev.inHost()) {
    Value index = ev.eval(target->index);
    if (base.is(ValueKind::Dict)) {
      base.dictionary().set(index, value);
    } else if (base.is(ValueKind::List) && index.isIntegral() &&
               index.asInt() >= 0 &&
               index.asInt() < PyInt(base.items().size())) {
      base.sequence().items[size_t(index.asInt())] = value;
    }
    return;
  }
  const bool isPointer = base.isTile() && base.asTile().type.isPtr;
  if (!base.isError()) {
    ev.fail(target->loc,
            isPointer ? "memory is not written by a subscript; use "
                        "tl.store(pointer + offset, value)"
                      : "assignment to a subscript is not supported: tiles and "
                        "sequences are values; use tl.where for a tile");
  }
}

void Assignments::assign(const Expr *target, const Value &value, SourceLoc loc,
                         bool keepConstexpr) {
  switch (target->kind) {
  case ExprKind::Name: {
    Value kept = keepConstexpr || ev.inHost() ? value : sanitize(value, loc);
    kept.isFolded = false;
    bind(cast<Name>(target)->id, std::move(kept), target->loc);
    return;
  }
  case ExprKind::Tuple:
    toSequence(cast<Tuple>(target)->elements, value, target->loc, loc,
               keepConstexpr);
    return;
  case ExprKind::List:
    toSequence(cast<List>(target)->elements, value, target->loc, loc,
               keepConstexpr);
    return;
  case ExprKind::Starred:
    assign(cast<Starred>(target)->value, value, loc, keepConstexpr);
    return;
  case ExprKind::Subscript:
    toSubscript(cast<Subscript>(target), value);
    return;
  case ExprKind::Attribute:
    if (!ev.inHost()) {
      classes.setField(cast<Attribute>(target), value);
    }
    return;
  default:
    ev.fail(target->loc, "cannot assign to this");
  }
}

} // namespace tz::frontend
