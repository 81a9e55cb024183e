//===- RaceDetector.h - who accessed which byte last ------------*- C++ -*-===//
//
// What   For each byte of shared and device memory who wrote it last, and who
//        has read it since; a report where two accesses meet in no order.
// Why    A kernel can give right numbers by luck of the order in which threads
//        ran. A pair of accesses that nothing orders shows in any order.
//
// Two accesses of a byte, one of them a write, race if neither comes before the
// other and not both are atomic. Within a block that is the compiler's fault:
// accesses of one program keep their order (R6 O1). Between blocks it is the
// kernel's, unless the checked interpreter finds no race in it.
//
// Lanes of one op take any order: they may write one place of device memory, or
// the same value to one of shared memory.
//
// What threads wrote, and asynchronous copies of threads brought, is not seen
// by the bulk copy unit and the matrix unit unless it was published before the
// barrier.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_TEST_FIBERS_RACEDETECTOR_H
#define TERRAZZO_TEST_FIBERS_RACEDETECTOR_H

#include "test/fibers/VectorClocks.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>

namespace tz::fibers {

/// As the code's address spaces.
enum class Space : uint32_t { device = 1, shared = 3 };

/// How many barriers that ordered a memory a thread has waited at: those of all
/// threads, and with them those of the threads that compute. At one more, 1, it
/// may have arrived.
struct Barriers {
  uint32_t ofAll = 0, ofAny = 0;
  uint32_t openOfAll = 0, openOfAny = 0;
  bool operator==(const Barriers &) const = default;
};

/// Who accessed something, when, and for which op.
struct Record {
  uint32_t block = 0, actor = 0, clock = 0;
  uint32_t op = 0, instance = 0;        // how many ops its thread had begun
  uint32_t sites = 0;                   // of faults that it had come by
  Barriers barriers;                    // before it
  bool isAtomic = false, isWide = true; // an atomic of its program: narrow
  bool operator==(const Record &) const = default;
};

/// Who meets: some threads of a warp or of several blocks, all that compute, or
/// all of the block.
enum class Members : uint8_t { some, computing, all };

/// Of one byte. Records by number, 0: none.
struct Cell {
  uint32_t write = 0;
  uint32_t reads = 0; // a record, or a set of them
};

/// The cells of one memory.
class Shadow {
public:
  static constexpr uint32_t IsSet = 1u << 31;
  using Set = std::vector<uint32_t>;

  Cell *at(uintptr_t address) {
    const uintptr_t page = address / PageBytes;
    if (page != lastPage || !last) {
      auto &found = pages[page];
      if (!found) {
        found = std::make_unique<Page>();
      }
      last = found.get();
      lastPage = page;
    }
    return &(*last)[address % PageBytes];
  }
  /// So many cells stand beside each other from there on.
  static uintptr_t leftInPage(uintptr_t address) {
    return PageBytes - address % PageBytes;
  }
  uint32_t makeSet(Set set) {
    sets.push_back(std::move(set));
    return uint32_t(sets.size() - 1) | IsSet;
  }
  /// Until the next one is made.
  const Set &set(uint32_t number) const { return sets[number & ~IsSet]; }
  void clear() {
    pages.clear();
    sets.clear();
    last = nullptr;
  }

private:
  static constexpr uintptr_t PageBytes = 1024;
  using Page = std::array<Cell, PageBytes>;
  std::unordered_map<uintptr_t, std::unique_ptr<Page>> pages;
  std::vector<Set> sets;
  Page *last = nullptr;
  uintptr_t lastPage = 0;
};

/// What one thread, and what works for it, has done and knows.
struct ThreadClock {
  uint32_t block = 0, thread = 0;
  uint32_t clock = 1; // of the thread's next access
  std::array<Known, NumOrders> known;
  std::array<const ActorClocks *, NumOrders> mine{}; // of this block in `known`
  /// Up to which clock its own workers have ended what they began; of the
  /// thread itself, up to where its accesses are published.
  std::array<std::array<uint32_t, WorkersOfThread>, NumOrders> done{};
  std::array<uint32_t, WorkersOfThread> begun{0, 1, 1,
                                              1}; // theirs that is open
  uint32_t op = 0, instance = 0, sites = 0;
  std::array<Barriers, 2> barriers{}; // that ordered shared, device memory
  // The record of its last access, for each worker.
  std::array<uint32_t, WorkersOfThread> lastRecord{};

  bool knows(Order order, const Record &record) const;
  void learn(Order order, const Known &more);
  /// What it tells who comes later. What it does next is not part of it.
  Known release(Order order);
  /// Its accesses so far, and the copies that it has waited for.
  void publish(Order plain, Order published);
  /// Its copies, dots or stores up to this clock have ended.
  void end(Worker worker, uint32_t clock, bool inShared, bool inDevice);
  /// It arrives at a barrier of these threads, and waits for them later.
  void arrive(bool inShared, bool inDevice, Members members);
  void awaitOthers();
};

/// All that one of them knows, all know behind it.
void meet(const std::vector<ThreadClock *> &threads, bool inShared,
          bool inDevice, Members members = Members::some);

struct Access {
  Space space;
  uintptr_t address; // of shared memory: the byte in it
  uint32_t bytes;
  bool isWrite;
  bool isAtomic = false;
  // What is there, and what will be, if one op may write that several times.
  const char *old = nullptr, *value = nullptr;
  bool isWide = true;
  bool byEngine = false; // by a thread, but by the way of the bulk copy unit
};

/// What is wrong with an access.
struct Found {
  enum class Kind { nothing, race, unwritten } kind = Kind::nothing;
  std::string text;
};

/// What the messages need to know.
struct Names {
  const std::vector<std::string> *ops = nullptr;
  uint32_t threads = 0, lanes = 0;
  std::array<uint32_t, 3> grid{1, 1, 1};
  std::string op(uint32_t number) const;
  std::string block(uint32_t number) const;
};

class RaceDetector {
public:
  /// `isExact`: the reads of each thread are kept; else one of each warp is, of
  /// the last warps.
  explicit RaceDetector(Names names, bool isExact = false)
      : names(std::move(names)), isExact(isExact) {}

  /// By the thread, or by what works for it.
  Found access(ThreadClock &thread, Worker worker, Shadow &shadow,
               const Access &access);
  /// By the copies that end with this phase of a barrier, begun by the thread.
  Found copyInBulk(ThreadClock &thread, const Record &copy, Shadow &shadow,
                   const Access &access);
  /// An atomic access of the thread to this address, of LLVM's order.
  void synchronize(ThreadClock &thread, uintptr_t address, bool acquires,
                   bool releases, bool isWide);
  void fence(ThreadClock &thread);

  /// Pairs of accesses of a byte by two actors, one of them a write and one of
  /// them not atomic, with a fault's site in between: what the fault could have
  /// mixed up, counted without clocks. crossing: all; single: those that a
  /// barrier at the site orders, for want of another one (mayNeed); lanes: of
  /// them, those of threads that the barrier left out; units: the later one is
  /// of the bulk copy unit or the matrix unit; dots, stores: one of the two is
  /// of these; stored: in device memory. And followed: what a thread did behind
  /// a site.
  const std::map<std::string, uint64_t> &pairs() const { return counts; }
  /// Atomics and fences that order threads. Without any, what orders two
  /// accesses is the same in every run.
  uint64_t orderings() const { return ordered; }
  /// The first pair that counts as single, in words.
  const std::string &firstPair() const { return first; }

  /// A thread comes by a fault's site, or a barrier leaves it and those behind
  /// it out.
  void comeBy(ThreadClock &thread) {
    uint32_t &most = sitesOf[thread.block];
    most = std::max(most, ++thread.sites);
    passes[{thread.block, thread.thread}].push_back(thread.barriers);
  }
  /// It accesses memory, or meets others.
  void goOn(const ThreadClock &thread) {
    counts["followed"] += thread.sites != 0;
  }
  void leaveOut(uint32_t thread) { firstOut = std::min(firstOut, thread); }
  /// A thread has waited for what works beside it, up to this clock.
  /// `inDevice`: and for what that writes to device memory.
  void waitFor(const ThreadClock &thread, uint32_t actor, uint32_t upTo,
               bool inDevice = true) {
    ends[{thread.block, actor}].push_back(
        {upTo, thread.thread, inDevice, thread.barriers});
  }
  /// So many threads, the first ones, compute.
  void compute(uint32_t threads) {
    computing = computing == 0 || computing == threads ? threads : ~0u;
  }

  Shadow device;
  Names names;

private:
  struct Location {
    Known wide, narrow;
    uint32_t narrowBlock = 0;
  };
  struct Fence {
    Known released, seen;
  };
  enum class Fault { none, race, unpublished };

  uint32_t number(const Record &record);
  bool isEngine(const Record &record) const;
  Fault judge(const ThreadClock &thread, const Record &mine, const Access &now,
              const Record &before, bool wasWrite) const;
  uint32_t withRead(const ThreadClock &thread, Shadow &shadow, const Cell &cell,
                    uint32_t mine, Order order);
  Found walk(ThreadClock &thread, uint32_t mine, Shadow &shadow,
             const Access &access);
  std::string message(Fault fault, const Record &mine, const Access &now,
                      uintptr_t at, const Record &before, bool wasWrite) const;
  std::string actor(const Record &record) const;

  void count(const ThreadClock &thread, const Record &other, const Record &own,
             const Access &now);
  struct Sides {
    bool before = false, behind = false;
    bool any() const { return before || behind; }
  };
  Sides mayNeed(const ThreadClock &thread, const Record &other,
                const Record &own, const Access &now) const;
  bool isBetween(const Barriers &one, const Barriers &later, uint32_t thread,
                 uint32_t otherThread) const;
  bool isOrdered(const ThreadClock &thread, const Record &other,
                 const Record &own, size_t memory) const;

  const bool isExact;
  uint64_t ordered = 0;
  std::map<std::string, uint64_t> counts = {
      {"crossing", 0}, {"single", 0}, {"lanes", 0},  {"units", 0},
      {"dots", 0},     {"stores", 0}, {"stored", 0}, {"followed", 0}};
  std::map<uint32_t, uint32_t> sitesOf; // the most, by block
  /// At each time that a thread came by a site, by block and thread.
  std::map<std::pair<uint32_t, uint32_t>, std::vector<std::array<Barriers, 2>>>
      passes;
  /// Waits for what works beside threads, by block and actor.
  struct End {
    uint32_t upTo, thread;
    bool inDevice;
    std::array<Barriers, 2> barriers;
  };
  std::map<std::pair<uint32_t, uint32_t>, std::vector<End>> ends;
  uint32_t firstOut = ~0u;
  uint32_t computing = 0;       // threads; 0: all, ~0: not always as many
  bool outSynchronizes = false; // those left out do ordering atomics
  std::string first;
  std::vector<Record> records{1};
  std::unordered_map<uintptr_t, Location> locations;
  std::map<std::pair<uint32_t, uint32_t>, Fence> fences; // by block, thread
};

} // namespace tz::fibers

#endif // TERRAZZO_TEST_FIBERS_RACEDETECTOR_H
