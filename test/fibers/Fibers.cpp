//===- Fibers.cpp - the threads of a block as fibers ----------------------===//
//
// What   See Fibers.h.
// Why    See Fibers.h.
//===----------------------------------------------------------------------===//
#include "test/fibers/Fibers.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <ucontext.h>
#include <vector>

namespace tz::fibers {

namespace {

constexpr size_t StackBytes = 256 * 1024;

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
  /// Each element: where it is in shared memory, and in the frame; null if it
  /// is outside of that. A row of the frame goes on to the end of a unit of so
  /// many bytes that it has begun.
  template <typename F>
  void forEach(F &&element, uint32_t unit = 1) const;
};

/// Real engines store whole units of 16 bytes, also where a row of the frame
/// ends in the middle of one (triton-lang/triton#11583 shows it for an H100).
constexpr uint32_t StoredUnit = 16;

/// Row by row, places exchanged as the swizzle says.
template <typename F>
void BulkCopy::forEach(F &&each, uint32_t unit) const {
  const uint32_t size = frame->elementBytes, last = frame->rank - 1,
                 inUnit = std::max(unit / size, 1u);
  std::array<uint32_t, 5> index{};
  for (uint32_t element = 0; element * size < bytes(); ++element) {
    uint32_t rest = element;
    int64_t offset = 0;
    bool isInside = true;
    for (uint32_t dim = last + 1; dim-- > 0; rest /= box[dim]) {
      index[dim] = rest % box[dim];
      int64_t c = int64_t{at[dim]} + index[dim];
      const int64_t first = dim == last ? c - c % inUnit : c;
      isInside &= c >= 0 && first < frame->shape[dim];
      offset += c * frame->strides[dim];
    }
    uintptr_t place =
        reinterpret_cast<uintptr_t>(shared) + uintptr_t{element} * size;
    place ^= (place >> 3) & (((uintptr_t{1} << swizzle) - 1) << 4);
    each(reinterpret_cast<char *>(place),
         isInside ? reinterpret_cast<char *>(frame->base) + offset * size
                  : nullptr);
  }
}

/// A box on its way to memory.
struct BulkStore {
  BulkCopy copy;
  std::vector<char> before; // the shared memory when it was begun
  bool isRead = false;      // `before` is what will be stored
};

/// A barrier with phases.
struct PhaseBarrier {
  uint32_t arrivals = 1;            // that end a phase
  uint64_t phase = 0;               // the one that is open
  std::set<unsigned> arrived;       // warps, of all blocks of a cluster
  uint32_t expected = 0, begun = 0; // bytes
  std::vector<BulkCopy> copies;
  Meeting complete; // its turns end when all that was expected was begun

  bool isComplete() const {
    return arrived.size() == arrivals && expected == begun;
  }
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
};

/// What stands for a postponed word: a NaN for floats, and no usual integer.
constexpr uint32_t TokenBits = 0x7fa00000, tokenMask = 0xfff00000;

struct Fiber {
  ucontext_t context{};
  std::unique_ptr<char[]> stack;
  Meeting *waitsFor = nullptr;
  uint64_t turn = 0; // of the meeting, when it began to wait
  bool isDone = false;
  unsigned exchanges = 0;
  uint32_t word[2] = {};
  // Groups of copies on their way, oldest first; the last one is still open.
  std::deque<std::vector<Copy>> copies{1};
  std::vector<BulkStore> stores;            // on their way
  std::deque<std::vector<Operand>> dots{1}; // in flight, likewise
  uint64_t finishedDots = 0;
  std::vector<Postponed> postponed; // by token

  const Postponed *find(uint32_t word) const {
    const uint32_t index = word & ~tokenMask;
    return (word & tokenMask) == TokenBits && index < postponed.size()
               ? &postponed[index]
               : nullptr;
  }
};

struct Block {
  const Launch *launch = nullptr;
  std::vector<Block> *cluster = nullptr; // this one among them
  Meeting *everybody = nullptr;          // their threads
  std::array<uint32_t, 3> program{};
  std::vector<Fiber> fibers;
  std::vector<Meeting> warps;
  Meeting all, workers; // these: threads that compute
  std::unique_ptr<char, void (*)(void *)> shared{nullptr, std::free};
  std::vector<char> shown; // operands in registers, for an instruction
  ucontext_t scheduler{};
  std::map<const void *, PhaseBarrier> barriers;
  std::string problem;
  unsigned current = 0, dotsInFlight = 0;

  Fiber &fiber() { return fibers[current]; }
  uint32_t number() const { return uint32_t(this - cluster->data()); }
  void meet(Meeting &meeting) {
    Fiber &self = fiber();
    self.turn = meeting.turn;
    if (++meeting.arrived == meeting.members) {
      meeting.arrived = 0;
      ++meeting.turn;
      return;
    }
    self.waitsFor = &meeting;
    swapcontext(&self.context, &scheduler);
  }
};

thread_local Block *block = nullptr;

/// The first fault is the one to look at.
void fail(const char *problem) {
  if (block->problem.empty()) {
    block->problem = problem;
  }
}

void begin() {
  block->launch->entry(block->launch->arguments);
  block->fiber().isDone = true;
  // uc_link leads back to the scheduler.
}

/// The block with this number among those that run cluster, and what lies in
/// it where `address` does in this one.
std::pair<Block *, char *> inBlock(unsigned number, const void *address) {
  Block &other = (*block->cluster)[number];
  return {&other, other.shared.get() + (static_cast<const char *>(address) -
                                        block->shared.get())};
}

/// Runs each thread until it waits or ends; false if nobody could go on.
bool round(Block &self) {
  bool moved = false;
  block = &self;
  for (unsigned i = 0; i < self.fibers.size(); ++i) {
    Fiber &fiber = self.fibers[i];
    if (fiber.isDone ||
        (fiber.waitsFor && fiber.waitsFor->turn == fiber.turn)) {
      continue;
    }
    fiber.waitsFor = nullptr;
    self.current = i;
    swapcontext(&self.scheduler, &fiber.context);
    moved = true;
  }
  return moved;
}

void writeBulkStores(Fiber &fiber) {
  for (const BulkStore &store : fiber.stores) {
    const uint32_t size = store.copy.frame->elementBytes;
    store.copy.forEach(
        [&](const char *from, char *to) {
          if (to) {
            std::memcpy(to, store.before.data() + (from - store.copy.shared),
                        size);
          }
        },
        StoredUnit);
  }
  fiber.stores.clear();
}

void beginProgram(Block &self) {
  const Launch &launch = *self.launch;
  std::memset(self.shared.get(), 0xcd, launch.sharedBytes);
  self.all = {launch.threads, 0, 0};
  self.workers = {};
  self.dotsInFlight = 0;
  self.barriers.clear();
  self.problem.clear();
  self.warps.assign((launch.threads + launch.lanes - 1) / launch.lanes,
                    {std::min(launch.lanes, launch.threads), 0, 0});
  for (Fiber &fiber : self.fibers) {
    getcontext(&fiber.context);
    if (!fiber.stack) {
      fiber.stack = std::make_unique<char[]>(StackBytes);
    }
    fiber.context.uc_stack.ss_sp = fiber.stack.get();
    fiber.context.uc_stack.ss_size = StackBytes;
    fiber.context.uc_link = &self.scheduler;
    fiber.isDone = false;
    fiber.waitsFor = nullptr;
    fiber.exchanges = 0;
    fiber.copies.assign(1, {});
    fiber.stores.clear();
    fiber.dots.assign(1, {});
    fiber.finishedDots = 0;
    fiber.postponed.clear();
    makecontext(&fiber.context, begin, 0);
  }
}

/// What is wrong when nobody can go on.
std::string endProgram(Block &self) {
  block = &self;
  if (!self.problem.empty()) {
    return self.problem;
  }
  for (Fiber &fiber : self.fibers) {
    for (const BulkStore &store : fiber.stores) {
      if (!store.isRead) {
        return "a thread ended before what it stored in bulk was read";
      }
    }
    writeBulkStores(fiber);
    if (fiber.isDone && (fiber.copies.size() > 1 || !fiber.copies[0].empty())) {
      return "a thread ended before its asynchronous copies were waited for";
    }
    if (!fiber.isDone) {
      return "threads of a block wait for each other for ever: not all of them "
             "reach the same barrier";
    }
  }
  for (const auto &[address, barrier] : self.barriers) {
    if (!barrier.copies.empty() || barrier.expected != 0) {
      return "the program ended before its copies in bulk were waited for";
    }
  }
  return {};
}

std::string runPrograms(std::vector<Block> &blocks) {
  Meeting everybody;
  for (Block &one : blocks) {
    everybody.members += one.launch->threads;
    one.cluster = &blocks;
    one.everybody = &everybody;
    beginProgram(one);
  }
  for (bool moved = true; moved;) {
    moved = false;
    for (Block &one : blocks) {
      while (round(one)) {
        moved = true;
      }
    }
  }
  for (Block &one : blocks) {
    if (std::string problem = endProgram(one); !problem.empty()) {
      return problem;
    }
  }
  return {};
}

//===--- What code calls --------------------------------------------------===//

uint32_t threadInBlock() { return block->current; }
uint32_t programId(uint32_t axis) { return block->program[axis]; }
uint32_t programCount(uint32_t axis) { return block->launch->grid[axis]; }
void *sharedMemory() { return block->shared.get(); }
/// Of all threads, or the first ones.
void barrier(uint32_t threads, uint32_t) {
  Block &self = *block;
  if (threads == 0) {
    self.meet(self.all);
    return;
  }
  if (self.current >= threads) {
    fail("a thread is at a barrier of others");
    return;
  }
  self.workers.members = threads;
  self.meet(self.workers);
}

void syncBlocks() { block->meet(*block->everybody); }

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
  const unsigned lanes = self.launch->lanes;
  fiber.word[turn] = word;
  self.meet(self.warps[thread / lanes]);
  return self.fibers[thread / lanes * lanes + lane % lanes].word[turn];
}

uint32_t shuffleXor(uint32_t word, uint32_t mask) {
  return shuffle(word, (block->current % block->launch->lanes) ^ mask);
}

/// Of copies into what is still read nothing good comes.
void checkUnread(const Block &where, const char *to, uint32_t bytes) {
  if (where.dotsInFlight == 0) {
    return;
  }
  for (const Fiber &fiber : where.fibers) {
    for (const auto &dot : fiber.dots) {
      for (const Operand &operand : dot) {
        if (operand.address < to + bytes &&
            to < operand.address + operand.bytes) {
          fail("a slot is filled while a dot in flight reads it");
        }
      }
    }
  }
}

/// Copies are made as late as they may be, when they are waited for; until then
/// the place holds what no kernel expects.
void asyncCopy(void *to, const void *from, uint32_t bytes, uint32_t valid) {
  checkUnread(*block, static_cast<const char *>(to), bytes);
  std::memset(to, 0xcd, bytes);
  block->fiber().copies.back().push_back({to, from, bytes, valid});
}

void asyncCommit() { block->fiber().copies.emplace_back(); }

void asyncWait(uint32_t pending) {
  auto &groups = block->fiber().copies;
  // The open group is nobody's yet.
  for (; groups.size() > size_t{pending} + 1; groups.pop_front()) {
    for (const Copy &copy : groups.front()) {
      std::memcpy(copy.to, copy.from, copy.valid);
      std::memset(static_cast<char *>(copy.to) + copy.valid, 0,
                  copy.bytes - copy.valid);
    }
  }
}

//===--- The bulk copy unit
//------------------------------------------------===//

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

void bulkStore(const Frame *frame, const uint32_t *box, const int32_t *at,
               char *from, uint32_t swizzle) {
  BulkStore store{copyOf(frame, box, at, from, swizzle), {}, false};
  store.before.assign(from, from + store.copy.bytes());
  if (std::any_of(at, at + frame->rank, [](int32_t c) { return c < 0; })) {
    fail("a bulk store begins before its frame");
  }
  block->fiber().stores.push_back(std::move(store));
}

/// Shared memory is looked at as late as it may be, and written to memory when
/// somebody may ask for it.
void awaitBulkStores(uint32_t areDone) {
  std::vector<BulkStore> &stores = block->fiber().stores;
  for (BulkStore &store : stores) {
    if (!store.isRead && std::memcmp(store.before.data(), store.copy.shared,
                                     store.before.size()) != 0) {
      fail("shared memory was written while it was being stored");
    }
    store.isRead = true;
  }
  if (areDone) {
    writeBulkStores(block->fiber());
  }
}

/// The barrier at an address; a report and any other if there is none.
PhaseBarrier &barrierIn(Block &where, const void *address) {
  auto found = where.barriers.find(address);
  if (found == where.barriers.end()) {
    fail("a barrier with phases is used before it is made");
    return where.barriers[address];
  }
  return found->second;
}
PhaseBarrier &barrierAt(const void *address) {
  return barrierIn(*block, address);
}

void initBarriers(uint64_t *address, uint32_t count, uint32_t arrivals) {
  for (uint32_t i = 0; i < count; ++i) {
    auto [at, isNew] = block->barriers.try_emplace(address + i);
    at->second.arrivals = arrivals;
    if (!isNew) {
      fail("a barrier with phases is made where there is one");
    }
  }
}

void endBarriers(uint64_t *address, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    PhaseBarrier &barrier = barrierAt(address + i);
    if (!barrier.copies.empty() || barrier.expected != 0) {
      fail("copies were on their way when their barrier was ended");
    }
    block->barriers.erase(address + i);
  }
}

void noteProgress(PhaseBarrier &barrier) {
  if (!barrier.arrived.empty() && barrier.begun > barrier.expected) {
    fail("a slot is filled before all blocks have read it");
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
  barrier.arrived.insert(0);
  barrier.expected += bytes;
  noteProgress(barrier);
}

/// One thread of the warp, when all are here. Nothing is left to be done when
/// the phase ends.
/// `number`: the block whose barrier it is; beyond all of them: its own.
void arrive(uint64_t *address, uint32_t predicate, uint32_t number) {
  Block &self = *block;
  self.meet(self.warps[self.current / self.launch->lanes]);
  if (predicate == 0) {
    return;
  }
  auto [where, there] =
      inBlock(number < self.cluster->size() ? number : self.number(), address);
  PhaseBarrier &barrier = barrierIn(*where, there);
  const auto warps = unsigned(self.warps.size());
  if (!barrier.arrived
           .insert(self.number() * warps + self.current / self.launch->lanes)
           .second) {
    fail("a warp releases a slot that it has not waited for");
  }
  if (barrier.isComplete()) {
    noteProgress(barrier);
    barrier.arrived.clear();
    ++barrier.phase;
  }
}

/// One thread of a warp looks whether the operand stays as it is.
void beginDot(const char *address, uint32_t bytes) {
  Operand operand{address, bytes, {}};
  if (block->current % block->launch->lanes == 0) {
    operand.before.assign(address, address + bytes);
  }
  block->fiber().dots.back().push_back(std::move(operand));
}

void commitDot() {
  block->fiber().dots.emplace_back();
  ++block->dotsInFlight;
}

void waitDots(uint32_t pending) {
  Fiber &fiber = block->fiber();
  for (; fiber.dots.size() > size_t{pending} + 1; fiber.dots.pop_front()) {
    for (const Operand &operand : fiber.dots.front()) {
      if (!std::equal(operand.before.begin(), operand.before.end(),
                      operand.address)) {
        fail("a slot is written while a dot in flight reads it");
      }
    }
    --block->dotsInFlight;
    ++fiber.finishedDots;
  }
}

/// A token for a word of the dot that was begun last.
uint32_t postpone(uint32_t word) {
  Fiber &fiber = block->fiber();
  const auto index = uint32_t(fiber.postponed.size());
  if (index > ~tokenMask) {
    fail("too many results of dots in flight for one program");
    return word;
  }
  fiber.postponed.push_back({word, fiber.finishedDots + fiber.dots.size() - 2});
  return TokenBits | index;
}

/// What a token stands for, once its dot was waited for; else the token.
uint32_t arrived(uint32_t word) {
  const Fiber &fiber = block->fiber();
  const Postponed *found = fiber.find(word);
  return found && found->dot < fiber.finishedDots ? found->word : word;
}

/// ... for the next dot in a row of them, which need not wait.
uint32_t chained(uint32_t word) {
  const Postponed *found = block->fiber().find(word);
  return found ? found->word : word;
}

/// To this place of the first so many blocks of a cluster; 0: of its own.
void bulkCopy(const Frame *frame, const uint32_t *box, const int32_t *at,
              char *to, uint64_t *address, uint32_t swizzle, uint32_t blocks) {
  BulkCopy copy = copyOf(frame, box, at, to, swizzle);
  const uint32_t first = blocks == 0 ? block->number() : 0;
  for (uint32_t i = first; i < std::max(blocks, first + 1); ++i) {
    auto [where, there] = inBlock(i, to);
    copy.shared = there;
    checkUnread(*where, there, copy.bytes());
    PhaseBarrier &barrier = barrierIn(*where, inBlock(i, address).second);
    if (barrier.expected != 0 && barrier.isComplete()) {
      fail("a slot is filled before all blocks have read it");
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
  PhaseBarrier &barrier = barrierAt(address);
  while ((barrier.phase & 1) == parity && self.problem.empty()) {
    if (!barrier.isComplete()) {
      Fiber &fiber = self.fiber();
      fiber.turn = barrier.complete.turn;
      fiber.waitsFor = &barrier.complete;
      swapcontext(&fiber.context, &self.scheduler);
      continue;
    }
    for (const BulkCopy &copy : barrier.copies) {
      const uint32_t size = copy.frame->elementBytes;
      copy.forEach([&](char *to, const char *from) {
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
    ++barrier.phase;
  }
}

template <typename F>
void *address(F *function) {
  return reinterpret_cast<void *>(function);
}

} // namespace

const Symbol Functions[] = {
    {"fibers_thread", address(threadInBlock)},
    {"fibers_program", address(programId)},
    {"fibers_programs", address(programCount)},
    {"fibers_shared", address(sharedMemory)},
    {"fibers_barrier", address(barrier)},
    {"fibers_shown", address(shown)},
    {"fibers_shuffle", address(shuffle)},
    {"fibers_shuffle_xor", address(shuffleXor)},
    {"fibers_async_copy", address(asyncCopy)},
    {"fibers_async_commit", address(asyncCommit)},
    {"fibers_async_wait", address(asyncWait)},
    {"fibers_init_barriers", address(initBarriers)},
    {"fibers_end_barriers", address(endBarriers)},
    {"fibers_arrive", address(arrive)},
    {"fibers_begin_dot", address(beginDot)},
    {"fibers_commit_dot", address(commitDot)},
    {"fibers_wait_dots", address(waitDots)},
    {"fibers_postpone", address(postpone)},
    {"fibers_arrived", address(arrived)},
    {"fibers_chained", address(chained)},
    {"fibers_expect_bytes", address(expectBytes)},
    {"fibers_bulk_copy", address(bulkCopy)},
    {"fibers_sync_blocks", address(syncBlocks)},
    {"fibers_wait_barrier", address(waitBarrier)},
    {"fibers_bulk_store", address(bulkStore)},
    {"fibers_await_bulk_stores", address(awaitBulkStores)},
};
const unsigned NumFunctions = std::size(Functions);

std::string run(const Launch &launch) {
  std::vector<Block> blocks(launch.clusterBlocks);
  const size_t bytes = (launch.sharedBytes + 1024) / 1024 * 1024;
  for (Block &one : blocks) {
    one.launch = &launch;
    one.fibers.resize(launch.threads);
    one.shared.reset(static_cast<char *>(std::aligned_alloc(1024, bytes)));
  }
  Block *before = block;
  std::string problem;
  for (uint32_t z = 0; z < launch.grid[2] && problem.empty(); ++z) {
    for (uint32_t y = 0; y < launch.grid[1] && problem.empty(); ++y) {
      for (uint32_t x = 0; x < launch.grid[0] && problem.empty();
           x += launch.clusterBlocks) {
        for (unsigned i = 0; i < launch.clusterBlocks; ++i) {
          blocks[i].program = {x + i, y, z};
        }
        problem = runPrograms(blocks);
      }
    }
  }
  block = before;
  return problem;
}

} // namespace tz::fibers
