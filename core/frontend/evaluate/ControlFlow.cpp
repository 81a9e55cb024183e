//===- ControlFlow.cpp - how a block of statements ended ------------------===//
//
// What   Sets of ways to end.
// Why    See ControlFlow.h.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/ControlFlow.h"

namespace tz::frontend {

void Flow::setWays(unsigned ways) {
  mixed = ways;
  kind = Mixed;
  for (Kind one : {Normal, Return, Break, Continue, Fell}) {
    kind = ways == 1U << one ? one : kind;
  }
}

Flow Flow::among(unsigned ways) const {
  Flow flow = *this;
  flow.setWays(this->ways() & ways);
  if (!flow.may(Return)) {
    flow.value = Value();
  }
  return flow;
}

} // namespace tz::frontend
