//===- RacesTest.cpp - accesses that nothing orders are reported ----------===//
//
// What   Programs with two accesses each that meet, in order and in none; and
//        the orders in which threads run.
// Why    That the suite runs without a report on fibers says something only if
//        each of these is reported.
//===----------------------------------------------------------------------===//
#include "test/fibers/Fibers.h"
#include "test/fibers/RaceDetector.h"

#include <algorithm>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tz::fibers;
using testing::AllOf;
using testing::HasSubstr;

namespace {

template <typename Result = void, typename... Arguments>
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

enum : uint32_t { Device = 1, Shared = 3 };
enum : uint32_t { OrdersShared = 1, OrdersDevice = 2 };
enum : uint32_t { Writes = 1, Acquires = 2, Releases = 4, IsWide = 8 };

uint32_t thread() { return call<uint32_t>("fibers_thread"); }
uint32_t program() { return call<uint32_t>("fibers_program", uint32_t{0}); }
char *shared() { return call<char *>("fibers_shared"); }
void barrier(uint32_t orders = OrdersShared) {
  call("fibers_barrier", uint32_t{0}, orders);
}
void op(uint32_t number) { call("fibers_at", number); }

void write(char *to, char value, uint32_t space) {
  call("fibers_write", static_cast<const void *>(to),
       static_cast<const char *>(&value), uint32_t{1}, space);
  *to = value;
}
void read(const char *from, uint32_t space) {
  call("fibers_read", static_cast<const void *>(from), uint32_t{1}, space);
}
void update(const char *at, uint32_t how) {
  call("fibers_update", static_cast<const void *>(at), uint32_t{1},
       uint32_t{Device}, how | Writes);
}

char memory[64]; // of the device
const std::vector<std::string> Ops = {"nothing", "'store' (k.py:1:1)",
                                      "'load' (k.py:2:1)"};

std::string runOn(Entry entry, uint32_t programs = 1, uint64_t seed = 0,
                  uint32_t threads = 64) {
  Launch launch;
  launch.entry = entry;
  launch.grid = {programs, 1, 1};
  launch.threads = threads;
  launch.sharedBytes = 4096;
  launch.seed = seed;
  launch.ops = &Ops;
  return run(launch);
}

/// Thread 0 writes a byte, thread 40 reads it.
template <uint32_t Space, uint32_t Orders>
void passOn(const void *) {
  char *at = Space == Shared ? shared() : memory;
  op(1);
  if (thread() == 0) {
    write(at, 7, Space);
  }
  barrier(Orders);
  op(2);
  if (thread() == 40) {
    read(at, Space);
  }
}

TEST(Races, NameBothAccesses) {
  EXPECT_THAT(
      runOn(passOn<Shared, 0>),
      AllOf(HasSubstr("race in shared memory, byte 0, in program (0, 0, 0)"),
            HasSubstr("thread 0 (warp 0) wrote it in 'store' (k.py:1:1)"),
            HasSubstr("thread 40 (warp 1) reads it in 'load' (k.py:2:1)")));
}

TEST(Races, AreNoneBehindABarrierOfTheMemory) {
  EXPECT_EQ(runOn(passOn<Shared, OrdersShared>), "");
  EXPECT_EQ(runOn(passOn<Device, OrdersDevice>), "");
  EXPECT_EQ(runOn(passOn<Device, OrdersShared | OrdersDevice>), "");
}

TEST(Races, AreThereBehindABarrierOfAnotherMemory) {
  EXPECT_THAT(runOn(passOn<Shared, OrdersDevice>), HasSubstr("race in shared"));
  EXPECT_THAT(runOn(passOn<Device, OrdersShared>), HasSubstr("race in device"));
}

/// ... between whose arrival and wait at the barrier it stands, or the other
/// one's.
template <bool IsLate, bool IsEarly>
void passOnApart(const void *) {
  char *at = shared();
  op(1);
  if (!IsLate && thread() == 0) {
    write(at, 7, Shared);
  }
  call("fibers_arrive_at_barrier", uint32_t{0}, uint32_t{OrdersShared});
  if (IsLate && thread() == 0) {
    write(at, 7, Shared);
  }
  op(2);
  if (IsEarly && thread() == 40) {
    read(at, Shared);
  }
  call("fibers_await_barrier", uint32_t{0}, uint32_t{OrdersShared});
  if (!IsEarly && thread() == 40) {
    read(at, Shared);
  }
}

TEST(Races, AreThereBetweenArrivalAndWait) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    EXPECT_EQ(runOn(passOnApart<false, false>, 1, seed), "");
    EXPECT_THAT(runOn(passOnApart<true, false>, 1, seed),
                HasSubstr("race in shared"));
    EXPECT_THAT(runOn(passOnApart<false, true>, 1, seed),
                HasSubstr("race in shared"));
  }
}

/// Each program waits for the one before it.
void waitForTheOneBefore(const void *) {
  const uint32_t mine = program();
  op(1);
  if (thread() == 0) {
    while (mine > 0 && memory[mine - 1] == 0) {
      update(memory + mine - 1, Acquires | IsWide);
    }
    update(memory + mine, Releases | IsWide);
    memory[mine] = 1;
  }
}

TEST(Fibers, SeeProgramsThatWaitForWhatCannotStart) {
  Launch launch;
  launch.entry = waitForTheOneBefore;
  launch.grid = {32, 1, 1};
  launch.threads = 32;
  launch.ops = &Ops;
  launch.isLinear = true;
  for (launch.seed = 1; launch.seed < 4; ++launch.seed) {
    std::memset(memory, 0, sizeof(memory));
    launch.startsInOrder = true;
    EXPECT_EQ(run(launch), "");
    std::memset(memory, 0, sizeof(memory));
    launch.startsInOrder = false;
    EXPECT_THAT(
        run(launch),
        testing::MatchesRegex(
            R"(programs wait for each other for ever: (\([0-9]+, 0, 0\) in )"
            R"('store' \(k.py:1:1\)(, )?){3}; [0-9]+ have not begun .*)"));
  }
}

/// The first program works for long before it tells the others.
void waitForLong(const void *parameter) {
  if (thread() == 0 && program() == 0) {
    for (int i = 0; i < 70000; ++i) {
      write(shared(), char(i), Shared);
      update(memory + 60, Acquires | IsWide);
    }
  }
  waitForTheOneBefore(parameter);
}

TEST(Fibers, LetProgramsWaitForThoseThatWork) {
  Launch launch;
  launch.entry = waitForLong;
  launch.grid = {8, 1, 1};
  launch.threads = 1;
  launch.lanes = 1;
  launch.sharedBytes = 64;
  launch.ops = &Ops;
  launch.isLinear = true;
  launch.seed = 1;
  std::memset(memory, 0, sizeof(memory));
  EXPECT_EQ(run(launch), "");
}

TEST(Fibers, SeeArrivalsWithoutAWait) {
  EXPECT_THAT(
      runOn([](const void *) {
        call("fibers_arrive_at_barrier", uint32_t{0}, uint32_t{1});
      }),
      HasSubstr("a thread ended before it waited at a barrier at which it had "
                "arrived, thread 0 (warp 0)"));
  EXPECT_THAT(runOn([](const void *) {
                call("fibers_arrive_at_barrier", uint32_t{0}, uint32_t{1});
                call("fibers_arrive_at_barrier", uint32_t{0}, uint32_t{1});
              }),
              HasSubstr("a thread arrives at a barrier twice before it waits"));
  EXPECT_THAT(
      runOn([](const void *) {
        call("fibers_arrive_at_barrier", uint32_t{0}, uint32_t{1});
        barrier();
      }),
      HasSubstr("a barrier stands between arrival and wait at another"));
}

TEST(Races, AreThereInEveryOrder) {
  for (uint64_t seed = 1; seed < 20; ++seed) {
    EXPECT_EQ(runOn(passOn<Shared, OrdersShared>, 4, seed), "");
    EXPECT_THAT(runOn(passOn<Shared, OrdersDevice>, 4, seed),
                AllOf(HasSubstr("race in shared"),
                      HasSubstr("(seed " + std::to_string(seed) + ")")));
  }
}

TEST(Races, AreThereWithinAWarp) {
  EXPECT_THAT(runOn([](const void *) {
                if (thread() < 2) {
                  op(1 + thread());
                  write(shared(), char(thread()), Shared);
                }
              }),
              HasSubstr("thread 1 (warp 0) writes it in 'load'"));
}

TEST(Races, AreThereBeforeTheNextWrite) {
  EXPECT_THAT(runOn([](const void *) {
                write(shared() + thread(), 0, Shared);
                barrier();
                read(shared() + thread() / 2, Shared);
                op(1);
                if (thread() == 5) { // the last one at a barrier goes on first
                  write(shared() + 31, 1, Shared);
                }
              }),
              HasSubstr("read it in nothing; thread 5 (warp 0) writes it"));
}

TEST(Races, AreNoneBetweenLanesOfOneOp) {
  EXPECT_EQ(runOn([](const void *) {
              op(1);
              write(memory, char(thread()), Device); // some lane's value
              write(shared(), 1, Shared);            // one value of all
            }),
            "");
  EXPECT_THAT(runOn([](const void *) {
                op(1);
                write(shared(), char(thread()), Shared);
              }),
              HasSubstr("race in shared memory"));
}

TEST(Races, AreThereBetweenIterationsOfOneOp) {
  EXPECT_THAT(runOn([](const void *) {
                for (uint32_t i = 0; i < 2; ++i) {
                  op(1);
                  if (thread() == i) {
                    write(memory, char(i), Device);
                  }
                }
              }),
              HasSubstr("race in device memory, in program"));
}

TEST(Races, NobodyReadsWhatNobodyWrote) {
  EXPECT_THAT(
      runOn([](const void *) { read(shared() + 5, Shared); }),
      HasSubstr("shared memory, byte 5, in program (0, 0, 0), is read by "
                "thread 0 (warp 0) in nothing before anything was "
                "written"));
}

TEST(Races, AccessesLieInSharedMemory) {
  EXPECT_THAT(runOn([](const void *) { read(shared() + 4096, Shared); }),
              HasSubstr("outside of the block's shared memory"));
}

//===--- Between blocks ---------------------------------------------------===//

template <uint32_t Tells, uint32_t Asks>
void handOver(const void *) {
  if (thread() != 0) {
    return;
  }
  if (program() == 0) {
    op(1);
    write(memory, 1, Device);
    update(memory + 8, Tells);
  } else {
    update(memory + 8, Asks);
    op(2);
    read(memory, Device);
  }
}

TEST(Races, BetweenBlocksAreSaidToBe) {
  EXPECT_THAT(runOn(handOver<0, 0>, 2),
              AllOf(HasSubstr("between the blocks of programs (0, 0, 0) and "
                              "(1, 0, 0)"),
                    HasSubstr("the checked interpreter")));
}

TEST(Races, AreOrderedByAtomics) {
  EXPECT_EQ(runOn(handOver<Releases | IsWide, Acquires | IsWide>, 2), "");
  EXPECT_NE(runOn(handOver<IsWide, Acquires | IsWide>, 2), "");
  EXPECT_NE(runOn(handOver<Releases | IsWide, IsWide>, 2), "");
}

TEST(Races, AreNotOrderedByAtomicsOfAProgram) {
  EXPECT_NE(runOn(handOver<Releases, Acquires | IsWide>, 2), "");
  EXPECT_NE(runOn(handOver<Releases | IsWide, Acquires>, 2), "");
}

TEST(Races, AreThereBetweenAtomicsOfTwoPrograms) {
  auto both = [](const void *) {
    if (thread() == 0) {
      op(1 + program());
      update(memory, program() == 0 ? 0 : uint32_t{IsWide});
    }
  };
  EXPECT_THAT(runOn(both, 2), AllOf(HasSubstr("updated it in 'store'"),
                                    HasSubstr("updates it in 'load'")));
  // Within one they are atomic.
  EXPECT_EQ(runOn([](const void *) { update(memory, 0); }), "");
}

TEST(Races, AreOrderedByFencesAroundRelaxedAtomics) {
  EXPECT_EQ(runOn(
                [](const void *) {
                  if (thread() == 0) {
                    if (program() == 0) {
                      write(memory, 1, Device);
                    }
                    call("fibers_fence");
                    update(memory + 8, IsWide);
                    call("fibers_fence");
                    if (program() == 1) {
                      read(memory, Device);
                    }
                  }
                },
                2),
            "");
}

//===--- What works beside the threads ------------------------------------===//

const char Source[64] = {};

void copyTo(uint32_t slot) {
  call("fibers_async_copy", static_cast<void *>(shared() + 16 * slot),
       static_cast<const void *>(Source), uint32_t{16}, uint32_t{16});
  call("fibers_async_commit");
}

/// Two groups; the first one is read by another thread.
template <uint32_t Pending>
void copyAndRead(const void *) {
  op(1);
  if (thread() == 0) {
    copyTo(0);
    copyTo(1);
  }
  call("fibers_async_wait", Pending);
  barrier();
  op(2);
  if (thread() == 40) {
    read(shared(), Shared);
  }
  call("fibers_async_wait", uint32_t{0});
}

TEST(Races, WithCopiesEndWhenTheirGroupIsWaitedFor) {
  EXPECT_EQ(runOn(copyAndRead<0>), "");
  EXPECT_EQ(runOn(copyAndRead<1>), "");
  EXPECT_THAT(runOn(copyAndRead<2>),
              HasSubstr("an asynchronous copy of thread 0 (warp 0) wrote it in "
                        "'store' (k.py:1:1); thread 40"));
}

TEST(Races, WithCopiesAreTheirOwnThreadsToo) {
  EXPECT_THAT(runOn([](const void *) {
                if (thread() == 0) {
                  copyTo(0);
                  write(shared(), 1, Shared);
                  call("fibers_async_wait", uint32_t{0});
                }
              }),
              HasSubstr("asynchronous copy of thread 0"));
}

/// A thread writes, the matrix unit reads it for another warp.
template <bool Publishes>
void stageAndMultiply(const void *) {
  op(1);
  if (thread() == 0) {
    write(shared(), 1, Shared);
    if (Publishes) {
      call("fibers_publish_staged");
    }
  }
  barrier();
  op(2);
  if (thread() == 32) {
    call("fibers_read_published", static_cast<const char *>(shared()),
         uint32_t{1});
  }
}

TEST(Races, AreNotAllThatTheMatrixUnitNeeds) {
  EXPECT_EQ(runOn(stageAndMultiply<true>), "");
  EXPECT_THAT(runOn(stageAndMultiply<false>),
              AllOf(HasSubstr("access that was not published: shared memory"),
                    HasSubstr("thread 0 (warp 0) wrote it in 'store'")));
}

//===--- What a fault could mix up ----------------------------------------===//

/// Two threads of 64, one behind the other at the site of a fault.
class Pairs : public testing::Test {
protected:
  void SetUp() override {
    for (uint32_t i = 0; i < threads.size(); ++i) {
      threads[i].thread = i;
    }
  }
  void access(uint32_t thread, bool isWrite, uintptr_t address = 0) {
    races.access(threads[thread], Worker::self, shadow,
                 {Space::shared, address, 1, isWrite});
  }
  void comeBy() {
    for (ThreadClock &thread : threads) {
      races.comeBy(thread);
    }
  }
  /// A barrier of the first so many.
  void barrier(uint32_t count, Members members) {
    std::vector<ThreadClock *> all;
    for (uint32_t i = 0; i < count; ++i) {
      all.push_back(&threads[i]);
    }
    meet(all, true, false, members);
  }
  uint64_t count(const char *name) { return races.pairs().at(name); }

  std::vector<ThreadClock> threads{64};
  RaceDetector races{{nullptr, 64, 32, {1, 1, 1}}};
  Shadow shadow;
};

TEST_F(Pairs, AreSingleIfNoOtherBarrierOrdersThem) {
  access(0, true);
  comeBy();
  access(40, false);
  EXPECT_EQ(count("crossing"), 1u);
  EXPECT_EQ(count("single"), 1u);
  EXPECT_THAT(races.firstPair(), HasSubstr("thread 40"));
}

TEST_F(Pairs, AreNotSingleBehindAnotherBarrier) {
  access(0, true);
  comeBy();
  barrier(64, Members::all);
  access(40, false);
  EXPECT_EQ(count("crossing"), 1u);
  EXPECT_EQ(count("single"), 0u);
}

TEST_F(Pairs, AreNotSingleBehindABarrierWithArrivalAndWaitApart) {
  access(0, true);
  for (ThreadClock &one : threads) {
    one.arrive(true, false, Members::all);
  }
  access(20, true, 8); // behind its arrival: the barrier orders nothing of it
  comeBy();
  for (ThreadClock &one : threads) {
    one.awaitOthers();
  }
  access(40, false);
  EXPECT_EQ(count("crossing"), 1u);
  EXPECT_EQ(count("single"), 0u);
  access(40, false, 8);
  EXPECT_EQ(count("single"), 1u);
}

TEST_F(Pairs, NeedThreadsThatGoOn) {
  access(0, true);
  comeBy();
  EXPECT_EQ(count("followed"), 0u);
  races.synchronize(threads[3], 64, true, true, true);
  EXPECT_EQ(count("followed"), 1u);
  access(40, false);
  EXPECT_EQ(count("followed"), 2u);
}

TEST_F(Pairs, OfThreadsThatComputeNeedABarrierOfThose) {
  races.compute(48);
  access(0, true);
  comeBy();
  barrier(48, Members::computing);
  access(40, true);
  EXPECT_EQ(count("single"), 0u);
  comeBy();
  access(60, false); // was not at it
  EXPECT_EQ(count("single"), 1u);
}

TEST_F(Pairs, OfThreadsThatAreLeftOutAreCountedApart) {
  races.leaveOut(56);
  access(0, true);
  comeBy();
  access(40, false);
  EXPECT_EQ(count("lanes"), 0u);
  access(60, false);
  EXPECT_EQ(count("single"), 2u);
  EXPECT_EQ(count("lanes"), 1u);
}

TEST_F(Pairs, WithWhatWorksBesideNeedAWaitBeforeTheBarrier) {
  auto copy = [&] {
    races.access(threads[0], Worker::copies, shadow,
                 {Space::shared, 0, 1, true});
  };
  const uint32_t actor = actorOf(0, Worker::copies);
  copy();
  comeBy();
  barrier(64, Members::all); // it may go on behind that
  access(40, false);
  EXPECT_EQ(count("single"), 1u);
  races.waitFor(threads[0], actor, threads[0].begun[1]);
  barrier(64, Members::all);
  access(50, true);
  EXPECT_EQ(count("single"), 1u);
}

//===--- Orders -----------------------------------------------------------===//

std::vector<uint32_t> order;

std::vector<uint32_t> orderOf(uint64_t seed, bool isLinear = false) {
  order.clear();
  Launch launch;
  launch.entry = [](const void *) {
    if (thread() % 32 == 0) {
      order.push_back(program() * 4 + thread() / 32);
    }
    barrier();
  };
  launch.grid = {6, 1, 1};
  launch.threads = 128;
  launch.seed = seed;
  launch.isLinear = isLinear;
  EXPECT_EQ(run(launch), "");
  EXPECT_EQ(order.size(), 24u);
  return order;
}

TEST(Orders, AreOneAfterTheOtherWithoutASeed) {
  orderOf(0);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(Orders, AreMadeBySeeds) {
  EXPECT_EQ(orderOf(1), orderOf(1));
  EXPECT_NE(orderOf(1), orderOf(2));
  orderOf(3);
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
}

TEST(Orders, BeginWithSmallerProgramsIfOthersWaitForThem) {
  // No program begins while more than two smaller ones have not.
  std::vector<uint32_t> began = orderOf(4, true);
  uint32_t most = 0;
  for (uint32_t one : began) {
    EXPECT_LE(one / 4, most + 3);
    most = std::max(most, one / 4);
  }
}

} // namespace
