//===- FiberScheduler.cpp - who goes on -----------------------------------===//
//
// What   Programs begin and end, and their threads take turns: one after the
//        other, or by a seed.
// Why    See Fibers.h.
//===----------------------------------------------------------------------===//
#include "test/fibers/FiberBlock.h"

#include <algorithm>
#include <cstring>
#include <fstream>

namespace tz::fibers {

thread_local Block *block = nullptr;

namespace {

constexpr size_t StackBytes = 256 * 1024;
/// Clusters that run at the same time, with a seed.
constexpr size_t MostResident = 3;
/// Of warps in a kernel that waits, while nothing else happens.
constexpr uint64_t MostIdleSteps = 1 << 16;

void begin() {
  block->launch().entry(block->launch().arguments);
  block->fiber().isDone = true;
  // uc_link leads back to the scheduler.
}

/// Blocks of a cluster.
struct Cluster {
  std::vector<Block> blocks;
  Meeting everybody;
  bool isFree = true;
};

void goOn(Block &self, unsigned thread) {
  block = &self;
  Fiber &fiber = self.fibers[thread];
  fiber.waitsFor = nullptr;
  self.current = thread;
  swapcontext(&self.scheduler, &fiber.context);
}

/// Runs each thread until it waits or ends; false if nobody could go on.
bool round(Block &self) {
  bool moved = false;
  for (unsigned i = 0; i < self.fibers.size() && !self.run->isOver; ++i) {
    if (self.fibers[i].canGoOn()) {
      goOn(self, i);
      moved = true;
    }
  }
  return moved;
}

void runInOrder(Cluster &cluster) {
  for (bool moved = true; moved;) {
    moved = false;
    for (Block &one : cluster.blocks) {
      while (round(one)) {
        moved = true;
      }
    }
  }
}

/// A warp of the cluster that can go on, chosen at random, does so once; false:
/// there is none.
bool stepAtRandom(Cluster &cluster, Run &run) {
  if (run.isOver) {
    return false;
  }
  std::vector<std::pair<Block *, unsigned>> warps;
  for (Block &one : cluster.blocks) {
    const unsigned lanes = run.launch.lanes;
    for (unsigned i = 0; i < one.fibers.size(); ++i) {
      if (one.fibers[i].canGoOn()) {
        warps.push_back({&one, i / lanes});
        i = (i / lanes + 1) * lanes - 1;
      }
    }
  }
  if (warps.empty()) {
    return false;
  }
  auto [self, warp] = warps[run.random() % warps.size()];
  const unsigned first = warp * run.launch.lanes,
                 count = std::min(run.launch.lanes,
                                  unsigned(self->fibers.size()) - first),
                 start = unsigned(run.random() % count);
  for (unsigned i = 0; i < count; ++i) {
    const unsigned thread = first + (start + i) % count;
    if (self->fibers[thread].canGoOn() && !run.isOver) {
      goOn(*self, thread);
    }
  }
  return true;
}

void beginProgram(Block &self) {
  const Launch &launch = self.launch();
  std::memset(self.shared, 0xcd, launch.sharedBytes);
  self.all = {launch.threads, 0, 0};
  self.workers = {};
  self.split = {};
  self.dotsInFlight = 0;
  self.barriers.clear();
  self.barrierActors = 0;
  self.filledFor.clear();
  self.problem.clear();
  self.unwritten.clear();
  self.shadow.clear();
  self.warps.assign((launch.threads + launch.lanes - 1) / launch.lanes,
                    {std::min(launch.lanes, launch.threads), 0, 0});
  for (unsigned i = 0; i < self.fibers.size(); ++i) {
    Fiber &fiber = self.fibers[i];
    getcontext(&fiber.context);
    if (!fiber.stack) {
      fiber.stack = std::make_unique_for_overwrite<char[]>(StackBytes);
    }
    fiber.context.uc_stack.ss_sp = fiber.stack.get();
    fiber.context.uc_stack.ss_size = StackBytes;
    fiber.context.uc_link = &self.scheduler;
    fiber.isDone = false;
    fiber.waitsFor = nullptr;
    fiber.arrivedIn.reset();
    fiber.exchanges = 0;
    fiber.copies.assign(1, {});
    fiber.stores.clear();
    fiber.dots.assign(1, {});
    fiber.finishedDots = 0;
    fiber.postponed.clear();
    fiber.clock = {};
    fiber.clock.block = self.linear();
    fiber.clock.thread = i;
    makecontext(&fiber.context, begin, 0);
  }
}

/// Who waits, and where: the first thread of each op.
std::string whoWaits(const Block &self) {
  std::map<uint32_t, std::pair<unsigned, unsigned>> ops; // first, how many
  unsigned ended = 0;
  for (unsigned i = 0; i < self.fibers.size(); ++i) {
    const Fiber &fiber = self.fibers[i];
    ended += fiber.isDone;
    if (!fiber.isDone) {
      ++ops.try_emplace(fiber.clock.op, i, 0).first->second.second;
    }
  }
  std::string text;
  for (const auto &[op, threads] : ops) {
    text += (text.empty() ? ": " : ", ") + std::to_string(threads.second) +
            " from thread " + std::to_string(threads.first) + " (warp " +
            std::to_string(threads.first / self.launch().lanes) + ") on in " +
            self.run->races.names.op(op);
  }
  return text + (ended ? "; " + std::to_string(ended) + " have ended" : "");
}

/// What is wrong when nobody can go on.
std::string endProgram(Block &self) {
  block = &self;
  if (!self.unwritten.empty()) {
    return self.unwritten;
  }
  for (unsigned i = 0; i < self.fibers.size(); ++i) {
    Fiber &fiber = self.fibers[i];
    self.current = i;
    if (!fiber.isDone) {
      return "threads of a block wait for each other for ever: not all of them "
             "reach the same barrier, or a phase of one never ends" +
             whoWaits(self);
    }
    if (fiber.arrivedIn) {
      return "a thread ended before it waited at a barrier at which it had "
             "arrived" +
             here();
    }
    for (const BulkStore &store : fiber.stores) {
      if (!store.isRead) {
        return "a thread ended before what it stored in bulk was read" + here();
      }
    }
    writeBulkStores(fiber);
    if (!fiber.regions.empty()) {
      return "a thread ended in a region '" + fiber.regions.back() + "'" +
             here();
    }
    if (fiber.copies.size() > 1 || !fiber.copies[0].empty()) {
      return "a thread ended before its asynchronous copies were waited for" +
             here();
    }
  }
  for (const auto &[address, barrier] : self.barriers) {
    if (!barrier.copies.empty() || barrier.expected != 0) {
      return "the program ended before its copies in bulk were waited for (to "
             "the barrier with phases at byte " +
             std::to_string(self.offset(address)) + ")";
    }
  }
  return {};
}

std::string endPrograms(Cluster &cluster) {
  cluster.isFree = true;
  for (Block &one : cluster.blocks) {
    if (!one.problem.empty()) {
      return one.problem;
    }
  }
  // Nobody goes on because of another cluster.
  if (!cluster.blocks.empty() && cluster.blocks[0].run->isOver) {
    return {};
  }
  for (Block &one : cluster.blocks) {
    if (std::string problem = endProgram(one); !problem.empty()) {
      return problem;
    }
  }
  return {};
}

void beginPrograms(Cluster &cluster, uint64_t first, Run &run) {
  const Launch &launch = run.launch;
  if (cluster.blocks.empty()) {
    // Twice as aligned, and half of that further.
    const size_t step = 2 * size_t(launch.sharedAlignment);
    const size_t bytes = (launch.sharedBytes / step + 2) * step;
    cluster.blocks = std::vector<Block>(launch.clusterBlocks);
    for (Block &one : cluster.blocks) {
      one.run = &run;
      one.cluster = &cluster.blocks;
      one.everybody = &cluster.everybody;
      one.fibers.resize(launch.threads);
      one.allocated.reset(static_cast<char *>(std::aligned_alloc(step, bytes)));
      one.shared = one.allocated.get() + launch.sharedAlignment;
    }
  }
  cluster.isFree = false;
  cluster.everybody = {launch.threads * launch.clusterBlocks, 0, 0};
  for (Block &one : cluster.blocks) {
    const uint64_t number = first + one.number();
    one.program = {uint32_t(number % launch.grid[0]),
                   uint32_t(number / launch.grid[0] % launch.grid[1]),
                   uint32_t(number / launch.grid[0] / launch.grid[1])};
    beginProgram(one);
  }
}

std::string runInOrder(Run &run, uint64_t programs) {
  Cluster cluster;
  std::string problem;
  for (uint64_t first = 0; first < programs && problem.empty();
       first += run.launch.clusterBlocks) {
    beginPrograms(cluster, first, run);
    runInOrder(cluster);
    problem = endPrograms(cluster);
  }
  return problem;
}

/// What is wrong when programs wait and nobody tells them anything.
std::string whoWaits(const std::vector<Cluster> &resident, size_t notBegun) {
  std::string text;
  for (const Cluster &cluster : resident) {
    for (const Block &one : cluster.blocks) {
      if (!cluster.isFree) {
        const Names &names = one.run->races.names;
        text += (text.empty() ? ": " : ", ") + names.block(one.linear()) +
                " in " + names.op(one.fibers[0].clock.op);
      }
    }
  }
  return "programs wait for each other for ever" + text + "; " +
         std::to_string(notBegun) + " have not begun";
}

/// Which cluster begins next: those of kernels that wait begin in order (R6
/// O4) where the machine starts blocks so, others as they come.
std::string runAtRandom(Run &run, uint64_t programs) {
  std::vector<uint64_t> waiting;
  for (uint64_t first = 0; first < programs;
       first += run.launch.clusterBlocks) {
    waiting.push_back(first);
  }
  if (!run.launch.isLinear || !run.launch.startsInOrder) {
    std::shuffle(waiting.begin(), waiting.end(), run.random);
  }
  std::vector<Cluster> resident(std::min(MostResident, waiting.size()));
  run.later = waiting.size() - resident.size();
  size_t next = 0;
  for (;;) {
    std::vector<Cluster *> running;
    for (Cluster &one : resident) {
      if (one.isFree && next < waiting.size() && !run.isOver) {
        beginPrograms(one, waiting[next++], run);
        run.idleSteps = 0;
      }
      if (!one.isFree) {
        running.push_back(&one);
      }
    }
    if (running.empty()) {
      return {};
    }
    Cluster &one = *running[run.random() % running.size()];
    if (!stepAtRandom(one, run)) {
      if (std::string problem = endPrograms(one); !problem.empty()) {
        return problem;
      }
      run.idleSteps = 0;
    } else if (run.launch.isLinear && ++run.idleSteps == MostIdleSteps) {
      return whoWaits(resident, waiting.size() - next);
    }
  }
}

} // namespace

void Run::log(const std::string &line) const {
  if (const char *path = std::getenv("TERRAZZO_FIBERS_FAULT_LOG")) {
    std::ofstream(path, std::ios::app) << line << "\n";
  }
}

void Run::logCounts() const {
  if (sites.empty()) {
    return;
  }
  uint64_t arrivals = 0;
  for (const void *barrier : atSites) {
    auto found = neededArrivals.find(barrier);
    arrivals += found == neededArrivals.end() ? 0 : found->second;
  }
  log("arrivals\t" + std::to_string(arrivals));
  log("left\t" + std::to_string(left));
  log("later\t" + std::to_string(later));
  log("orderings\t" + std::to_string(races.orderings()));
  for (const auto &[name, count] : races.pairs()) {
    log(name + "\t" + std::to_string(count));
  }
  if (!races.firstPair().empty()) {
    log("pair\t" + races.firstPair());
  }
}

void Block::stop() {
  static Meeting never;
  for (;;) {
    fiber().waitsFor = &never;
    fiber().turn = never.turn;
    yield();
  }
}

void end(std::string report) {
  if (report.empty()) {
    return;
  }
  Block &self = *block;
  self.problem = std::move(report);
  self.run->isOver = true;
  self.stop();
}

void fail(const std::string &problem) { end(problem + here()); }

void take(Found found) {
  if (found.kind == Found::Kind::race) {
    end(std::move(found.text));
  } else if (found.kind == Found::Kind::unwritten) {
    Block &self = *block;
    if (self.unwritten.empty()) {
      self.unwritten = std::move(found.text);
    }
    self.stop();
  }
}

std::string here() {
  return ", thread " + std::to_string(block->current) + " (warp " +
         std::to_string(block->warp()) + ") in " +
         block->run->races.names.op(block->fiber().clock.op);
}

std::vector<ThreadClock *> Block::clocks(unsigned first, unsigned count) {
  std::vector<ThreadClock *> list;
  for (unsigned i = 0; i < count; ++i) {
    list.push_back(&fibers[first + i].clock);
  }
  return list;
}

std::pair<Block *, char *> inBlock(unsigned number, const void *address) {
  Block &other = (*block->cluster)[number];
  return {&other, other.shared + block->offset(address)};
}

const std::vector<Symbol> &functions() {
  static const std::vector<Symbol> all = [] {
    std::vector<Symbol> made;
    for (auto *add : {addThreadCalls, addAccessCalls, addCopyCalls,
                      addBulkCalls, addDotCalls}) {
      add(made);
    }
    return made;
  }();
  return all;
}

std::string run(const Launch &launch) {
  Block *before = block;
  Run state(launch);
  const uint64_t programs =
      uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
  std::string problem = state.isRandom() ? runAtRandom(state, programs)
                                         : runInOrder(state, programs);
  block = before;
  state.logCounts();
  return problem.empty() || !state.isRandom()
             ? problem
             : problem + " (seed " + std::to_string(launch.seed) + ")";
}

} // namespace tz::fibers
