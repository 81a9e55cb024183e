//===- FiberCopies.cpp - asynchronous copies, and dots in flight ----------===//
//
// What   Copies of threads in groups, and dots that read shared memory until
//        they are waited for.
// Why    Both are done as late as they may be. What they access they access at
//        some time between begin and wait: nobody else may in between.
//===----------------------------------------------------------------------===//
#include "test/fibers/FiberBlock.h"

#include <algorithm>
#include <cstring>

namespace tz::fibers {

namespace {

/// What stands for a postponed word: a NaN for floats, and no usual integer.
constexpr uint32_t TokenBits = 0x7fa00000, TokenMask = 0xfff00000;

const Postponed *find(const Fiber &fiber, uint32_t word) {
  const uint32_t index = word & ~TokenMask;
  return (word & TokenMask) == TokenBits && index < fiber.postponed.size()
             ? &fiber.postponed[index]
             : nullptr;
}

/// Until it is waited for the place holds what no kernel expects.
void asyncCopy(void *to, const void *from, uint32_t bytes, uint32_t valid) {
  note(Worker::copies, Space::device, from, valid, false);
  note(Worker::copies, Space::shared, to, bytes, true);
  std::memset(to, 0xcd, bytes);
  block->fiber().copies.back().push_back({to, from, bytes, valid});
}

void asyncCommit() {
  Fiber &fiber = block->fiber();
  fiber.copies.emplace_back();
  ++fiber.clock.begun[size_t(Worker::copies)];
}

void complete(const Copy &copy) {
  std::memcpy(copy.to, copy.from, copy.valid);
  std::memset(static_cast<char *>(copy.to) + copy.valid, 0,
              copy.bytes - copy.valid);
}

/// Groups that are gone have ended.
void endGroups(Fiber &fiber) {
  endWork(Worker::copies, uint32_t(fiber.copies.size()));
}

void asyncWait(uint32_t pending) {
  if (block->run->oneIn(2)) {
    block->yield();
  }
  Fiber &fiber = block->fiber();
  auto &groups = fiber.copies;
  // The open group is nobody's yet.
  for (; groups.size() > size_t{pending} + 1; groups.pop_front()) {
    for (const Copy &copy : groups.front()) {
      complete(copy);
    }
  }
  endGroups(fiber);
}

/// Of all groups together, the oldest copies first.
void awaitCopies(uint32_t pending) {
  if (block->run->oneIn(2)) {
    block->yield();
  }
  Fiber &fiber = block->fiber();
  auto &groups = fiber.copies;
  size_t count = 0;
  for (const auto &group : groups) {
    count += group.size();
  }
  for (auto &group : groups) {
    size_t done = 0;
    for (; done < group.size() && count > pending; ++done, --count) {
      complete(group[done]);
    }
    group.erase(group.begin(), group.begin() + std::ptrdiff_t(done));
  }
  while (groups.size() > 1 && groups.front().empty()) {
    groups.pop_front();
  }
  endGroups(fiber);
}

void asyncWaitEarly(uint32_t pending) {
  block->run->left += block->fiber().copies.size() > size_t{pending} + 1;
  asyncWait(pending + 1);
}

//===--- Dots -------------------------------------------------------------===//

/// One thread of a warp looks whether the operand stays as it is.
void beginDot(const char *address, uint32_t bytes) {
  Operand operand{address, bytes, {}};
  if (block->current % block->launch().lanes == 0) {
    note(Worker::dots, Space::shared, address, bytes, false);
    operand.before.assign(address, address + bytes);
  }
  block->fiber().dots.back().push_back(std::move(operand));
}

/// A dot that is not in flight reads its operand here, one thread for its warp.
void readOperand(const char *address, uint32_t bytes) {
  if (block->current % block->launch().lanes == 0) {
    note(Worker::self, Space::shared, address, bytes, false);
  }
}

/// ... by the way of the bulk copy unit.
void readPublishedOperand(const char *address, uint32_t bytes) {
  if (block->current % block->launch().lanes == 0) {
    note(Worker::self, Space::shared, address, bytes, false, true);
  }
}

void commitDot() {
  Fiber &fiber = block->fiber();
  fiber.dots.emplace_back();
  ++fiber.clock.begun[size_t(Worker::dots)];
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
  endWork(Worker::dots, uint32_t(fiber.dots.size()));
}

void waitDotsEarly(uint32_t pending) {
  block->run->left += block->fiber().dots.size() > size_t{pending} + 1;
  waitDots(pending + 1);
}

/// A token for a word of the dot that was begun last.
uint32_t postpone(uint32_t word) {
  Fiber &fiber = block->fiber();
  const auto index = uint32_t(fiber.postponed.size());
  if (index > ~TokenMask) {
    fail("too many results of dots in flight for one program");
    return word;
  }
  fiber.postponed.push_back(
      {word, fiber.finishedDots + fiber.dots.size() - 2, fiber.clock.op});
  return TokenBits | index;
}

/// What a token stands for, once its dot was waited for; else the token.
uint32_t arrived(uint32_t word) {
  const Fiber &fiber = block->fiber();
  const Postponed *found = find(fiber, word);
  return found && found->dot < fiber.finishedDots ? found->word : word;
}

/// ... for the next dot in a row of them, which need not wait.
uint32_t chained(uint32_t word) {
  const Postponed *found = find(block->fiber(), word);
  return found ? found->word : word;
}

/// Somebody computes with the word: nobody may with that of a dot in flight.
void use(uint32_t word) {
  const Fiber &fiber = block->fiber();
  const Postponed *found = find(fiber, word);
  if (found && found->dot >= fiber.finishedDots) {
    fail("a result of a dot in flight, begun in " +
         block->run->races.names.op(found->op) + ", is used");
  }
}

} // namespace

void addCopyCalls(Symbols &symbols) {
  symbols.insert(symbols.end(),
                 {{"fibers_async_copy", addressOf(asyncCopy)},
                  {"fibers_async_commit", addressOf(asyncCommit)},
                  {"fibers_async_wait", addressOf(asyncWait)},
                  {"fibers_await_copies", addressOf(awaitCopies)},
                  {"fibers_async_wait_early", addressOf(asyncWaitEarly)}});
}

void addDotCalls(Symbols &symbols) {
  symbols.insert(symbols.end(),
                 {{"fibers_begin_dot", addressOf(beginDot)},
                  {"fibers_read_operand", addressOf(readOperand)},
                  {"fibers_read_published", addressOf(readPublishedOperand)},
                  {"fibers_commit_dot", addressOf(commitDot)},
                  {"fibers_wait_dots", addressOf(waitDots)},
                  {"fibers_wait_dots_early", addressOf(waitDotsEarly)},
                  {"fibers_postpone", addressOf(postpone)},
                  {"fibers_arrived", addressOf(arrived)},
                  {"fibers_chained", addressOf(chained)},
                  {"fibers_use", addressOf(use)}});
}

} // namespace tz::fibers
