//===- VectorClocks.cpp - what stands before what -------------------------===//
//
// What   See VectorClocks.h.
// Why    See VectorClocks.h.
//===----------------------------------------------------------------------===//
#include "test/fibers/VectorClocks.h"

#include <algorithm>

namespace tz::fibers {

static bool covers(const ActorClocks &all, const ActorClocks &some) {
  for (size_t i = 0; i < some.size(); ++i) {
    if (some[i] > (i < all.size() ? all[i] : 0)) {
      return false;
    }
  }
  return true;
}

Known join(const Known &some, const Known &others) {
  if (!others || some == others) {
    return some;
  }
  if (!some) {
    return others;
  }
  // All threads of a block often learn the same.
  thread_local std::pair<Known, Known> last;
  thread_local Known made;
  if (last.first == some && last.second == others) {
    return made;
  }
  auto all = std::make_shared<Clocks>(*some);
  for (const auto &[block, clocks] : *others) {
    auto &mine = (*all)[block];
    if (!mine || covers(*clocks, *mine)) {
      mine = clocks;
    } else if (!covers(*mine, *clocks)) {
      auto both = std::make_shared<ActorClocks>(*mine);
      both->resize(std::max(mine->size(), clocks->size()));
      for (size_t i = 0; i < clocks->size(); ++i) {
        (*both)[i] = std::max((*both)[i], (*clocks)[i]);
      }
      mine = std::move(both);
    }
  }
  last = {some, others};
  made = all;
  return all;
}

const ActorClocks *partOf(const Known &known, uint32_t block) {
  if (!known) {
    return nullptr;
  }
  auto found = known->find(block);
  return found == known->end() ? nullptr : found->second.get();
}

} // namespace tz::fibers
