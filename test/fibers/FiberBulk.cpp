//===- FiberBulk.cpp - the bulk copy unit, and barriers with phases -------===//
//
// What   Boxes that are copied between memories beside the threads, and the
//        barriers that tell of them.
// Why    A copy is made when its barrier is waited for, a store when somebody
//        may ask for it: as late as they may be.
//===----------------------------------------------------------------------===//
#include "test/fibers/FiberBlock.h"

#include <algorithm>
#include <cstring>

namespace tz::fibers {

namespace {

constexpr uint32_t BarrierBytes = 8; // that are used, of each

/// Each element, row by row: where it is in shared memory, places exchanged as
/// the swizzle says, and in the frame; null if it is outside of that. A row of
/// the frame goes on to the end of a unit of so many bytes that it has begun.
template <typename F>
void forEachElement(const BulkCopy &copy, F &&each, uint32_t unit = 1) {
  const Frame &frame = *copy.frame;
  const uint32_t size = frame.elementBytes, last = frame.rank - 1,
                 inUnit = std::max(unit / size, 1u);
  std::array<uint32_t, 5> index{};
  for (uint32_t element = 0; element * size < copy.bytes(); ++element) {
    uint32_t rest = element;
    int64_t offset = 0;
    bool isInside = true;
    for (uint32_t dim = last + 1; dim-- > 0; rest /= copy.box[dim]) {
      index[dim] = rest % copy.box[dim];
      int64_t c = int64_t{copy.at[dim]} + index[dim];
      const int64_t first = dim == last ? c - c % inUnit : c;
      isInside &= c >= 0 && first < frame.shape[dim];
      offset += c * frame.strides[dim];
    }
    uintptr_t place =
        reinterpret_cast<uintptr_t>(copy.shared) + uintptr_t{element} * size;
    place ^= (place >> 3) & (((uintptr_t{1} << copy.swizzle) - 1) << 4);
    each(reinterpret_cast<char *>(place),
         isInside ? reinterpret_cast<char *>(frame.base) + offset * size
                  : nullptr);
  }
}

/// Each run of bytes of the frame that the box covers.
template <typename F>
void forEachRun(const BulkCopy &copy, F &&each, uint32_t unit = 1) {
  char *begin = nullptr, *end = nullptr;
  forEachElement(
      copy,
      [&](char *, char *element) {
        if (!element) {
          return;
        }
        if (element != end) {
          if (begin != end) {
            each(begin, uint32_t(end - begin));
          }
          begin = element;
        }
        end = element + copy.frame->elementBytes;
      },
      unit);
  if (begin != end) {
    each(begin, uint32_t(end - begin));
  }
}

/// As real engines: places in a row are multiples of 16 bytes.
BulkCopy copyOf(const Frame *frame, const uint32_t *box, const int32_t *at,
                char *shared, uint32_t swizzle) {
  BulkCopy copy{frame, {}, {}, shared, swizzle};
  std::copy_n(box, frame->rank, copy.box.begin());
  std::copy_n(at, frame->rank, copy.at.begin());
  if (int64_t{at[frame->rank - 1]} * frame->elementBytes % 16 != 0) {
    fail("a block begins between multiples of 16 bytes of its row");
  }
  return copy;
}

//===--- Stores -----------------------------------------------------------===//

/// Real engines store whole units (of 16 bytes), also where a row of the frame
/// ends in the middle of one (triton-lang/triton#11583 shows it for an H100).
void bulkStore(const Frame *frame, const uint32_t *box, const int32_t *at,
               char *from, uint32_t swizzle, uint32_t unit) {
  Fiber &fiber = block->fiber();
  BulkStore store{copyOf(frame, box, at, from, swizzle),
                  {},
                  fiber.clock.begun[size_t(Worker::stores)],
                  unit,
                  false};
  note(Worker::stores, Space::shared, from, store.copy.bytes(), false);
  forEachRun(
      store.copy,
      [](const char *run, uint32_t bytes) {
        note(Worker::stores, Space::device, run, bytes, true);
      },
      unit);
  ++fiber.clock.begun[size_t(Worker::stores)];
  store.before.assign(from, from + store.copy.bytes());
  if (std::any_of(at, at + frame->rank, [](int32_t c) { return c < 0; })) {
    fail("a bulk store begins before its frame");
  }
  fiber.stores.push_back(std::move(store));
}

/// Shared memory is looked at as late as it may be, and written to memory when
/// somebody may ask for it.
void awaitBulkStores(uint32_t areDone) {
  Fiber &fiber = block->fiber();
  for (BulkStore &store : fiber.stores) {
    if (!store.isRead && std::memcmp(store.before.data(), store.copy.shared,
                                     store.before.size()) != 0) {
      fail("shared memory was written while it was being stored");
    }
    store.isRead = true;
  }
  endWork(Worker::stores, 1, areDone);
  if (areDone) {
    writeBulkStores(fiber);
  }
}

//===--- Barriers with phases ---------------------------------------------===//

void noteUse(Block &where, const void *address) {
  Block &self = *block;
  take(self.run->races.access(
      self.fiber().clock, Worker::self, where.shadow,
      {Space::shared, where.offset(address), BarrierBytes, false, true}));
}

/// The barrier at an address; a report if there is none. Who uses it comes
/// after the one who made it, and before the one who ends it.
PhaseBarrier &barrierIn(Block &where, const void *address) {
  auto found = where.barriers.find(address);
  if (found == where.barriers.end()) {
    fail("a barrier with phases is used before it is made");
  }
  noteUse(where, address);
  return found->second;
}
PhaseBarrier &barrierAt(const void *address) {
  return barrierIn(*block, address);
}

void initBarriers(char *address, uint32_t count, uint32_t arrivals,
                  uint32_t bytes) {
  Block &self = *block;
  note(Worker::self, Space::shared, address, count * bytes, true);
  for (uint32_t i = 0; i < count; ++i) {
    auto [at, isNew] = self.barriers.try_emplace(address + size_t{i} * bytes);
    at->second.arrivals = arrivals;
    at->second.actor =
        self.launch().threads * WorkersOfThread + self.barrierActors++;
    if (!isNew) {
      fail("a barrier with phases is made where there is one");
    }
  }
}

void endBarriers(const char *address, uint32_t count, uint32_t bytes) {
  note(Worker::self, Space::shared, address, count * bytes, true);
  for (uint32_t i = 0; i < count; ++i) {
    const char *one = address + size_t{i} * bytes;
    PhaseBarrier &barrier = barrierAt(one);
    if (!barrier.copies.empty() || barrier.expected != 0) {
      fail("copies were on their way when their barrier was ended");
    }
    block->barriers.erase(one);
    std::erase_if(block->filledFor,
                  [&](const auto &place) { return place.second == one; });
  }
}

/// Of shared memory: what it orders.
constexpr std::array<Order, 2> OfBarriers = {Order::shared,
                                             Order::publishedShared};

/// What a thread that arrives has done and seen.
void tell(PhaseBarrier &barrier) {
  ThreadClock &clock = block->fiber().clock;
  for (Order order : OfBarriers) {
    Known &coming = barrier.coming[size_t(order)];
    coming = join(coming, clock.release(order));
  }
  ++clock.clock;
}

void learnFrom(const PhaseBarrier &barrier) {
  for (Order order : {Order::shared, Order::publishedShared, Order::device}) {
    block->fiber().clock.learn(order, barrier.told[size_t(order)]);
  }
}

/// The phase that was open has ended.
void endPhase(Block &where, PhaseBarrier &barrier) {
  for (size_t order = 0; order < NumOrders; ++order) {
    barrier.told[order] = join(barrier.told[order], barrier.coming[order]);
    barrier.coming[order] = nullptr;
  }
  ++barrier.phase;
  // Its copies have written shared memory, and read device memory.
  auto clocks = std::make_shared<ActorClocks>(barrier.actor + 1);
  (*clocks)[barrier.actor] = uint32_t(barrier.phase);
  auto ended = std::make_shared<Clocks>();
  (*ended)[where.linear()] = std::move(clocks);
  for (Order order : {Order::shared, Order::device}) {
    Known &told = barrier.told[size_t(order)];
    told = join(told, ended);
  }
}

void noteProgress(PhaseBarrier &barrier) {
  if (!barrier.arrived.empty() && barrier.begun > barrier.expected) {
    fail("a slot is filled before all blocks have read it, or with more bytes "
         "than its barrier expects");
  }
  if (barrier.isComplete()) {
    ++barrier.complete.turn; // who waits looks again
  }
}

void expectBytes(uint64_t *address, uint32_t bytes) {
  PhaseBarrier &barrier = barrierAt(address);
  if (!barrier.arrived.empty()) {
    fail("a slot is filled before its last phase was waited for");
  }
  tell(barrier);
  barrier.arrived.insert(0);
  barrier.expected += bytes;
  noteProgress(barrier);
}

/// One thread of the warp, when all are here. Nothing is left to be done when
/// the phase ends.
/// `number`: the block whose barrier it is; beyond all of them: its own.
void arrive(uint64_t *address, uint32_t predicate, uint32_t number) {
  Block &self = *block;
  const unsigned lanes = self.launch().lanes, warp = self.warp();
  self.meet(self.warps[warp], [&] {
    meet(self.clocks(warp * lanes, self.warps[warp].members), true, false);
  });
  if (predicate == 0) {
    return;
  }
  auto [where, there] =
      inBlock(number < self.cluster->size() ? number : self.number(), address);
  PhaseBarrier &barrier = barrierIn(*where, there);
  tell(barrier);
  const auto warps = unsigned(self.warps.size());
  if (!barrier.arrived.insert(self.number() * warps + warp).second) {
    fail("a warp releases a slot that it has not waited for");
  }
  if (barrier.arrived.size() > barrier.arrivals) {
    fail("more warps arrive at a barrier with phases than it was made for");
  }
  if (barrier.isComplete()) {
    noteProgress(barrier);
    barrier.arrived.clear();
    endPhase(*where, barrier);
  }
}

/// As if the first warp were not asked.
void arriveButOne(uint64_t *address, uint32_t predicate, uint32_t number) {
  arrive(address, block->warp() == 0 ? 0 : predicate, number);
}

//===--- Copies -----------------------------------------------------------===//

/// Of copies into what is still read nothing good comes.
void noteCopy(Block &where, const PhaseBarrier &barrier, const BulkCopy &copy) {
  Block &self = *block;
  ThreadClock &clock = self.fiber().clock;
  RaceDetector &races = self.run->races;
  Record record{where.linear(),
                barrier.actor,
                uint32_t(barrier.phase + 1),
                clock.op,
                clock.instance,
                clock.sites,
                {}};
  auto look = [&](Shadow &shadow, const Access &access) {
    record.barriers = clock.barriers[access.space == Space::device];
    take(races.copyInBulk(clock, record, shadow, access));
  };
  look(where.shadow,
       {Space::shared, where.offset(copy.shared), copy.bytes(), true});
  forEachRun(copy, [&](const char *run, uint32_t bytes) {
    look(races.device,
         {Space::device, reinterpret_cast<uintptr_t>(run), bytes, false});
  });
}

/// Each slot has its barrier: who waits for that one reads this slot.
void noteSlot(Block &where, const char *slot, const char *address) {
  const char *known = where.filledFor.try_emplace(slot, address).first->second;
  if (known != address) {
    fail("a copy to byte " + std::to_string(where.offset(slot)) +
         " of shared memory tells the barrier at byte " +
         std::to_string(where.offset(address)) +
         ", but copies to that place told the one at byte " +
         std::to_string(where.offset(known)));
  }
}

/// Where a block of the cluster has what lies there in this one.
const char *readInBlock(const char *address, uint32_t bytes, uint32_t number) {
  Block &self = *block;
  if (number >= self.cluster->size()) {
    fail("what another block has is read, but the cluster has no block " +
         std::to_string(number));
  }
  auto [where, there] = inBlock(number, address);
  if (std::all_of(where->fibers.begin(), where->fibers.end(),
                  [](const Fiber &fiber) { return fiber.isDone; })) {
    fail("what another block has is read when that block has ended");
  }
  const uint64_t offset = where->offset(there);
  if (offset + bytes > self.launch().sharedBytes) {
    fail("an access outside of another block's shared memory, at byte " +
         std::to_string(offset));
  }
  take(self.run->races.access(self.fiber().clock, Worker::self, where->shadow,
                              {Space::shared, offset, bytes, false}));
  return there;
}

/// To this place of the first so many blocks of a cluster; 0: of its own.
void bulkCopy(const Frame *frame, const uint32_t *box, const int32_t *at,
              char *to, uint64_t *address, uint32_t swizzle, uint32_t blocks) {
  BulkCopy copy = copyOf(frame, box, at, to, swizzle);
  const uint32_t first = blocks == 0 ? block->number() : 0;
  for (uint32_t i = first; i < std::max(blocks, first + 1); ++i) {
    auto [where, there] = inBlock(i, to);
    copy.shared = there;
    PhaseBarrier &barrier = barrierIn(*where, inBlock(i, address).second);
    noteCopy(*where, barrier, copy);
    noteSlot(*where, there, inBlock(i, address).second);
    if (barrier.expected != 0 && barrier.isComplete()) {
      fail("a slot is filled before all blocks have read it, or with more "
           "bytes than its barrier expects");
    }
    std::memset(there, 0xcd, copy.bytes());
    barrier.begun += copy.bytes();
    barrier.copies.push_back(copy);
    noteProgress(barrier);
  }
}

/// The first who waits and finds all begun makes the copies.
void waitBarrier(uint64_t *address, uint32_t parity) {
  Block &self = *block;
  if (self.run->oneIn(2)) {
    self.yield();
  }
  PhaseBarrier &barrier = barrierAt(address);
  if (!self.run->sites.empty() && (barrier.phase != 0 || parity != 1)) {
    ++self.run->neededArrivals[address];
  }
  while ((barrier.phase & 1) == parity) {
    if (!barrier.isComplete()) {
      Fiber &fiber = self.fiber();
      fiber.turn = barrier.complete.turn;
      fiber.waitsFor = &barrier.complete;
      self.yield();
      continue;
    }
    for (const BulkCopy &copy : barrier.copies) {
      const uint32_t size = copy.frame->elementBytes;
      forEachElement(copy, [&](char *to, const char *from) {
        if (from) {
          std::memcpy(to, from, size);
        } else {
          std::memset(to, 0, size);
        }
      });
    }
    barrier.copies.clear();
    barrier.arrived.clear();
    barrier.expected = barrier.begun = 0;
    endPhase(self, barrier);
  }
  if (self.run->hasFault) {
    self.run->races.waitFor(self.fiber().clock, barrier.actor,
                            uint32_t(barrier.phase));
  }
  learnFrom(barrier);
}

} // namespace

void writeBulkStores(Fiber &fiber) {
  for (const BulkStore &store : fiber.stores) {
    const uint32_t size = store.copy.frame->elementBytes;
    forEachElement(
        store.copy,
        [&](const char *from, char *to) {
          if (to) {
            std::memcpy(to, store.before.data() + (from - store.copy.shared),
                        size);
          }
        },
        store.unit);
  }
  fiber.stores.clear();
}

//===--- Blocks, straight to registers ------------------------------------===//

namespace {

/// What a block message asks for, before its elements are accessed: a frame and
/// a rectangle that the unit can do, the same in all lanes.
void accessBlock(const Frame *frame, const uint32_t *box, const int32_t *at) {
  const uint32_t last = frame->rank - 1, bytes = frame->elementBytes;
  if (frame->base % 64 != 0 || frame->shape[last] * bytes < 64 ||
      frame->shape[last] * bytes % 4 != 0 ||
      frame->strides[last - 1] * bytes % 16 != 0) {
    fail("a block is accessed in a frame that messages cannot describe");
  }
  if (box[last] * bytes > 64 || box[last - 1] > 32 ||
      int64_t(at[last]) * bytes % 4 != 0) {
    fail("a block is larger than a message, or begins between words");
  }
  const unsigned lanes = block->launch().lanes;
  for (uint32_t dim = 0; dim < frame->rank; ++dim) {
    Fiber &fiber = block->fiber();
    const unsigned turn = fiber.exchanges++ & 1;
    fiber.word[turn] = uint32_t(at[dim]);
    block->meet(block->warps[block->warp()]);
    if (block->fibers[block->warp() * lanes].word[turn] != uint32_t(at[dim])) {
      fail("lanes of a warp ask for different blocks");
    }
  }
}

/// An element of it; null: it is outside of the frame.
void *blockElement(const Frame *frame, const int32_t *at, uint32_t row,
                   uint32_t column) {
  const uint32_t last = frame->rank - 1;
  int64_t offset = 0;
  for (uint32_t dim = 0; dim < frame->rank; ++dim) {
    const int64_t c = at[dim] + (dim == last       ? int64_t(column)
                                 : dim + 1 == last ? int64_t(row)
                                                   : 0);
    if (c < 0 || c >= frame->shape[dim]) {
      return nullptr;
    }
    offset += c * frame->strides[dim];
  }
  return reinterpret_cast<char *>(frame->base) + offset * frame->elementBytes;
}

} // namespace

void addBulkCalls(Symbols &symbols) {
  symbols.insert(symbols.end(),
                 {{"fibers_init_barriers", addressOf(initBarriers)},
                  {"fibers_end_barriers", addressOf(endBarriers)},
                  {"fibers_arrive", addressOf(arrive)},
                  {"fibers_arrive_but_one", addressOf(arriveButOne)},
                  {"fibers_expect_bytes", addressOf(expectBytes)},
                  {"fibers_block", addressOf(accessBlock)},
                  {"fibers_block_element", addressOf(blockElement)},
                  {"fibers_bulk_copy", addressOf(bulkCopy)},
                  {"fibers_read_in_block", addressOf(readInBlock)},
                  {"fibers_wait_barrier", addressOf(waitBarrier)},
                  {"fibers_bulk_store", addressOf(bulkStore)},
                  {"fibers_await_bulk_stores", addressOf(awaitBulkStores)}});
}

} // namespace tz::fibers
