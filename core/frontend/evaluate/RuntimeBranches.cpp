//===- RuntimeBranches.cpp - the two arms of a run-time branch ------------===//
//
// What   Opening and closing branches; what a name is after both arms.
// Why    See RuntimeBranches.h.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/RuntimeBranches.h"

#include "core/frontend/evaluate/Evaluator.h"
#include "core/frontend/evaluate/FlatValues.h"

#include "terrazzo/ir/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tz::frontend {

namespace scf = mlir::scf;
namespace arith = mlir::arith;

std::vector<StringRef> RuntimeBranches::changedNames(const Branch &branch) {
  std::vector<StringRef> names;
  for (const Arm *arm : {&branch.whenTrue, &branch.whenFalse}) {
    for (auto &[name, binding] : arm->scope) {
      auto before = branch.before.find(name);
      if (before == branch.before.end() ||
          !identical(before->second.value, binding.value)) {
        names.push_back(name);
      }
    }
  }
  llvm::sort(names);
  names.erase(llvm::unique(names), names.end());
  return names;
}

RuntimeBranches::Branch RuntimeBranches::open(SourceLoc loc, mlir::Value flag) {
  auto draft =
      scf::IfOp::create(ev.builder(), ev.location(loc), mlir::TypeRange(), flag,
                        /*withElseRegion=*/true);
  Branch branch;
  branch.loc = loc;
  branch.draft = draft;
  branch.before = ev.frame().scope;
  ev.builder().setInsertionPoint(draft.thenYield());
  return branch;
}

Value RuntimeBranches::closeWithValue(Branch &branch) {
  close(branch, changedNames(branch));
  Scope &scope = ev.frame().scope;
  Value value = scope[ValueName].value;
  scope.erase(ValueName);
  return value;
}

void RuntimeBranches::closeArm(Arm &arm, Branch &branch) {
  if (arm.flow.kind == Flow::Normal) {
    arm.flow.kind = Flow::Fell;
  }
  arm.scope = std::move(ev.frame().scope);
  ev.frame().scope = branch.before;
}

Value RuntimeBranches::placeholder(const Value &like, mlir::Operation *around,
                                   SourceLoc loc, StringRef unmakable) {
  SmallVector<mlir::Value> tiles;
  flatten(like, tiles);
  for (mlir::Value &tile : tiles) {
    mlir::Type type = tile.getType();
    mlir::Location at = ev.location(loc);
    const bool isPointer = isa<tile::PtrType>(tile::elementType(type));
    if (!around->isAncestor(tile.getParentBlock()->getParentOp())) {
      continue;
    }
    if (isa<tile::ViewType>(type)) {
      return ev.fail(loc, unmakable.str());
    }
    if (isPointer) {
      type = isa<mlir::RankedTensorType>(type)
                 ? mlir::Type(mlir::RankedTensorType::get(
                       tile::shapeOf(type), ev.builder().getI64Type()))
                 : mlir::Type(ev.builder().getI64Type());
    }
    mlir::Type pointers = tile.getType();
    tile = arith::ConstantOp::create(
        ev.builder(), at,
        cast<mlir::TypedAttr>(ev.builder().getZeroAttr(type)));
    if (isPointer) {
      tile = tile::IntToPtrOp::create(ev.builder(), at, pointers, tile);
    }
  }
  mlir::ValueRange values(tiles);
  return rebuild(like, values);
}

/// What is returned; false after an error.
bool RuntimeBranches::mergeReturned(Branch &branch,
                                    SmallVectorImpl<Leaving> &leaving,
                                    Flow &result) {
  auto returns = [](const Arm &arm) { return arm.flow.may(Flow::Return); };
  auto in = [&](mlir::Operation *yield, auto make) {
    mlir::OpBuilder::InsertionGuard guard(ev.builder());
    ev.builder().setInsertionPoint(yield);
    return make();
  };
  Value a = branch.whenTrue.flow.value, c = branch.whenFalse.flow.value;
  if ((returns(branch.whenTrue) && a.isError()) ||
      (returns(branch.whenFalse) && c.isError())) {
    result = {Flow::Return, Value()};
    return false;
  }
  if (!returns(branch.whenTrue)) {
    a = in(branch.draft.thenYield(), [&] {
      return placeholder(c, branch.draft, branch.loc, ReturnedView);
    });
  } else if (!returns(branch.whenFalse)) {
    c = in(branch.draft.elseYield(), [&] {
      return placeholder(a, branch.draft, branch.loc, ReturnedView);
    });
  }
  if (identical(a, c)) {
    result.value = a;
    return true;
  }
  a = in(branch.draft.thenYield(), [&] { return ev.sanitize(a, branch.loc); });
  c = in(branch.draft.elseYield(), [&] { return ev.sanitize(c, branch.loc); });
  if (a.isError() || c.isError()) {
    result = {Flow::Return, Value()};
    return false;
  }
  if (!sameShape(a, c)) {
    ev.fail(branch.loc, "returned values differ in type: " + describe(a) +
                            " on one path, " + describe(c) +
                            " on another; return one type on every path");
    result = {Flow::Return, Value()};
    return false;
  }
  leaving.push_back({{}, a, c, branch.loc});
  return true;
}

/// A name where one arm has returned: the other alone says what it is.
void RuntimeBranches::mergeBesideReturn(StringRef name, Branch &branch,
                                        bool thenGone,
                                        SmallVectorImpl<Leaving> &leaving) {
  const Scope &scope =
      thenGone ? branch.whenFalse.scope : branch.whenTrue.scope;
  auto found = scope.find(name);
  if (found == scope.end()) {
    ev.frame().scope.erase(name);
    return;
  }
  Binding live = found->second;
  auto before = branch.before.find(name);
  const bool isKnown = before != branch.before.end();
  SmallVector<mlir::Value> tiles;
  flatten(live.value, tiles);
  if (tiles.empty() ||
      (isKnown && identical(before->second.value, live.value))) {
    ev.frame().scope[name] = live;
    return;
  }
  mlir::OpBuilder::InsertionGuard guard(ev.builder());
  ev.builder().setInsertionPoint(thenGone ? branch.draft.thenYield()
                                          : branch.draft.elseYield());
  Value none = isKnown && sameShape(before->second.value, live.value)
                   ? before->second.value
                   : placeholder(live.value, branch.draft, live.loc,
                                 "a block pointer or descriptor that is set "
                                 "on one path of a run-time if beside a "
                                 "return cannot be used after it; set it "
                                 "before the if");
  if (none.isError()) {
    ev.frame().scope[name] = Binding{Value(), live.loc};
    return;
  }
  leaving.push_back({name, thenGone ? none : live.value,
                     thenGone ? live.value : none, live.loc});
}

/// An argument that is known because it is 1 is a run-time scalar where the
/// other arm has one.
void RuntimeBranches::unfold(Binding &binding, const Binding &other,
                             mlir::Operation *yield) {
  if (binding.value.isFolded && other.value.isTile()) {
    mlir::OpBuilder::InsertionGuard guard(ev.builder());
    ev.builder().setInsertionPoint(yield);
    binding.value = ev.sanitize(binding.value, binding.loc);
  }
}

/// A name after both arms: bound at once, or put into `leaving`.
void RuntimeBranches::mergeName(StringRef name, Branch &branch,
                                SmallVectorImpl<Leaving> &leaving) {
  auto thenIt = branch.whenTrue.scope.find(name);
  auto elseIt = branch.whenFalse.scope.find(name);
  const bool noThen = thenIt == branch.whenTrue.scope.end();
  const bool noElse = elseIt == branch.whenFalse.scope.end();
  auto unset = [&](std::vector<Note> origins, std::string reason) {
    SourceLoc where = origins.back().loc;
    ev.frame().scope[name] =
        Binding{Value::unset(std::move(origins), std::move(reason)), where};
  };
  const bool thenGone = branch.whenTrue.flow.kind == Flow::Return;
  const bool elseGone = branch.whenFalse.flow.kind == Flow::Return;
  if (thenGone || elseGone) {
    mergeBesideReturn(name, branch, thenGone, leaving);
    return;
  }
  if (noThen && noElse) {
    return;
  }
  if (noThen || noElse) {
    unset(
        {{noThen ? elseIt->second.loc : thenIt->second.loc, "it is set here"}},
        "is set only on one path of a run-time if, it has no value when "
        "the condition is " +
            std::string(noThen ? "true" : "false") +
            "; set it before the if or on both paths");
    return;
  }
  Binding a = thenIt->second, c = elseIt->second;
  unfold(a, c, branch.draft.thenYield());
  unfold(c, a, branch.draft.elseYield());
  if (a.value.isError() || c.value.isError()) {
    ev.frame().scope[name] = Binding{Value(), a.loc};
  } else if (identical(a.value, c.value)) {
    ev.frame().scope[name] = a;
  } else if (a.value.is(ValueKind::Unset) || c.value.is(ValueKind::Unset)) {
    ev.frame().scope[name] = a.value.is(ValueKind::Unset) ? a : c;
  } else if (sameShape(a.value, c.value)) {
    leaving.push_back({name, a.value, c.value, a.loc});
  } else {
    unset({{a.loc, "it is " + describe(a.value) + " from here"},
           {c.loc, "it is " + describe(c.value) + " from here"}},
          "has different types on the two paths of a run-time if: " +
              describe(a.value) + " if the condition holds, " +
              describe(c.value) + " otherwise; give it one type on both paths");
  }
}

/// The tiles of what leaves both arms. Null: they differ, and the scf.if has a
/// result of the two values that are appended.
SmallVector<mlir::Value>
RuntimeBranches::splitTiles(ArrayRef<Leaving> leaving,
                            SmallVectorImpl<mlir::Value> &thenValues,
                            SmallVectorImpl<mlir::Value> &elseValues) {
  SmallVector<mlir::Value> tiles, whenFalse;
  for (const Leaving &item : leaving) {
    flatten(item.whenTrue, tiles);
    flatten(item.whenFalse, whenFalse);
  }
  for (auto [tile, other] : zip_equal(tiles, whenFalse)) {
    if (tile != other) {
      thenValues.push_back(std::exchange(tile, nullptr));
      elseValues.push_back(other);
    }
  }
  return tiles;
}

Flow RuntimeBranches::close(Branch &branch, ArrayRef<StringRef> names) {
  const Flow &a = branch.whenTrue.flow, &c = branch.whenFalse.flow;
  Flow result;
  result.setWays(a.ways() | c.ways());
  SmallVector<Leaving, 4> leaving;
  if (result.may(Flow::Return) && !mergeReturned(branch, leaving, result)) {
    return result;
  }
  if (result.kind != Flow::Return) {
    for (StringRef name : names) {
      mergeName(name, branch, leaving);
    }
  }
  SmallVector<mlir::Value> thenValues, elseValues;
  SmallVector<mlir::Value> tiles = splitTiles(leaving, thenValues, elseValues);
  SmallVector<Flow::Kind, 3> flagged;
  for (Flow::Kind way : Flow::AllExits) {
    if (result.kind == Flow::Mixed && result.may(way)) {
      flagged.push_back(way);
      ev.builder().setInsertionPoint(branch.draft.thenYield());
      thenValues.push_back(hasEnded(a, way, branch.loc));
      ev.builder().setInsertionPoint(branch.draft.elseYield());
      elseValues.push_back(hasEnded(c, way, branch.loc));
    }
  }
  ev.builder().setInsertionPointAfter(branch.draft);
  mlir::ValueRange results;
  if (!thenValues.empty()) {
    results = replaceDraft(branch.draft, thenValues, elseValues).getResults();
  }
  for (mlir::Value &tile : tiles) {
    if (!tile) {
      tile = results.front();
      results = results.drop_front();
    }
  }
  mlir::ValueRange rest(tiles);
  for (const Leaving &item : leaving) {
    Value left = rebuild(item.whenTrue, rest);
    if (item.name.empty()) {
      result.value = left;
    } else {
      ev.frame().scope[item.name] = Binding{left, item.loc};
    }
  }
  for (Flow::Kind way : flagged) {
    result.flags[way] = results.front();
    results = results.drop_front();
  }
  return result;
}

scf::IfOp RuntimeBranches::replaceDraft(scf::IfOp draft,
                                        ArrayRef<mlir::Value> thenValues,
                                        ArrayRef<mlir::Value> elseValues) {
  ev.builder().setInsertionPoint(draft);
  auto final = scf::IfOp::create(ev.builder(), draft.getLoc(),
                                 mlir::ValueRange(thenValues).getTypes(),
                                 draft.getCondition(), /*withElseRegion=*/true);
  final.getThenRegion().takeBody(draft.getThenRegion());
  final.getElseRegion().takeBody(draft.getElseRegion());
  final.thenYield()->setOperands(thenValues);
  final.elseYield()->setOperands(elseValues);
  draft.erase();
  ev.builder().setInsertionPointAfter(final);
  return final;
}

mlir::Value RuntimeBranches::hasEnded(const Flow &flow,
                                      ArrayRef<Flow::Kind> ways,
                                      SourceLoc loc) {
  mlir::Value any;
  for (Flow::Kind way : ways) {
    mlir::Value one;
    if (flow.kind == way) {
      one = arith::ConstantOp::create(ev.builder(), ev.location(loc),
                                      ev.builder().getBoolAttr(true));
    } else if (flow.may(way)) {
      one = flow.flags[way];
    }
    any = any && one ? mlir::Value(arith::OrIOp::create(
                           ev.builder(), ev.location(loc), any, one))
          : one      ? one
                     : any;
  }
  return any ? any
             : mlir::Value(
                   arith::ConstantOp::create(ev.builder(), ev.location(loc),
                                             ev.builder().getBoolAttr(false)));
}

Flow RuntimeBranches::afterExits(const Flow &flow, SourceLoc loc,
                                 Continuation following) {
  mlir::Value left = hasEnded(flow, Flow::AllExits, loc);
  Branch again = open(loc, left);
  again.whenTrue.flow = flow.among(~(1U << Flow::Fell));
  closeArm(again.whenTrue, again);
  ev.builder().setInsertionPoint(again.draft.elseYield());
  again.whenFalse.flow = following();
  closeArm(again.whenFalse, again);
  return close(again, changedNames(again));
}

} // namespace tz::frontend
