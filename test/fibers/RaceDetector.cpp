//===- RaceDetector.cpp - who accessed which byte last --------------------===//
//
// What   See RaceDetector.h.
// Why    See RaceDetector.h.
//===----------------------------------------------------------------------===//
#include "test/fibers/RaceDetector.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tz::fibers {

//===--- What a thread knows ----------------------------------------------===//

namespace {

constexpr std::array<Order, 2> InShared = {Order::shared,
                                           Order::publishedShared},
                               InDevice = {Order::device,
                                           Order::publishedDevice};

bool isPublished(Order order) {
  return order == Order::publishedShared || order == Order::publishedDevice;
}

/// What one thread adds of its own to what it has learnt.
void addOwn(const ThreadClock &thread, Order order, ActorClocks &clocks) {
  const uint32_t first = actorOf(thread.thread, Worker::self);
  if (clocks.size() < first + WorkersOfThread) {
    clocks.resize(first + WorkersOfThread);
  }
  for (uint32_t worker = 0; worker < WorkersOfThread; ++worker) {
    const bool isSelf = worker == 0 && !isPublished(order);
    uint32_t &to = clocks[first + worker];
    to = std::max(to,
                  isSelf ? thread.clock : thread.done[size_t(order)][worker]);
  }
}

} // namespace

bool ThreadClock::knows(Order order, const Record &record) const {
  if (record.block != block) {
    return clockOf(partOf(known[size_t(order)], record.block), record.actor) >=
           record.clock;
  }
  if (clockOf(mine[size_t(order)], record.actor) >= record.clock) {
    return true;
  }
  if (record.actor / WorkersOfThread != thread) {
    return false;
  }
  const uint32_t worker = record.actor % WorkersOfThread;
  return (worker == 0 && !isPublished(order)) ||
         done[size_t(order)][worker] >= record.clock;
}

void ThreadClock::learn(Order order, const Known &more) {
  Known &all = known[size_t(order)];
  all = join(all, more);
  mine[size_t(order)] = partOf(all, block);
}

Known ThreadClock::release(Order order) {
  const Known &all = known[size_t(order)];
  auto made = all ? std::make_shared<Clocks>(*all) : std::make_shared<Clocks>();
  auto part = mine[size_t(order)]
                  ? std::make_shared<ActorClocks>(*mine[size_t(order)])
                  : std::make_shared<ActorClocks>();
  addOwn(*this, order, *part);
  (*made)[block] = std::move(part);
  return made;
}

void ThreadClock::publish(Order plain, Order published) {
  auto &to = done[size_t(published)];
  to = done[size_t(plain)];
  to[size_t(Worker::self)] = clock++;
}

void ThreadClock::end(Worker worker, uint32_t upTo, bool inShared,
                      bool inDevice) {
  auto raise = [&](Order order) {
    uint32_t &to = done[size_t(order)][size_t(worker)];
    to = std::max(to, upTo);
  };
  if (inShared) {
    raise(Order::shared);
  }
  if (inDevice) {
    raise(Order::device);
  }
}

void ThreadClock::arrive(bool inShared, bool inDevice, Members members) {
  ++clock;
  for (auto [one, isOrdered] :
       {std::pair(&barriers[0], inShared), std::pair(&barriers[1], inDevice)}) {
    one->openOfAny = isOrdered && members != Members::some;
    one->openOfAll = isOrdered && members == Members::all;
  }
}

void ThreadClock::awaitOthers() {
  for (Barriers &one : barriers) {
    one.ofAny += std::exchange(one.openOfAny, 0);
    one.ofAll += std::exchange(one.openOfAll, 0);
  }
}

void meet(const std::vector<ThreadClock *> &threads, bool inShared,
          bool inDevice, Members members) {
  auto order = [&](Order one) {
    Known all;
    for (const ThreadClock *thread : threads) {
      all = join(all, thread->known[size_t(one)]);
    }
    auto made =
        all ? std::make_shared<Clocks>(*all) : std::make_shared<Clocks>();
    std::map<uint32_t, std::shared_ptr<ActorClocks>> parts;
    for (const ThreadClock *thread : threads) {
      auto &part = parts[thread->block];
      if (!part) {
        const ActorClocks *known = partOf(all, thread->block);
        part = known ? std::make_shared<ActorClocks>(*known)
                     : std::make_shared<ActorClocks>();
      }
      addOwn(*thread, one, *part);
    }
    for (auto &[block, part] : parts) {
      (*made)[block] = std::move(part);
    }
    Known told = std::move(made);
    for (ThreadClock *thread : threads) {
      thread->known[size_t(one)] = told;
      thread->mine[size_t(one)] = partOf(told, thread->block);
    }
  };
  for (unsigned i = 0; i < 2; ++i) {
    if (inShared) {
      order(InShared[i]);
    }
    if (inDevice) {
      order(InDevice[i]);
    }
  }
  for (ThreadClock *thread : threads) {
    thread->arrive(inShared, inDevice, members);
    thread->awaitOthers();
  }
}

//===--- Accesses ---------------------------------------------------------===//

/// So that a launch of any length ends: what comes later is not looked at.
static constexpr size_t MostRecords = size_t{1} << 24;

uint32_t RaceDetector::number(const Record &record) {
  if (records.size() >= MostRecords) {
    return 0;
  }
  records.push_back(record);
  return uint32_t(records.size() - 1);
}

bool RaceDetector::isEngine(const Record &record) const {
  const uint32_t worker = record.actor % WorkersOfThread;
  return record.actor / WorkersOfThread >= names.threads ||
         worker == uint32_t(Worker::dots) || worker == uint32_t(Worker::stores);
}

RaceDetector::Fault RaceDetector::judge(const ThreadClock &thread,
                                        const Record &mine, const Access &now,
                                        const Record &before,
                                        bool wasWrite) const {
  const bool inShared = now.space == Space::shared;
  if (!thread.knows(inShared ? Order::shared : Order::device, before)) {
    const bool isOneOp = before.block == mine.block && before.op == mine.op &&
                         before.instance == mine.instance && wasWrite &&
                         now.isWrite && before.actor != mine.actor;
    const bool areAtomic =
        mine.isAtomic && before.isAtomic &&
        (before.block == mine.block || (mine.isWide && before.isWide));
    return areAtomic || (isOneOp && !inShared) ? Fault::none : Fault::race;
  }
  // Reads need not be published to the copies that fill the place again.
  if (!(now.byEngine || isEngine(mine)) || isEngine(before) ||
      (inShared && !wasWrite) ||
      thread.knows(inShared ? Order::publishedShared : Order::publishedDevice,
                   before)) {
    return Fault::none;
  }
  return Fault::unpublished;
}

/// Reads that this one comes behind need not be kept: who comes behind this one
/// comes behind them.
uint32_t RaceDetector::withRead(const ThreadClock &thread, Shadow &shadow,
                                const Cell &cell, uint32_t mine, Order order) {
  if (cell.reads == 0 || cell.reads == mine) {
    return mine;
  }
  const Record &own = records[mine];
  const uint32_t perWarp = names.lanes * WorkersOfThread;
  auto isOut = [&](const Record &one) {
    return one.actor / WorkersOfThread >= firstOut;
  };
  constexpr size_t most = 15;
  Shadow::Set kept;
  auto keep = [&](uint32_t one) {
    if (one == mine || thread.knows(order, records[one])) {
      return;
    }
    const Record &other = records[one];
    const uint32_t alike = isExact ? 1 : perWarp;
    if (other.block == own.block && other.actor / alike == own.actor / alike &&
        other.isAtomic == own.isAtomic && other.isWide == own.isWide &&
        isOut(other) == isOut(own)) {
      return;
    }
    if (isExact || kept.size() < most) {
      kept.push_back(one);
    }
  };
  if (cell.reads & Shadow::IsSet) {
    const Shadow::Set &before = shadow.set(cell.reads);
    std::for_each(before.begin(), before.end(), keep);
    if (kept.size() + 1 == before.size() &&
        std::find(before.begin(), before.end(), mine) != before.end()) {
      return cell.reads;
    }
  } else {
    keep(cell.reads);
  }
  if (kept.empty()) {
    return mine;
  }
  kept.push_back(mine);
  return shadow.makeSet(std::move(kept));
}

/// Whether both threads have been at a barrier between the two: the first one
/// arrived behind its access, the other had waited before its own.
bool RaceDetector::isBetween(const Barriers &one, const Barriers &later,
                             uint32_t thread, uint32_t otherThread) const {
  const bool bothCompute =
      computing != ~0u && thread < computing && otherThread < computing;
  return bothCompute ? one.ofAny + one.openOfAny < later.ofAny
                     : one.ofAll + one.openOfAll < later.ofAll;
}

/// Whether the two of one block are in order by other barriers than the site's.
/// What works beside a thread ends where a thread waits for it: behind that the
/// same thread is in order, others behind a barrier.
bool RaceDetector::isOrdered(const ThreadClock &thread, const Record &other,
                             const Record &own, size_t memory) const {
  const uint32_t from = other.actor / WorkersOfThread, to = thread.thread;
  if (from < names.threads &&
      other.actor % WorkersOfThread == uint32_t(Worker::self)) {
    return from == to || isBetween(other.barriers, own.barriers, from, to);
  }
  auto found = ends.find({other.block, other.actor});
  return found != ends.end() &&
         std::any_of(found->second.begin(), found->second.end(),
                     [&](const End &end) {
                       return end.upTo >= other.clock &&
                              (memory == 0 || end.inDevice) &&
                              (end.thread == to ||
                               isBetween(end.barriers[memory], own.barriers,
                                         end.thread, to));
                     });
}

/// Whether a barrier at the site may be what orders the two: the one that
/// other's block comes by behind it, or own's before it. It is not if another
/// barrier stands on the same side of them.
RaceDetector::Sides RaceDetector::mayNeed(const ThreadClock &thread,
                                          const Record &other,
                                          const Record &own,
                                          const Access &now) const {
  const size_t memory = now.space == Space::device;
  if (other.block == own.block) {
    const bool isOpen = !isOrdered(thread, other, own, memory);
    return {isOpen, isOpen};
  }
  const uint32_t from = other.actor / WorkersOfThread, to = thread.thread;
  auto at = [&](uint32_t block, uint32_t who, size_t pass) {
    auto found = passes.find({block, who});
    return found != passes.end() && pass < found->second.size()
               ? &found->second[pass][memory]
               : nullptr;
  };
  auto since = sitesOf.find(other.block);
  Sides sides;
  if (since != sitesOf.end() && since->second > other.sites) {
    const Barriers *next = at(other.block, from, other.sites);
    sides.before = !next || !isBetween(other.barriers, *next, from, from);
  }
  if (sitesOf.contains(own.block)) {
    const Barriers *last =
        own.sites ? at(own.block, to, own.sites - 1) : nullptr;
    sides.behind = !last || !isBetween(*last, own.barriers, to, to);
  }
  return sides;
}

void RaceDetector::count(const ThreadClock &thread, const Record &other,
                         const Record &own, const Access &now) {
  if (sitesOf.empty() || (own.isAtomic && other.isAtomic)) {
    return;
  }
  const bool isWithin = other.block == own.block;
  auto found = sitesOf.find(other.block);
  const uint32_t since = found == sitesOf.end() ? 0 : found->second;
  if (isWithin ? other.sites >= own.sites
               : since <= other.sites && own.sites == 0) {
    return;
  }
  auto has = [&](Worker worker) {
    return other.actor % WorkersOfThread == uint32_t(worker) ||
           own.actor % WorkersOfThread == uint32_t(worker);
  };
  auto isOut = [&](const Record &one) {
    return one.actor / WorkersOfThread >= firstOut;
  };
  const Sides needed = mayNeed(thread, other, own, now);
  if (needed.any() && first.empty()) {
    first = message(Fault::race, own, now, now.address, other, false);
  }
  ++counts["crossing"];
  counts["single"] += needed.any();
  counts["lanes"] += isWithin ? needed.any() && (isOut(other) || isOut(own))
                              : (needed.before && isOut(other)) ||
                                    (needed.behind && isOut(own)) ||
                                    (needed.any() && outSynchronizes);
  counts["units"] += isEngine(own) || now.byEngine;
  counts["dots"] += has(Worker::dots);
  counts["stores"] += has(Worker::stores);
  counts["stored"] += has(Worker::stores) && now.space == Space::device;
}

Found RaceDetector::walk(ThreadClock &thread, uint32_t mine, Shadow &shadow,
                         const Access &now) {
  if (mine == 0) {
    return {};
  }
  goOn(thread);
  const Record own = records[mine];
  const Order order =
      now.space == Space::shared ? Order::shared : Order::device;
  const bool mayRepeat = now.value != nullptr;
  Cell before{}, after{}; // of the byte before: most are alike
  bool hasBefore = false;
  std::string unwritten;
  for (uint32_t i = 0; i < now.bytes;) {
    Cell *cell = shadow.at(now.address + i);
    const auto end = uint32_t(std::min<uintptr_t>(
        now.bytes, i + Shadow::leftInPage(now.address + i)));
    for (; i < end; ++i, ++cell) {
      if (hasBefore && cell->write == before.write &&
          cell->reads == before.reads && !mayRepeat) {
        *cell = after;
        continue;
      }
      before = *cell;
      hasBefore = true;
      auto check = [&](uint32_t one, bool wasWrite) -> std::string {
        if (one == 0 || one == mine) {
          return {};
        }
        const Record other = records[one];
        if (other.actor != own.actor || other.block != own.block) {
          count(thread, other, own, now);
        }
        const Fault fault = judge(thread, own, now, other, wasWrite);
        if (fault == Fault::none) {
          return {};
        }
        const bool isSame = mayRepeat && wasWrite && fault == Fault::race &&
                            other.block == own.block && other.op == own.op &&
                            other.instance == own.instance &&
                            now.old[i] == now.value[i];
        return isSame
                   ? std::string()
                   : message(fault, own, now, now.address + i, other, wasWrite);
      };
      if (cell->write == 0 && now.space == Space::shared && !now.isWrite &&
          unwritten.empty()) {
        unwritten = "shared memory, byte " + std::to_string(now.address + i) +
                    ", in program " + names.block(own.block) + ", is read by " +
                    actor(own) + " in " + names.op(own.op) +
                    " before anything was written to it";
      }
      std::string problem = check(cell->write, true);
      if (!problem.empty()) {
        return {Found::Kind::race, problem};
      }
      if (!now.isWrite) {
        cell->reads = withRead(thread, shadow, *cell, mine, order);
        after = *cell;
        continue;
      }
      if (cell->reads & Shadow::IsSet) {
        for (uint32_t one : shadow.set(cell->reads)) {
          if (problem = check(one, false); !problem.empty()) {
            return {Found::Kind::race, problem};
          }
        }
      } else if (problem = check(cell->reads, false); !problem.empty()) {
        return {Found::Kind::race, problem};
      }
      *cell = after = {mine, 0};
    }
  }
  return unwritten.empty() ? Found() : Found{Found::Kind::unwritten, unwritten};
}

Found RaceDetector::access(ThreadClock &thread, Worker worker, Shadow &shadow,
                           const Access &now) {
  const Record own{thread.block,
                   actorOf(thread.thread, worker),
                   worker == Worker::self ? thread.clock
                                          : thread.begun[size_t(worker)],
                   thread.op,
                   thread.instance,
                   thread.sites,
                   thread.barriers[now.space == Space::device],
                   now.isAtomic,
                   now.isWide};
  uint32_t &last = thread.lastRecord[size_t(worker)];
  if (last == 0 || last >= records.size() || records[last] != own) {
    last = number(own);
  }
  return walk(thread, last, shadow, now);
}

Found RaceDetector::copyInBulk(ThreadClock &thread, const Record &copy,
                               Shadow &shadow, const Access &now) {
  return walk(thread, number(copy), shadow, now);
}

//===--- Atomics ----------------------------------------------------------===//

void RaceDetector::synchronize(ThreadClock &thread, uintptr_t address,
                               bool acquires, bool releases, bool isWide) {
  goOn(thread);
  outSynchronizes |= thread.thread >= firstOut;
  ordered += acquires || releases;
  Location &at = locations[address];
  Fence &fence = fences[{thread.block, thread.thread}];
  const bool isMine = at.narrowBlock == thread.block;
  Known seen = isWide ? at.wide : nullptr;
  if (isMine) {
    seen = join(seen, at.narrow);
  }
  if (acquires) {
    thread.learn(Order::device, seen);
  } else {
    fence.seen = join(fence.seen, seen);
  }
  Known told = fence.released;
  if (releases) {
    told = thread.release(Order::device);
    ++thread.clock;
  }
  if (isWide) {
    at.wide = join(at.wide, told);
  }
  at.narrow = isMine ? join(at.narrow, told) : told;
  at.narrowBlock = thread.block;
}

void RaceDetector::fence(ThreadClock &thread) {
  ++ordered;
  Fence &one = fences[{thread.block, thread.thread}];
  thread.learn(Order::device, one.seen);
  one.seen = nullptr;
  one.released = thread.release(Order::device);
  ++thread.clock;
}

//===--- Messages ---------------------------------------------------------===//

std::string Names::op(uint32_t number) const {
  return ops && number < ops->size() ? (*ops)[number] : "the kernel";
}

std::string Names::block(uint32_t number) const {
  return "(" + std::to_string(number % grid[0]) + ", " +
         std::to_string(number / grid[0] % grid[1]) + ", " +
         std::to_string(number / grid[0] / grid[1]) + ")";
}

std::string RaceDetector::actor(const Record &record) const {
  const uint32_t thread = record.actor / WorkersOfThread;
  if (thread >= names.threads) {
    return "a bulk copy";
  }
  const std::string who = "thread " + std::to_string(thread) + " (warp " +
                          std::to_string(thread / names.lanes) + ")";
  switch (Worker(record.actor % WorkersOfThread)) {
  case Worker::self:
    return who;
  case Worker::copies:
    return "an asynchronous copy of " + who;
  case Worker::dots:
    return "the matrix unit for " + who;
  case Worker::stores:
    return "a bulk store of " + who;
  }
  return who;
}

std::string RaceDetector::message(Fault fault, const Record &mine,
                                  const Access &now, uintptr_t at,
                                  const Record &before, bool wasWrite) const {
  const bool inShared = now.space == Space::shared;
  std::string text =
      fault == Fault::race ? "race in " : "access that was not published: ";
  text += inShared ? "shared memory" : "device memory";
  if (inShared) {
    text += ", byte " + std::to_string(at);
  }
  if (mine.block != before.block) {
    text += ", between the blocks of programs " + names.block(before.block) +
            " and " + names.block(mine.block);
  } else {
    text += ", in program " + names.block(mine.block);
  }
  text += ": " + actor(before) +
          (before.isAtomic ? " updated it in "
           : wasWrite      ? " wrote it in "
                           : " read it in ") +
          names.op(before.op) + "; " + actor(mine) +
          (now.isAtomic  ? " updates it in "
           : now.isWrite ? " writes it in "
                         : " reads it in ") +
          names.op(mine.op) + "; ";
  if (fault == Fault::unpublished) {
    return text + "a barrier orders the two, but what was written was not "
                  "published to the unit before it";
  }
  if (mine.block != before.block) {
    return text + "no atomic orders the two. It is the kernel's own race if "
                  "the checked interpreter reports it, else the compiler's";
  }
  return text + "no barrier, wait or atomic orders the two";
}

} // namespace tz::fibers
