//===- RepeatTest.cpp - launches like one before --------------------------===//
//
// What   Random launches, held to a rule written down a second time here: what
//        they compile, and the bytes that the device gets. Which arguments are
//        one address, against the comparison of all pairs.
// Why    A launch that repeats one takes a way of its own (Repeat.cpp); it must
//        never take code that is for other arguments.
//===----------------------------------------------------------------------===//
#include "test/unit/runtime/CountingCompiler.h"

#include "runtime/session/Addresses.h"
#include "runtime/session/LaunchSlots.h"

#include <random>
#include <set>

using namespace tz::runtime;

namespace {

bool areOneAddress(const tz_arg &a, const tz_arg &b) {
  return a.type == TZ_TYPE_PTR && b.type == TZ_TYPE_PTR && a.bits == b.bits &&
         a.bits != 0;
}

/// What decides on the code of a launch of CountingCompiler's kernel.
std::string keyOf(const std::vector<tz_arg> &args) {
  std::string key;
  auto add = [&](auto value) { key += std::to_string(value) + ","; };
  for (size_t i = 0; i < args.size(); ++i) {
    const tz_arg &arg = args[i];
    add(arg.type);
    add(arg.element);
    if (arg.type == TZ_TYPE_STRING) {
      key += textOf(arg);
    } else if (i == 3 || isConstexpr(arg)) {
      add(normalized(arg));
    }
  }
  const bool isCount = isInteger(args[1].type);
  add(isCount && normalized(args[1]) == 1);
  add(isCount && normalized(args[1]) % 8 == 0);
  add(args[0].bits % 16 == 0);
  add(args.size() > 4 && areOneAddress(args[0], args[4]));
  return key;
}

class RepeatTest : public SessionApi {
protected:
  std::mt19937 random{7};
  template <typename T>
  T any(std::initializer_list<T> list) {
    return list.begin()[random() % list.size()];
  }
  std::vector<tz_arg> arguments() {
    // Bits above a value's width are the caller's business.
    const uint64_t above = any({uint64_t{0}, uint64_t{0x5a} << 32});
    std::vector<tz_arg> args = {
        tz_pointer(any<uint64_t>({0, 64, 68, 128}),
                   any<uint32_t>({TZ_TYPE_F32, TZ_TYPE_F16})),
        any({tz_i32(24), tz_i32(25), tz_i32(1), tz_i64(1), tz_i64(1ll << 33),
             tz_u32(8), tz_f32(1), tz_arg_make(TZ_TYPE_I8, 0, 0x108),
             tz_arg_make(TZ_TYPE_I1, 0, 3),
             tz_arg_make(TZ_TYPE_I32, 0, above | 1)}),
        tz_f32(any({1.0f, 2.0f})),
        any({tz_i32(64), tz_i32(128), tz_string("relu"), tz_bool(1),
             tz_arg_make(TZ_TYPE_I32, 0, above | 64)})};
    switch (random() % 4) {
    case 0:
      args.push_back(tz_pointer(any<uint64_t>({0, 64, 128}), TZ_TYPE_F32));
      break;
    case 1:
      args.push_back(any({tz_none(), tz_i32(5), tz_string("gelu")}));
      break;
    default:
      break;
    }
    return args;
  }
};

/// The values that the kernel takes at run time, in slots of eight bytes.
std::vector<uint8_t> packed(const std::vector<tz_arg> &args) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i < args.size(); ++i) {
    const tz_arg &arg = args[i];
    if (i == 3 || isConstexpr(arg) || (i == 1 && equalsOne(arg))) {
      continue;
    }
    const uint64_t bits = normalized(arg);
    bytes.resize(bytes.size() + 8);
    std::memcpy(bytes.data() + bytes.size() - 8, &bits, typeSize(arg.type));
  }
  return bytes;
}

TEST_F(RepeatTest, RandomLaunchesGetTheirOwnCode) {
  std::set<std::string> keys;
  std::vector<tz_arg> last;
  for (int i = 0; i < 6000; ++i) {
    // Runs of like launches, as programs make them.
    std::vector<tz_arg> args = i % 3 && !last.empty() ? last : arguments();
    if (i % 3 == 2) {
      args[2] = tz_f32(float(i));
      args[0].bits += args[0].bits ? 16 * (random() % 8) : 0;
    }
    ASSERT_FALSE(launch(args));
    keys.insert(keyOf(args));
    ASSERT_EQ(compiled(), keys.size()) << "launch " << i << ": " << keyOf(args);
    ASSERT_EQ(Echo::instance().launches.back().args, packed(args))
        << "launch " << i << ": " << keyOf(args);
    last = args;
  }
}

TEST_F(RepeatTest, AGridIsCheckedAlsoAtARepetition) {
  std::vector<tz_arg> args = {tz_pointer(64, TZ_TYPE_F32), tz_i32(24),
                              tz_f32(2), tz_i32(128)};
  EXPECT_FALSE(launch(args));
  for (int64_t wrong : {int64_t{0}, int64_t{-1}, int64_t{1} << 31}) {
    Owned status = launch(args, wrong);
    ASSERT_TRUE(status);
    EXPECT_NE(std::string(tz_status_message(status.get())).find("grid axis x"),
              std::string::npos);
  }
  EXPECT_EQ(Echo::instance().launches.size(), 1u);
}

TEST(Addresses, SharedOnesAreFoundAsByComparingAllPairs) {
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    const size_t count = random() % (round % 2 ? 12 : 257);
    const size_t distinct = 1 + random() % 300;
    std::vector<tz_arg> slots(256, tz_i32(64));
    std::vector<uint32_t> pointers;
    for (uint32_t i = 0; i < 256 && pointers.size() < count; ++i) {
      if (random() % 8 || 256 - i <= count - pointers.size()) {
        slots[i] = tz_pointer(64 * (random() % distinct), TZ_TYPE_F32);
        pointers.push_back(i);
      }
    }
    std::set<uint32_t> expected, found;
    for (uint32_t one : pointers) {
      for (uint32_t other : pointers) {
        if (one != other && areOneAddress(slots[one], slots[other])) {
          expected.insert(one);
        }
      }
    }
    findShared(slots.data(), pointers, [&](uint32_t one, uint32_t other) {
      EXPECT_EQ(slots[one].bits, slots[other].bits);
      found.insert({one, other});
      return false;
    });
    ASSERT_EQ(found, expected) << "round " << round;
    EXPECT_EQ(findShared(slots.data(), pointers,
                         [](uint32_t, uint32_t) { return true; }),
              !expected.empty());
  }
}

} // namespace
