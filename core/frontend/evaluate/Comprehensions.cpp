//===- Comprehensions.cpp - [f(x) for x in xs if p(x)] --------------------===//
//
// What   Runs the loops and conditions of a comprehension.
// Why    See Comprehensions.h.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/Comprehensions.h"

#include "core/frontend/evaluate/BlockAnalysis.h"
#include "core/frontend/evaluate/Evaluator.h"

using namespace llvm;

namespace tz::frontend {

using namespace ast;

namespace {

/// The generators of a comprehension from the first on, each in the others.
class ComprehensionRun {
public:
  ComprehensionRun(Evaluator &ev, const Comprehension *node)
      : ev(ev), node(node) {
    if (isDict()) {
      result = Value::dict();
    }
  }

  Value run() {
    level(0);
    if (hasEnded()) {
      return reason;
    }
    if (isDict()) {
      return result;
    }
    return node->comprehension == ComprehensionKind::Generator && !ev.inHost()
               ? Value::tuple(std::move(items))
               : Value::list(std::move(items));
  }

private:
  bool isDict() const { return node->comprehension == ComprehensionKind::Dict; }
  bool hasEnded() const { return failed || ev.bounds().isStopped(); }
  void giveUp(Value why) {
    failed = true;
    reason = std::move(why);
  }

  void level(size_t index) {
    if (hasEnded()) {
      return;
    }
    if (index == node->generators.size()) {
      element();
      return;
    }
    const ast::Generator &generator = node->generators[index];
    Value iterable = ev.eval(generator.iterable);
    std::optional<std::vector<Value>> sequence =
        itemsOf(iterable, ev.limits().sequenceLength);
    if (!sequence) {
      giveUp(iterable.isError()
                 ? iterable
                 : ev.fail(generator.iterable->loc,
                           "comprehension needs a compile-time sequence, "
                           "found " +
                               describe(iterable)));
      return;
    }
    for (Value &item : *sequence) {
      ev.assign(generator.target, item, generator.target->loc, true);
      if (isTaken(generator)) {
        level(index + 1);
      }
      if (hasEnded()) {
        return;
      }
    }
  }

  void element() {
    Value value = ev.eval(node->element);
    if (isDict()) {
      result.dictionary().set(value, ev.eval(node->value));
      return;
    }
    failed |= value.isError();
    items.push_back(std::move(value));
    if (items.size() > ev.limits().sequenceLength) {
      giveUp(ev.fail(node->loc, "comprehension makes more than " +
                                    Twine(ev.limits().sequenceLength) +
                                    " values (limit of sequence length)"));
    }
  }

  bool isTaken(const ast::Generator &generator) {
    bool taken = true;
    for (const Expr *condition : generator.conditions) {
      Value value = ev.eval(condition);
      std::optional<bool> decided = truth(value);
      if (!decided) {
        giveUp(value.isError()
                   ? value
                   : ev.fail(condition->loc,
                             "condition of a comprehension must be known at "
                             "compile time"));
        return false;
      }
      taken &= *decided;
    }
    return taken;
  }

  Evaluator &ev;
  const Comprehension *node;
  Value result; // a dictionary
  std::vector<Value> items;
  bool failed = false;
  Value reason;
};

} // namespace

Value evaluateComprehension(Evaluator &ev, const Comprehension *node) {
  bool list = node->comprehension == ComprehensionKind::List ||
              node->comprehension == ComprehensionKind::Generator;
  if (!ev.inHost() && (!list || node->generators.size() != 1)) {
    return ev.fail(node->loc, "only comprehensions with one 'for' over a tuple "
                              "are supported in kernel code");
  }
  // The variables of its loops are local to it, what `:=` sets is not.
  Scope saved = ev.frame().scope;
  Value result = ComprehensionRun(ev, node).run();
  for (StringRef name : assignedNames(node)) {
    if (auto set = ev.frame().scope.find(name); set != ev.frame().scope.end()) {
      saved[name] = set->second;
    }
  }
  ev.frame().scope = std::move(saved);
  return result;
}

} // namespace tz::frontend
