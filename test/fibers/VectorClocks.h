//===- VectorClocks.h - what stands before what -----------------*- C++ -*-===//
//
// What   For each actor of a block a clock; sets of clocks, shared by all who
//        know the same, and how two of them are put together.
// Why    An access comes before another one if the thread that does the later
//        one knows the earlier one's clock.
//
// An actor is a thread, or what works beside it for it: its asynchronous
// copies, its dots in flight, its bulk stores; and the bulk copies of one
// barrier with phases.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_TEST_FIBERS_VECTORCLOCKS_H
#define TERRAZZO_TEST_FIBERS_VECTORCLOCKS_H

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace tz::fibers {

/// What works for a thread.
enum class Worker : uint32_t { self, copies, dots, stores };
constexpr uint32_t WorkersOfThread = 4;
constexpr uint32_t actorOf(uint32_t thread, Worker worker) {
  return thread * WorkersOfThread + uint32_t(worker);
}

/// What is known in one order. A barrier says which memories it orders, so each
/// memory has its own. `published`: what the bulk copy unit and the matrix unit
/// may meet, too.
enum class Order : uint8_t { shared, device, publishedShared, publishedDevice };
constexpr unsigned NumOrders = 4;

using ActorClocks = std::vector<uint32_t>; // what lies behind its end is 0
/// By block.
using Clocks = std::map<uint32_t, std::shared_ptr<const ActorClocks>>;
/// Null: nothing.
using Known = std::shared_ptr<const Clocks>;

Known join(const Known &some, const Known &others);

/// This block's part of what is known; null: nothing.
const ActorClocks *partOf(const Known &known, uint32_t block);

inline uint32_t clockOf(const ActorClocks *clocks, uint32_t actor) {
  return clocks && actor < clocks->size() ? (*clocks)[actor] : 0;
}

} // namespace tz::fibers

#endif // TERRAZZO_TEST_FIBERS_VECTORCLOCKS_H
