//===- FiberBlock.h - a block while it runs ---------------------*- C++ -*-===//
//
// What   Threads as fibers, who waits for whom, shared memory, what is on its
//        way; and the launch around them.
// Why    FiberScheduler.cpp lets threads go on, the other files are what their
//        code calls.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_TEST_FIBERS_FIBERBLOCK_H
#define TERRAZZO_TEST_FIBERS_FIBERBLOCK_H

#include "test/fibers/Fibers.h"
#include "test/fibers/RaceDetector.h"

#include <cstdlib>
#include <deque>
#include <optional>
#include <random>
#include <set>
#include <ucontext.h>

namespace tz::fibers {

/// Threads that wait for each other.
struct Meeting {
  unsigned members = 0, arrived = 0;
  uint64_t turn = 0; // how often all have arrived
};

/// A copy that was begun.
struct Copy {
  void *to;
  const void *from;
  uint32_t bytes, valid; // what is not valid becomes zero
};

/// A box that the bulk copy unit will bring, or store.
struct BulkCopy {
  const Frame *frame;
  std::array<uint32_t, 5> box;
  std::array<int32_t, 5> at;
  char *shared;
  uint32_t swizzle;

  uint32_t bytes() const {
    uint32_t count = frame->elementBytes;
    for (uint32_t dim = 0; dim < frame->rank; ++dim) {
      count *= box[dim];
    }
    return count;
  }
};

/// A box on its way to memory.
struct BulkStore {
  BulkCopy copy;
  std::vector<char> before; // the shared memory when it was begun
  uint32_t clock;
  uint32_t unit;       // bytes of a row that are stored whole
  bool isRead = false; // `before` is what will be stored
};

/// A barrier with phases.
struct PhaseBarrier {
  uint32_t arrivals = 1;            // that end a phase
  uint64_t phase = 0;               // the one that is open
  std::set<unsigned> arrived;       // warps, of all blocks of a cluster
  uint32_t expected = 0, begun = 0; // bytes
  std::vector<BulkCopy> copies;
  Meeting complete; // its turns end when all that was expected was begun
  uint32_t actor = 0;
  // What those who arrived have told: in this phase, and before.
  std::array<Known, NumOrders> coming, told;

  bool isComplete() const {
    return arrived.size() == arrivals && expected == begun;
  }
};

/// A barrier of the block at which threads arrive first, and wait later.
struct SplitBarrier {
  Meeting meeting;
  // What those who arrived have told: for this time, and for the last one.
  std::array<Known, NumOrders> coming, told;
};

/// What a dot in flight reads.
struct Operand {
  const char *address;
  uint32_t bytes;
  std::vector<char> before; // what was there when it began; of few threads
};

/// A word that a dot will give: nobody has it before the dot was waited for.
struct Postponed {
  uint32_t word;
  uint64_t dot;
  uint32_t op;
};

struct Fiber {
  ucontext_t context{};
  std::unique_ptr<char[]> stack;
  Meeting *waitsFor = nullptr;
  uint64_t turn = 0; // of the meeting, when it began to wait
  bool isDone = false;
  std::optional<uint64_t> arrivedIn; // turn of the split barrier
  unsigned exchanges = 0;
  uint32_t word[2] = {};
  uint64_t wide[2] = {};
  std::vector<std::string> regions; // that are open, the outermost first
  // Groups of copies on their way, oldest first; the last one is still open.
  std::deque<std::vector<Copy>> copies{1};
  std::vector<BulkStore> stores;            // on their way
  std::deque<std::vector<Operand>> dots{1}; // in flight, likewise
  uint64_t finishedDots = 0;
  std::vector<Postponed> postponed; // by token
  ThreadClock clock;

  bool canGoOn() const {
    return !isDone && !(waitsFor && waitsFor->turn == turn);
  }
};

/// A launch while it runs.
struct Run {
  explicit Run(const Launch &launch)
      : launch(launch), random(launch.seed),
        races({launch.ops, launch.threads, launch.lanes, launch.grid},
              std::getenv("TERRAZZO_FIBERS_EXACT") != nullptr) {}
  const Launch &launch;
  std::mt19937_64 random;
  RaceDetector races;
  bool isOver = false; // something is wrong: nobody goes on
  /// A fault is planted somewhere: what it could mix up is counted.
  const bool hasFault = std::getenv("TERRAZZO_FIBERS_FAULT") != nullptr;
  std::set<uint32_t> sites; // of faults, that were reached
  // Barriers with phases that a fault is about: at a site somebody arrives, or
  // waits, there. And waits there that need somebody's arrival.
  std::set<const void *> atSites;
  std::map<const void *, uint64_t> neededArrivals;
  uint64_t left = 0; // waits that are early, and left something in flight
  /// Programs that cannot begin before another one has ended.
  uint64_t later = 0;
  /// Of warps, since a program began or ended or a write changed memory.
  uint64_t idleSteps = 0;

  /// A line for who plants faults (FibersFaults.h).
  void log(const std::string &line) const;
  void logCounts() const;
  bool isRandom() const { return launch.seed != 0; }
  bool oneIn(unsigned count) { return isRandom() && random() % count == 0; }
};

struct Block {
  Run *run = nullptr;
  std::vector<Block> *cluster = nullptr; // this one among them
  Meeting *everybody = nullptr;          // their threads
  std::array<uint32_t, 3> program{};
  std::vector<Fiber> fibers;
  std::vector<Meeting> warps;
  Meeting all, workers; // these: threads that compute
  SplitBarrier split;
  std::unique_ptr<char, void (*)(void *)> allocated{nullptr, std::free};
  char *shared = nullptr;  // in that
  Shadow shadow;           // by offset
  std::vector<char> shown; // operands in registers, for an instruction
  ucontext_t scheduler{};
  std::map<const void *, PhaseBarrier> barriers;
  uint32_t barrierActors = 0;
  std::map<const char *, const char *> filledFor; // slots, and their barriers
  std::string problem;
  std::string unwritten; // was read: who writes it may show yet
  unsigned current = 0, dotsInFlight = 0;

  const Launch &launch() const { return run->launch; }
  Fiber &fiber() { return fibers[current]; }
  unsigned warp() const { return current / launch().lanes; }
  uint32_t number() const { return uint32_t(this - cluster->data()); }
  /// Among all of the grid.
  uint32_t linear() const {
    const auto &grid = launch().grid;
    return program[0] + grid[0] * (program[1] + grid[1] * program[2]);
  }
  uintptr_t offset(const void *address) const {
    return uintptr_t(static_cast<const char *>(address) - shared);
  }
  /// Who comes last: the others go on then. `last` sees all of them wait.
  template <typename F>
  void meet(Meeting &meeting, F &&last);
  void meet(Meeting &meeting) {
    meet(meeting, [] {});
  }
  /// The others may go on for a while.
  void yield() { swapcontext(&fiber().context, &scheduler); }
  /// This thread does not go on.
  [[noreturn]] void stop();
  std::vector<ThreadClock *> clocks(unsigned first, unsigned count);
};

template <typename F>
void Block::meet(Meeting &meeting, F &&last) {
  run->races.goOn(fiber().clock);
  Fiber &self = fiber();
  self.turn = meeting.turn;
  if (++meeting.arrived == meeting.members) {
    last();
    meeting.arrived = 0;
    ++meeting.turn;
    if (run->oneIn(2)) {
      yield();
    }
    return;
  }
  self.waitsFor = &meeting;
  yield();
}

/// Where the code runs that calls.
extern thread_local Block *block;

/// The first fault is the one to look at. Nobody goes on.
void fail(const std::string &problem);
/// The same with a report, if it is one.
void end(std::string report);
/// What the detector found: a race, or a read of what nobody wrote yet.
void take(Found found);
/// The thread and op that are at it, for messages.
std::string here();

/// The thread has waited for all that `worker` has begun for it, but for what
/// the last `open` clocks began.
void endWork(Worker worker, uint32_t open, bool inDevice = true);

/// An access of the thread, or of what works for it.
void note(Worker worker, Space space, const void *address, uint32_t bytes,
          bool isWrite, bool byEngine = false);
/// Stores that have been read from shared memory reach device memory.
void writeBulkStores(Fiber &fiber);

/// The block with this number among those that run in one cluster, and what
/// lies in it where `address` does in this one.
std::pair<Block *, char *> inBlock(unsigned number, const void *address);

/// What code calls, by purpose.
using Symbols = std::vector<Symbol>;
void addThreadCalls(Symbols &symbols);
void addAccessCalls(Symbols &symbols);
void addCopyCalls(Symbols &symbols);
void addBulkCalls(Symbols &symbols);
void addDotCalls(Symbols &symbols);

template <typename F>
void *addressOf(F *function) {
  return reinterpret_cast<void *>(function);
}

} // namespace tz::fibers

#endif // TERRAZZO_TEST_FIBERS_FIBERBLOCK_H
