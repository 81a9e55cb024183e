//===- CacheKeyTest.cpp - when two compilations are the same --------------===//
//
// What   What changes a key and what does not; imports; moved sources.
// Why    A key that misses something runs old code; one with a path in it makes
//        every checkout compile again.
//===----------------------------------------------------------------------===//
#include "core/driver/CacheKey.h"

#include "test/unit/runtime/TemporaryFolder.h"

#include "runtime/cache/Sha256.h"

#include <gtest/gtest.h>

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

TEST(CacheKey, DoesNotDependOnPathsOrOrder) {
  CompileJob moved = job();
  moved.source.path = "/elsewhere/k.py";
  EXPECT_EQ(key(job()), key(moved));
  CompileJob turned = job();
  std::swap(turned.options[0], turned.options[1]);
  std::swap(turned.emit[0], turned.emit[1]);
  EXPECT_EQ(key(job()), key(turned));
}

TEST(CacheKey, DependsOnEverythingThatCodeDependsOn) {
  std::set<std::string> keys{key(job())};
  auto differs = [&](auto change) {
    CompileJob other = job();
    change(other);
    EXPECT_TRUE(keys.insert(key(other)).second) << keys.size();
  };
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

TEST(CacheKey, AnImportThatChangedDoesNotHold) {
  TemporaryFolder folder;
  std::string kernel = folder.write("k.py", "from lib import f");
  folder.write("lib.py", "one");
  Artifact artifact;
  EXPECT_TRUE(dependenciesHold(artifact, kernel));
  addDependency(artifact, {"lib.py", toHex(sha256("one"))});
  EXPECT_TRUE(dependenciesHold(artifact, kernel));
  EXPECT_FALSE(dependenciesHold(artifact, "/nowhere/k.py"));
  folder.write("lib.py", "two");
  EXPECT_FALSE(dependenciesHold(artifact, kernel));
}

TEST(CacheKey, PlacesFollowTheSource) {
  Artifact artifact;
  artifact.logSites.resize(2);
  artifact.logSites[0].file = "old/k.py";
  artifact.logSites[1].file = "lib.py";
  setSourcePath(artifact, "old/k.py");
  setSourcePath(artifact, "new/k.py");
  EXPECT_EQ(artifact.logSites[0].file, "new/k.py");
  EXPECT_EQ(artifact.logSites[1].file, "lib.py");
}

} // namespace
