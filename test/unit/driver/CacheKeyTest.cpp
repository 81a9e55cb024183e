//===- CacheKeyTest.cpp - when two compilations are the same --------------===//
//
// What   What changes the keys of a job and of code, and what does not.
// Why    A key that misses something runs old code; one with too much in it
//        compiles for nothing.
//===----------------------------------------------------------------------===//
#include "core/driver/cache/CacheKey.h"

#include <gtest/gtest.h>
#include <set>

namespace {

using namespace tz::driver;
using namespace tz::runtime;

CompileJob job() {
  CompileJob made;
  made.source = {"a/k.py", "text", "k", false};
  made.plugin = "cpu";
  made.target = "cpu:x86-64-v3";
  ArgumentSpec pointer;
  pointer.kind = ArgumentSpec::Runtime;
  pointer.type = TZ_TYPE_PTR;
  pointer.element = TZ_TYPE_F32;
  ArgumentSpec constant;
  constant.kind = ArgumentSpec::Constant;
  constant.constant = {"BLOCK", TZ_KV_I64, 64, 0, ""};
  made.arguments = {pointer, constant};
  made.options = {{"num_warps", TZ_KV_I64, 4, 0, ""},
                  {"num_stages", TZ_KV_I64, 3, 0, ""}};
  made.emit = {"asm", "llvm"};
  return made;
}

std::string key(const CompileJob &j) { return jobKey(j, "print", "build"); }

std::string codeKeyOf(const CompileJob &j, const char *hash = "hash",
                      const char *print = "print",
                      const tz::optimizer::TargetFacts &facts = {}) {
  return codeKey(j, hash, print, facts);
}

TEST(CacheKey, DoesNotDependOnOrder) {
  CompileJob turned = job();
  std::swap(turned.options[0], turned.options[1]);
  std::swap(turned.emit[0], turned.emit[1]);
  EXPECT_EQ(key(job()), key(turned));
  EXPECT_EQ(codeKeyOf(job()), codeKeyOf(turned));
}

TEST(CacheKey, CodeDoesNotDependOnWhereItStands) {
  CompileJob other = job();
  other.source = {"/elsewhere/l.py", "other text", "f", true};
  other.arguments.clear(); // the portable bytes are made for them
  EXPECT_EQ(codeKeyOf(job()), codeKeyOf(other));
}

TEST(CacheKey, CodeDependsOnAllThatTheVendorGets) {
  std::set<std::string> keys{codeKeyOf(job())};
  auto differs = [&](const std::string &other) {
    EXPECT_TRUE(keys.insert(other).second) << keys.size();
  };
  CompileJob other = job();
  other.plugin = "null";
  differs(codeKeyOf(other));
  other = job();
  other.target = "cpu:x86-64-v4";
  differs(codeKeyOf(other));
  other = job();
  other.options[0].i64 = 8;
  differs(codeKeyOf(other));
  other = job();
  other.emit.pop_back();
  differs(codeKeyOf(other));
  differs(codeKeyOf(job(), "other hash"));
  differs(codeKeyOf(job(), "hash", "other print"));
  differs(codeKeyOf(job(), "hash", "print", {{"feature"}, {}}));
  differs(codeKeyOf(job(), "hash", "print", {{}, {{"vector.bits", "512"}}}));
  EXPECT_NE(key(job()), codeKeyOf(job()));
}

TEST(CacheKey, LinesAreWantedFromDebugLevelOne) {
  CompileJob other = job();
  EXPECT_FALSE(wantsLines(other));
  other.options.push_back({"debug_level", TZ_KV_I64, 0, 0, ""});
  EXPECT_FALSE(wantsLines(other));
  other.options.back().i64 = 1;
  EXPECT_TRUE(wantsLines(other));
}

TEST(CacheKey, DependsOnEverythingThatCodeDependsOn) {
  std::set<std::string> keys{key(job())};
  auto differs = [&](auto change) {
    CompileJob other = job();
    change(other);
    EXPECT_TRUE(keys.insert(key(other)).second) << keys.size();
  };
  differs([](CompileJob &j) { j.source.path = "/elsewhere/k.py"; });
  differs([](CompileJob &j) { j.source.text += "# comment"; });
  differs([](CompileJob &j) { j.source.function = "other"; });
  differs([](CompileJob &j) { j.source.isIR = true; });
  differs([](CompileJob &j) { j.plugin = "null"; });
  differs([](CompileJob &j) { j.target = "cpu:x86-64-v4"; });
  differs([](CompileJob &j) { j.arguments[0].element = TZ_TYPE_F16; });
  differs([](CompileJob &j) { j.arguments[0].divisor = 16; });
  differs([](CompileJob &j) { j.arguments[0].equalsOne = true; });
  differs([](CompileJob &j) { j.arguments[1].constant.i64 = 128; });
  differs([](CompileJob &j) { j.arguments[1].kind = ArgumentSpec::None; });
  differs([](CompileJob &j) { j.arguments.pop_back(); });
  differs([](CompileJob &j) { j.options[0].i64 = 8; });
  differs([](CompileJob &j) { j.options.pop_back(); });
  differs([](CompileJob &j) { j.emit.clear(); });
  EXPECT_TRUE(keys.insert(jobKey(job(), "other print", "build")).second);
  EXPECT_TRUE(keys.insert(jobKey(job(), "print", "other build")).second);
}

TEST(CacheKey, NoTwoFieldsRunTogether) {
  CompileJob a = job(), b = job();
  a.plugin = "ab";
  a.target = "c";
  b.plugin = "a";
  b.target = "bc";
  EXPECT_NE(key(a), key(b));
}

} // namespace
