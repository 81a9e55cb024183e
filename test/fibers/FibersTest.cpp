//===- FibersTest.cpp - the checks of the fibers catch what they are for --===//
//
// What   Programs with a fault each, written against the functions that code
//        for fibers calls; and the same without the fault.
// Why    The conformance suite is right on fibers only as far as these checks
//        see: a pipeline that fills a slot too early must not pass.
//===----------------------------------------------------------------------===//
#include "test/fibers/Fibers.h"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tz::fibers;
using testing::HasSubstr;

namespace {

template <typename Result, typename... Arguments>
Result call(const char *name, Arguments... arguments) {
  for (const Symbol &function : functions()) {
    if (std::strcmp(function.name, name) == 0) {
      return reinterpret_cast<Result (*)(Arguments...)>(function.address)(
          arguments...);
    }
  }
  ADD_FAILURE() << "there is no " << name;
  return Result();
}

uint32_t thread() { return call<uint32_t>("fibers_thread"); }
char *shared() { return call<char *>("fibers_shared"); }
void barrier() { call<void>("fibers_barrier", uint32_t{0}, uint32_t{1}); }

/// What is read below is written, and published, before.
void writeShared() {
  static const char zeros[2048] = {};
  if (thread() == 0) {
    call<void>("fibers_write", static_cast<const void *>(shared()), &zeros[0],
               uint32_t{2048}, uint32_t{3});
    call<void>("fibers_publish_staged");
  }
  barrier();
}

/// 16 x 16 floats, of which a box is 8 x 8.
struct Memory {
  float values[16][16];
  Frame frame;
  Memory() {
    for (int i = 0; i < 256; ++i) {
      values[i / 16][i % 16] = float(i);
    }
    frame = {reinterpret_cast<uint64_t>(values), 2, 4, {16, 16}, {16, 1}};
  }
};
constexpr uint32_t Box[] = {8, 8};
constexpr int32_t Corner[] = {8, 0};
constexpr uint32_t BoxBytes = 8 * 8 * 4;

std::string runOn(Entry entry, const void *arguments = nullptr,
                  unsigned threads = 32) {
  Launch launch;
  launch.entry = entry;
  launch.arguments = arguments;
  launch.threads = threads;
  launch.sharedBytes = 4096;
  return run(launch);
}

TEST(Fibers, SharedMemoryBeginsWithRubbish) {
  static uint32_t seen;
  EXPECT_EQ(runOn([](const void *) { std::memcpy(&seen, shared(), 4); }), "");
  EXPECT_EQ(seen, 0xcdcdcdcdu);
}

TEST(Fibers, SeeABarrierThatNotAllReach) {
  EXPECT_NE(runOn([](const void *) {
              if (thread() != 3) {
                barrier();
              }
            }).find("wait for each other for ever"),
            std::string::npos);
}

TEST(Fibers, SeeAThreadAtABarrierOfOthers) {
  EXPECT_THAT(runOn([](const void *) {
                call<void>("fibers_barrier", uint32_t{16}, uint32_t{1});
              }),
              HasSubstr("a thread is at a barrier of others"));
}

//===--- Asynchronous copies ----------------------------------------------===//

const uint32_t Source = 7;

void copyWord() {
  call<void>("fibers_async_copy", static_cast<void *>(shared()),
             static_cast<const void *>(&Source), uint32_t{4}, uint32_t{4});
  call<void>("fibers_async_commit");
}

TEST(Copies, ArriveWhenTheyAreWaitedFor) {
  static uint32_t early, late;
  EXPECT_EQ(runOn(
                [](const void *) {
                  copyWord();
                  std::memcpy(&early, shared(), 4);
                  call<void>("fibers_async_wait", uint32_t{0});
                  std::memcpy(&late, shared(), 4);
                },
                nullptr, 1),
            "");
  EXPECT_EQ(early, 0xcdcdcdcdu);
  EXPECT_EQ(late, 7u);
}

TEST(Copies, MustBeWaitedFor) {
  EXPECT_THAT(
      runOn([](const void *) { copyWord(); }, nullptr, 1),
      HasSubstr(
          "a thread ended before its asynchronous copies were waited for"));
}

//===--- The bulk copy unit
//--------------------------------------------------===//

uint64_t *phases() { return reinterpret_cast<uint64_t *>(shared() + 2048); }

void makeBarriers() {
  if (thread() == 0) {
    call<void>("fibers_init_barriers", phases(), uint32_t{2}, uint32_t{1},
               uint32_t{8});
  }
  barrier();
}

void endBarriers() {
  barrier();
  if (thread() == 0) {
    call<void>("fibers_end_barriers", phases(), uint32_t{2}, uint32_t{8});
  }
}

void fill(const void *memory, uint32_t expected = BoxBytes) {
  if (thread() == 0) {
    call<void>("fibers_expect_bytes", phases(), expected);
    call<void>("fibers_bulk_copy", &static_cast<const Memory *>(memory)->frame,
               &Box[0], &Corner[0], shared(), phases(), uint32_t{0},
               uint32_t{0});
  }
}

void await(uint32_t phase) {
  call<void>("fibers_wait_barrier", phases(), phase);
}

TEST(BulkCopies, ArriveWhenTheyAreWaitedFor) {
  Memory memory;
  static float early, late;
  EXPECT_EQ(runOn(
                [](const void *memory) {
                  makeBarriers();
                  fill(memory);
                  if (thread() == 0) {
                    std::memcpy(&early, shared(), 4);
                  }
                  await(0);
                  std::memcpy(&late, shared(), 4);
                  endBarriers();
                },
                &memory),
            "");
  EXPECT_NE(early, 128);
  EXPECT_EQ(late, 128); // row 8
}

TEST(BulkCopies, MustBeWaitedFor) {
  Memory memory;
  EXPECT_THAT(
      runOn(
          [](const void *memory) {
            makeBarriers();
            fill(memory);
          },
          &memory),
      HasSubstr("the program ended before its copies in bulk were waited for"));
}

TEST(BulkCopies, NeedAllTheBytesThatAreExpected) {
  Memory memory;
  EXPECT_NE(runOn(
                [](const void *memory) {
                  makeBarriers();
                  fill(memory, BoxBytes + 16);
                  await(0);
                },
                &memory)
                .find("wait for each other for ever"),
            std::string::npos);
}

TEST(BulkCopies, WaitForTheSlotsLastPhase) {
  Memory memory;
  EXPECT_THAT(
      runOn(
          [](const void *memory) {
            makeBarriers();
            fill(memory);
            fill(memory);
            await(0);
            endBarriers();
          },
          &memory),
      HasSubstr("a slot is filled before its last phase was waited for"));
}

TEST(BulkCopies, TellTheBarrierOfTheirSlot) {
  Memory memory;
  EXPECT_THAT(
      runOn(
          [](const void *memory) {
            makeBarriers();
            fill(memory);
            await(0);
            barrier();
            if (thread() == 0) {
              call<void>("fibers_expect_bytes", phases() + 1, BoxBytes);
              call<void>("fibers_bulk_copy",
                         &static_cast<const Memory *>(memory)->frame, &Box[0],
                         &Corner[0], shared(), phases() + 1, uint32_t{0},
                         uint32_t{0});
            }
            call<void>("fibers_wait_barrier", phases() + 1, uint32_t{0});
            endBarriers();
          },
          &memory),
      HasSubstr("a copy to byte 0 of shared memory tells the barrier at byte "
                "2056, but copies to that place told the one at byte 2048"));
}

TEST(BulkCopies, NeedABarrier) {
  Memory memory;
  EXPECT_THAT(runOn([](const void *memory) { fill(memory); }, &memory),
              HasSubstr("a barrier with phases is used before it is made"));
}

TEST(BulkCopies, EndBeforeTheirBarrier) {
  Memory memory;
  EXPECT_THAT(
      runOn(
          [](const void *memory) {
            makeBarriers();
            fill(memory);
            endBarriers();
          },
          &memory),
      HasSubstr("copies were on their way when their barrier was ended"));
}

//===--- Its stores -------------------------------------------------------===//

void store(const void *memory) {
  if (thread() == 0) {
    call<void>("fibers_bulk_store", &static_cast<const Memory *>(memory)->frame,
               &Box[0], &Corner[0], shared(), uint32_t{0}, uint32_t{16});
  }
}

void awaitStores(bool areDone) {
  call<void>("fibers_await_bulk_stores", uint32_t{areDone});
}

TEST(BulkStores, WriteWhatWasThere) {
  Memory memory;
  EXPECT_EQ(runOn(
                [](const void *memory) {
                  writeShared();
                  if (thread() == 0) {
                    const float value = 5;
                    std::memcpy(shared(), &value, 4);
                  }
                  store(memory);
                  awaitStores(false);
                },
                &memory),
            "");
  EXPECT_EQ(memory.values[8][0], 5);
}

TEST(BulkStores, MustBeRead) {
  Memory memory;
  EXPECT_THAT(
      runOn(
          [](const void *memory) {
            writeShared();
            store(memory);
          },
          &memory),
      HasSubstr("a thread ended before what it stored in bulk was read"));
}

TEST(BulkStores, AreReadBeforeTheirSourceChanges) {
  Memory memory;
  EXPECT_THAT(runOn(
                  [](const void *memory) {
                    writeShared();
                    store(memory);
                    shared()[0] = 1;
                    awaitStores(true);
                  },
                  &memory, 1),
              HasSubstr("shared memory was written while it was being stored"));
}

TEST(BulkStores, AreSeenWhenTheyAreDone) {
  Memory memory;
  static float early, late;
  EXPECT_EQ(runOn(
                [](const void *memory) {
                  writeShared();
                  const auto *values =
                      &static_cast<const Memory *>(memory)->values[8][0];
                  std::memset(shared(), 0, BoxBytes);
                  store(memory);
                  awaitStores(false);
                  early = *values;
                  awaitStores(true);
                  late = *values;
                },
                &memory, 1),
            "");
  EXPECT_EQ(early, 128);
  EXPECT_EQ(late, 0);
}

TEST(BulkStores, BeginInsideTheirFrame) {
  Memory memory;
  EXPECT_THAT(runOn(
                  [](const void *memory) {
                    writeShared();
                    const int32_t outside[] = {-1, 0};
                    call<void>("fibers_bulk_store",
                               &static_cast<const Memory *>(memory)->frame,
                               &Box[0], &outside[0], shared(), uint32_t{0},
                               uint32_t{16});
                    awaitStores(true);
                  },
                  &memory, 1),
              HasSubstr("a bulk store begins before its frame"));
}

//===--- Clusters
//-----------------------------------------------------------===//

/// The first block fills both twice; `isCareful`: when both have read what was
/// there.
struct Pair {
  Memory memory;
  bool isCareful = true;
  float seen[2][2] = {}; // by block and phase
};

void fillBoth(const void *argument) {
  auto *pair = static_cast<Pair *>(const_cast<void *>(argument));
  const auto mine = call<uint32_t>("fibers_program", uint32_t{0});
  uint64_t *full = phases(), *empty = full + 1;
  if (thread() == 0) {
    call<void>("fibers_init_barriers", full, uint32_t{1}, uint32_t{1},
               uint32_t{8});
    call<void>("fibers_init_barriers", empty, uint32_t{1}, uint32_t{2},
               uint32_t{8});
  }
  call<void>("fibers_sync_blocks");
  for (uint32_t phase = 0; phase < 2; ++phase) {
    if (thread() == 0) {
      if (pair->isCareful) {
        call<void>("fibers_wait_barrier", empty, 1 - phase);
      }
      call<void>("fibers_expect_bytes", full, BoxBytes);
      const int32_t at[] = {8 * int32_t(phase), 0};
      if (mine == 0) {
        const Frame *frame = &pair->memory.frame;
        call<void>("fibers_bulk_copy", frame, &Box[0], &at[0], shared(), full,
                   uint32_t{0}, uint32_t{2});
      }
    }
    await(phase);
    std::memcpy(&pair->seen[mine][phase], shared(), 4);
    call<void>("fibers_arrive", empty, uint32_t{thread() < 2}, thread() & 1);
  }
  call<void>("fibers_sync_blocks");
}

std::string runPair(Pair &pair) {
  Launch launch;
  launch.entry = fillBoth;
  launch.arguments = &pair;
  launch.grid = {2, 1, 1};
  launch.clusterBlocks = 2;
  launch.threads = 32;
  launch.sharedBytes = 4096;
  return run(launch);
}

TEST(Together, FillEachOther) {
  Pair pair;
  EXPECT_EQ(runPair(pair), "");
  for (const auto &block : pair.seen) {
    EXPECT_EQ(block[0], 0);
    EXPECT_EQ(block[1], 128); // row 8
  }
}

TEST(Together, WaitUntilTheOtherHasRead) {
  Pair pair;
  pair.isCareful = false;
  EXPECT_THAT(runPair(pair), HasSubstr("a bulk copy wrote it"));
}

TEST(Together, MeetBeforeTheyEnd) {
  Launch launch;
  launch.entry = [](const void *) {
    if (call<uint32_t>("fibers_program", uint32_t{0}) == 0) {
      call<void>("fibers_sync_blocks");
    }
  };
  launch.grid = {2, 1, 1};
  launch.clusterBlocks = 2;
  launch.threads = 32;
  EXPECT_NE(run(launch).find("wait for each other for ever"),
            std::string::npos);
}

//===--- Dots in flight ---------------------------------------------------===//

/// A dot that reads the first 64 bytes and gives `word`.
uint32_t beginDot(uint32_t word) {
  call<void>("fibers_begin_dot", static_cast<const char *>(shared()),
             uint32_t{64});
  call<void>("fibers_commit_dot");
  return call<uint32_t>("fibers_postpone", word);
}

uint32_t waitDots(uint32_t pending, uint32_t word) {
  call<void>("fibers_wait_dots", pending);
  return call<uint32_t>("fibers_arrived", word);
}

TEST(Dots, GiveWhatWasWaitedFor) {
  static uint32_t first, second, early, chained;
  EXPECT_EQ(runOn(
                [](const void *) {
                  writeShared();
                  const uint32_t one = beginDot(11);
                  chained = call<uint32_t>("fibers_chained", one);
                  const uint32_t two = beginDot(12);
                  first = waitDots(1, one);
                  early = call<uint32_t>("fibers_arrived", two);
                  second = waitDots(0, two);
                },
                nullptr, 1),
            "");
  EXPECT_EQ(first, 11u);
  EXPECT_EQ(chained, 11u);
  EXPECT_NE(early, 12u); // nobody may use it yet
  EXPECT_EQ(second, 12u);
}

TEST(Dots, GiveNothingToUseBefore) {
  EXPECT_THAT(runOn(
                  [](const void *) {
                    writeShared();
                    const uint32_t one = beginDot(11);
                    call<void>("fibers_use", one);
                    waitDots(0, one);
                  },
                  nullptr, 1),
              HasSubstr("a result of a dot in flight, begun in the kernel, is "
                        "used"));
  EXPECT_EQ(runOn(
                [](const void *) {
                  writeShared();
                  call<void>("fibers_use", waitDots(0, beginDot(11)));
                },
                nullptr, 1),
            "");
}

TEST(Dots, ReadUntilTheyAreWaitedFor) {
  EXPECT_THAT(runOn(
                  [](const void *) {
                    writeShared();
                    const uint32_t one = beginDot(11);
                    shared()[3] = 1;
                    waitDots(0, one);
                  },
                  nullptr, 1),
              HasSubstr("a slot is written while a dot in flight reads it"));
}

TEST(Dots, KeepCopiesOutOfWhatTheyRead) {
  EXPECT_THAT(runOn(
                  [](const void *) {
                    writeShared();
                    const uint32_t one = beginDot(11);
                    copyWord();
                    waitDots(0, one);
                    call<void>("fibers_async_wait", uint32_t{0});
                  },
                  nullptr, 1),
              HasSubstr("the matrix unit for thread 0 (warp 0) read it in"));
}

} // namespace
