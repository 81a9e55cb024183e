//===- FiberThreads.cpp - ids, barriers, exchanges between lanes ----------===//
//
// What   What the code of a thread calls to know who it is, to wait for the
//        others and to exchange words with the lanes of its warp; and its
//        accesses to memory, which are looked at.
// Why    A barrier orders the memories that it was asked for, and no others.
//===----------------------------------------------------------------------===//
#include "test/fibers/FiberBlock.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace tz::fibers {

namespace {

/// As simt::Memories.
constexpr uint32_t SharedBit = 1, DeviceBit = 2;

uint32_t threadInBlock() { return block->current; }
uint32_t programId(uint32_t axis) { return block->program[axis]; }
uint32_t programCount(uint32_t axis) { return block->launch().grid[axis]; }
void *sharedMemory() { return block->shared; }

/// What follows is of this op.
void at(uint32_t op) {
  ThreadClock &clock = block->fiber().clock;
  clock.op = op;
  ++clock.instance;
}

/// A fault stands here, or could (FibersFaults.h).
void site(uint32_t id, uint32_t isHere, const uint64_t *barriers,
          uint32_t count) {
  if (!isHere) {
    return;
  }
  Run &run = *block->run;
  run.races.comeBy(block->fiber().clock);
  for (uint32_t i = 0; i < count; ++i) {
    run.atSites.insert(barriers + i);
  }
  if (run.sites.insert(id).second) {
    run.log("reached\t" + std::to_string(id));
  }
}

void barrierOf(uint32_t threads, uint32_t memories, Members who) {
  Block &self = *block;
  const uint32_t members = threads == 0 ? self.launch().threads : threads;
  if (self.current >= members) {
    fail("a thread is at a barrier of others");
  }
  if (self.fiber().arrivedIn) {
    fail("a barrier stands between arrival and wait at another");
    return;
  }
  Meeting &meeting = threads == 0 ? self.all : self.workers;
  meeting.members = members;
  self.meet(meeting, [&] {
    meet(self.clocks(0, members), memories & SharedBit, memories & DeviceBit,
         who);
  });
}

/// Of a barrier of all threads, or of the first ones, which compute.
Members membersOf(uint32_t threads) {
  if (threads == 0 || threads == block->launch().threads) {
    return Members::all;
  }
  block->run->races.compute(threads);
  return Members::computing;
}

void barrier(uint32_t threads, uint32_t memories) {
  barrierOf(threads, memories, membersOf(threads));
}

/// Those of the memories that a barrier orders.
std::vector<Order> ordersOf(uint32_t memories) {
  std::vector<Order> orders;
  if (memories & SharedBit) {
    orders.insert(orders.end(), {Order::shared, Order::publishedShared});
  }
  if (memories & DeviceBit) {
    orders.insert(orders.end(), {Order::device, Order::publishedDevice});
  }
  return orders;
}

/// What this thread has done before is told to those who wait.
void arriveAtBarrier(uint32_t threads, uint32_t memories) {
  Block &self = *block;
  SplitBarrier &split = self.split;
  Fiber &fiber = self.fiber();
  if (fiber.arrivedIn) {
    fail("a thread arrives at a barrier twice before it waits");
    return;
  }
  for (Order order : ordersOf(memories)) {
    Known &coming = split.coming[size_t(order)];
    coming = join(coming, fiber.clock.release(order));
  }
  self.run->races.goOn(fiber.clock);
  fiber.clock.arrive(memories & SharedBit, memories & DeviceBit,
                     membersOf(threads));
  fiber.arrivedIn = split.meeting.turn;
  split.meeting.members = threads == 0 ? self.launch().threads : threads;
  if (++split.meeting.arrived == split.meeting.members) {
    split.told = std::move(split.coming);
    split.coming = {};
    split.meeting.arrived = 0;
    ++split.meeting.turn;
  }
  if (self.run->oneIn(2)) {
    self.yield();
  }
}

void awaitBarrier(uint32_t, uint32_t memories) {
  Block &self = *block;
  Fiber &fiber = self.fiber();
  if (!fiber.arrivedIn) {
    fail("a thread waits at a barrier at which it has not arrived");
    return;
  }
  if (self.split.meeting.turn == *fiber.arrivedIn) {
    fiber.turn = *fiber.arrivedIn;
    fiber.waitsFor = &self.split.meeting;
    self.yield();
  }
  fiber.arrivedIn.reset();
  fiber.clock.awaitOthers();
  for (Order order : ordersOf(memories)) {
    fiber.clock.learn(order, self.split.told[size_t(order)]);
  }
}

/// So many threads are here; no memory is ordered.
void gather(uint32_t threads) {
  Block &self = *block;
  Meeting &meeting = threads == 0 ? self.all : self.workers;
  meeting.members = threads == 0 ? self.launch().threads : threads;
  self.meet(meeting);
}

/// Of all but the last half of a warp: as with a wrong mask of lanes.
void barrierOfFewer(uint32_t threads, uint32_t memories) {
  Block &self = *block;
  const uint32_t all = threads == 0 ? self.launch().threads : threads,
                 members = all - std::max(self.launch().lanes / 2, 1u);
  self.run->races.leaveOut(members);
  if (self.current < members) {
    barrierOf(members, memories, Members::some);
  }
}

void syncBlocks() {
  Block &self = *block;
  self.meet(*self.everybody, [&] {
    std::vector<ThreadClock *> all;
    for (Block &one : *self.cluster) {
      for (ThreadClock *clock : one.clocks(0, one.launch().threads)) {
        all.push_back(clock);
      }
    }
    meet(all, true, false);
  });
}

/// All threads are at the same place when it is asked for.
void *shown(uint32_t bytes) {
  if (block->shown.size() < bytes) {
    block->shown.resize(bytes);
  }
  return block->shown.data();
}

/// Words lie in two places by turns: nobody is two exchanges ahead.
uint32_t shuffle(uint32_t word, uint32_t lane) {
  Block &self = *block;
  Fiber &fiber = self.fiber();
  const unsigned thread = self.current, turn = fiber.exchanges++ & 1;
  const unsigned lanes = self.launch().lanes;
  fiber.word[turn] = word;
  self.meet(self.warps[thread / lanes]);
  return self.fibers[thread / lanes * lanes + lane % lanes].word[turn];
}

/// What each lane of this one's warp shows, by lane.
std::vector<uint64_t> ofWarp(uint64_t word) {
  Block &self = *block;
  Fiber &fiber = self.fiber();
  const unsigned thread = self.current, turn = fiber.exchanges++ & 1;
  const unsigned lanes = self.launch().lanes, first = thread / lanes * lanes;
  fiber.wide[turn] = word;
  self.meet(self.warps[thread / lanes]);
  std::vector<uint64_t> words;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    words.push_back(self.fibers[first + lane].wide[turn]);
  }
  return words;
}

/// The lane that shows something else than this one's warp's first.
std::optional<unsigned> differing(const std::vector<uint64_t> &words) {
  for (unsigned lane = 1; lane < words.size(); ++lane) {
    if (words[lane] != words[0]) {
      return lane;
    }
  }
  return std::nullopt;
}

uint32_t uniform(uint32_t word) {
  const std::vector<uint64_t> words = ofWarp(word);
  if (std::optional<unsigned> lane = differing(words)) {
    fail("a value that was called uniform is " + std::to_string(words[0]) +
         " in lane 0 and " + std::to_string(words[*lane]) + " in lane " +
         std::to_string(*lane));
  }
  return uint32_t(words[0]);
}

void sameAddress(const void *address, uint32_t predicate) {
  const auto place = reinterpret_cast<uintptr_t>(address);
  std::optional<unsigned> lane = differing(ofWarp(predicate ? place : 0));
  if (lane) {
    fail("a load that was called uniform has another address in lane " +
         std::to_string(*lane) + " than in lane 0");
  }
}

/// The numbers of simt::LaneReduction.
enum : uint32_t {
  Add,
  MaxS,
  MinS,
  MaxU,
  MinU,
  And,
  Or,
  Xor,
  AddF,
  MaxF,
  MinF,
  MaxFNan,
  MinFNan
};

int64_t extended(uint64_t word, uint32_t bits) {
  return int64_t(word << (64 - bits)) >> (64 - bits);
}

uint64_t reduceIntegers(uint64_t x, uint64_t y, uint32_t kind, uint32_t bits) {
  const int64_t a = extended(x, bits), b = extended(y, bits);
  switch (kind) {
  case Add:
    return x + y;
  case MaxS:
    return a > b ? x : y;
  case MinS:
    return a < b ? x : y;
  case MaxU:
    return std::max(x, y);
  case MinU:
    return std::min(x, y);
  case And:
    return x & y;
  case Or:
    return x | y;
  default:
    return x ^ y;
  }
}

/// Of fp16. Compilers' own type needs a newer runtime library than ours.
struct Half {
  explicit operator double() const {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double size = exponent == 31 ? (fraction ? std::nan("") : HUGE_VAL)
                        : exponent ? std::ldexp(1024 + fraction, exponent - 25)
                                   : std::ldexp(fraction, -24);
    return bits >> 15 ? -size : size;
  }
  /// Rounded to nearest even, as nearbyint does.
  static Half of(double value) {
    constexpr double overflow = 65520;
    constexpr int leastExponent = -14;
    const auto sign = uint16_t(std::signbit(value) ? 0x8000 : 0);
    const double size = std::fabs(value);
    if (!(size < overflow)) {
      return {uint16_t(sign | (std::isnan(value) ? 0x7e00 : 0x7c00))};
    }
    const int exponent =
        size == 0 ? leastExponent : std::max(std::ilogb(size), leastExponent);
    const auto units = int(std::nearbyint(std::ldexp(size, 10 - exponent)));
    return {uint16_t(sign | (((exponent - leastExponent) << 10) + units))};
  }
  /// The sum of two is exact in double.
  friend Half operator+(Half x, Half y) { return of(double(x) + double(y)); }
  friend bool operator<(Half x, Half y) { return double(x) < double(y); }
  friend bool operator==(Half x, Half y) { return double(x) == double(y); }

  uint16_t bits;
};

/// Zeros are told apart, -0 is less.
template <typename Float>
Float reduceFloats(Float x, Float y, uint32_t kind) {
  if (kind == AddF) {
    return x + y;
  }
  if (x != x || y != y) {
    const bool passesOn = kind == MaxFNan || kind == MinFNan;
    return (x != x) == passesOn ? x : y;
  }
  const bool isLess = x < y || (x == y && std::signbit(double(x)));
  return isLess == (kind == MaxF || kind == MaxFNan) ? y : x;
}

template <typename Float, typename Bits>
uint64_t reduceAs(uint64_t x, uint64_t y, uint32_t kind) {
  return std::bit_cast<Bits>(reduceFloats(std::bit_cast<Float>(Bits(x)),
                                          std::bit_cast<Float>(Bits(y)), kind));
}

/// Over the lanes that differ from this one in these bits, the lowest first.
uint64_t reduceLanes(uint64_t word, uint32_t kind, uint32_t bits,
                     uint32_t laneBits) {
  const std::vector<uint64_t> words = ofWarp(word);
  const uint32_t lane = block->current % uint32_t(words.size()),
                 first = lane & ~laneBits;
  uint64_t all = words[first];
  for (uint32_t other = first + 1; other < words.size(); ++other) {
    if ((other & ~laneBits) != first) {
      continue;
    }
    const uint64_t one = words[other];
    all = kind < AddF  ? reduceIntegers(all, one, kind, bits)
          : bits == 64 ? reduceAs<double, uint64_t>(all, one, kind)
          : bits == 32 ? reduceAs<float, uint32_t>(all, one, kind)
                       : reduceAs<Half, uint16_t>(all, one, kind);
  }
  return all;
}

//===--- Regions ----------------------------------------------------------===//

void beginRegion(const char *name) { block->fiber().regions.push_back(name); }

void endRegion(const char *name) {
  std::vector<std::string> &open = block->fiber().regions;
  if (open.empty() || open.back() != name) {
    fail("a region '" + std::string(name) +
         "' ends that is not the last begun");
  }
  open.pop_back();
}

uint32_t shuffleXor(uint32_t word, uint32_t mask) {
  return shuffle(word, (block->current % block->launch().lanes) ^ mask);
}

//===--- Accesses ---------------------------------------------------------===//

/// One access in so many, another warp goes on before.
constexpr unsigned AccessesUndisturbed = 32;

void look(Worker worker, const Access &access, const void *address) {
  Block &self = *block;
  Access where = access;
  const bool inShared = access.space == Space::shared;
  if (inShared) {
    where.address = self.offset(address);
    if (where.address + access.bytes > self.launch().sharedBytes) {
      fail("an access outside of the block's shared memory, at byte " +
           std::to_string(intptr_t(where.address)));
    }
  } else {
    where.address = reinterpret_cast<uintptr_t>(address);
  }
  RaceDetector &races = self.run->races;
  take(races.access(self.fiber().clock, worker,
                    inShared ? self.shadow : races.device, where));
}

void mayYield(unsigned oneIn) {
  if (block->run->oneIn(oneIn)) {
    block->yield();
  }
}

void willRead(const void *address, uint32_t bytes, uint32_t space) {
  mayYield(AccessesUndisturbed);
  look(Worker::self, {Space(space), 0, bytes, false}, address);
}

/// `value`: what will be written.
void willWrite(const void *address, const char *value, uint32_t bytes,
               uint32_t space) {
  mayYield(AccessesUndisturbed);
  look(Worker::self,
       {Space(space), 0, bytes, true, false, static_cast<const char *>(address),
        Space(space) == Space::shared ? value : nullptr},
       address);
  // Who waits in a loop passes on the same value again and again.
  if (std::memcmp(address, value, bytes) != 0) {
    block->run->idleSteps = 0;
  }
}

/// So many bytes that are accessed lie where the place says.
void checkPlace(const char *pointer, const char *base, int64_t offset,
                int64_t extent, uint32_t bytes) {
  if (bytes != 0 && base + offset != pointer) {
    fail("an access is not at its base and offset");
  }
  const bool isKnown = extent != INT64_MAX;
  if (isKnown && bytes != 0 &&
      (offset < 0 || offset > extent - int64_t(bytes))) {
    fail("an access is outside of what its base reaches");
  }
}

/// Bits of `how` for an atomic access.
enum : uint32_t { Writes = 1, Acquires = 2, Releases = 4, IsWide = 8 };

void willUpdate(const void *address, uint32_t bytes, uint32_t space,
                uint32_t how) {
  mayYield(2); // who waits in a loop lets others go on
  // A volatile load has none of the bits, and is no less than an atomic one.
  const bool isWide = how == 0 || (how & IsWide);
  look(Worker::self,
       {Space(space), 0, bytes, bool(how & Writes), true, nullptr, nullptr,
        isWide},
       address);
  block->run->races.synchronize(block->fiber().clock,
                                reinterpret_cast<uintptr_t>(address),
                                how & Acquires, how & Releases, how & IsWide);
}

void fence() {
  mayYield(2);
  block->run->races.fence(block->fiber().clock);
}

void publishStaged() {
  block->fiber().clock.publish(Order::shared, Order::publishedShared);
}
void publishAccesses() {
  block->fiber().clock.publish(Order::device, Order::publishedDevice);
}

} // namespace

void endWork(Worker worker, uint32_t open, bool inDevice) {
  ThreadClock &clock = block->fiber().clock;
  const uint32_t upTo = clock.begun[size_t(worker)] - open;
  clock.end(worker, upTo, /*inShared=*/true, inDevice);
  if (block->run->hasFault) {
    block->run->races.waitFor(clock, actorOf(clock.thread, worker), upTo,
                              inDevice);
  }
}

void note(Worker worker, Space space, const void *address, uint32_t bytes,
          bool isWrite, bool byEngine) {
  look(worker,
       {space, 0, bytes, isWrite, false, nullptr, nullptr, true, byEngine},
       address);
}

void addThreadCalls(Symbols &symbols) {
  symbols.insert(symbols.end(),
                 {{"fibers_thread", addressOf(threadInBlock)},
                  {"fibers_program", addressOf(programId)},
                  {"fibers_programs", addressOf(programCount)},
                  {"fibers_shared", addressOf(sharedMemory)},
                  {"fibers_at", addressOf(at)},
                  {"fibers_site", addressOf(site)},
                  {"fibers_barrier", addressOf(barrier)},
                  {"fibers_arrive_at_barrier", addressOf(arriveAtBarrier)},
                  {"fibers_await_barrier", addressOf(awaitBarrier)},
                  {"fibers_barrier_of_fewer", addressOf(barrierOfFewer)},
                  {"fibers_gather", addressOf(gather)},
                  {"fibers_sync_blocks", addressOf(syncBlocks)},
                  {"fibers_shown", addressOf(shown)},
                  {"fibers_shuffle", addressOf(shuffle)},
                  {"fibers_uniform", addressOf(uniform)},
                  {"fibers_same_address", addressOf(sameAddress)},
                  {"fibers_reduce_lanes", addressOf(reduceLanes)},
                  {"fibers_begin_region", addressOf(beginRegion)},
                  {"fibers_end_region", addressOf(endRegion)},
                  {"fibers_shuffle_xor", addressOf(shuffleXor)}});
}

void addAccessCalls(Symbols &symbols) {
  symbols.insert(symbols.end(),
                 {{"fibers_read", addressOf(willRead)},
                  {"fibers_write", addressOf(willWrite)},
                  {"fibers_place", addressOf(checkPlace)},
                  {"fibers_update", addressOf(willUpdate)},
                  {"fibers_fence", addressOf(fence)},
                  {"fibers_publish_staged", addressOf(publishStaged)},
                  {"fibers_publish_accesses", addressOf(publishAccesses)}});
}

} // namespace tz::fibers
