//===- CompileCacheTest.cpp - what a second compilation does --------------===//
//
// What   Comments, moved functions and moved files find their code and tell
//        their own lines; edited imports do not; diagnostics and failures are
//        told again; which failures are kept; two processes on one folder.
// Why    Old code for new source is the worst that a cache can do, and lines of
//        another version of the file are the second worst.
//===----------------------------------------------------------------------===//
#include "test/unit/driver/ToldPlugin.h"
#include "test/unit/runtime/TemporaryFolder.h"

#include "core/driver/Driver.h"

#include <gmock/gmock.h>
#include <set>
#include <sys/wait.h>

namespace {

using namespace tz::runtime;
using testing::HasSubstr;
using testing::Not;
using tz::driver::CompileReport;
using tz::driver::Driver;
using tz::test::toldCompilations;
using Cached = CompileReport::Cached;

constexpr const char *Imports = "import triton\n"
                                "import triton.language as tl\n";
constexpr const char *Helper = R"(
@triton.jit
def checked(x):
    tl.device_assert(x < 100, "too large")
    return x * 2
)";
constexpr const char *Kernel = R"(
@triton.jit
def scale(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    a = checked(tl.load(x + offsets, mask=inside, other=0.0))
    tl.store(out + offsets, a, mask=inside)
)";

struct Collected final : DiagnosticSink {
  void report(uint32_t severity, std::string_view rendered) override {
    all += std::to_string(severity) + " " + std::string(rendered);
  }
  std::string all;
};

struct CompileCache : testing::Test {
  TemporaryFolder folder;

  struct Answer {
    Result<std::shared_ptr<const Artifact>> artifact = Status(TZ_E_UNKNOWN, "");
    CompileReport report;
    std::string said;
    unsigned compilations = 0; // of the vendor
    /// "6:5": of the artifact's log sites, each place once (the assert is in
    /// the checked and in the unchecked copy of the body).
    std::string places() const {
      std::set<std::string> places;
      for (const LogSite &site : (*artifact)->logSites) {
        places.insert(std::to_string(site.line) + ":" +
                      std::to_string(site.col));
      }
      return places.size() == 1 ? *places.begin()
                                : std::to_string(places.size()) + " places";
    }
  };

  /// As a new process: nothing but the cache's folder is shared.
  Answer compile(const CompileJob &job) const {
    Cache cache{CacheOptions{folder.path + "/cache", 1 << 24, {}}};
    RegistryOptions options;
    options.readEnvironment = false;
    options.builtins = {tz::test::toldPlugin()};
    Registry registry{options, &cache};
    Driver driver{registry, &cache};
    return compile(driver, job);
  }
  static Answer compile(Driver &driver, const CompileJob &job) {
    Answer answer;
    Collected sink;
    unsigned before = toldCompilations;
    answer.artifact = driver.compile(job, sink, &answer.report);
    answer.said = sink.all;
    answer.compilations = toldCompilations - before;
    return answer;
  }

  CompileJob job(std::string text, const std::string &path = "k.py") const {
    CompileJob made;
    made.source = {folder.path + "/" + path, std::move(text), "scale", false};
    made.plugin = "told";
    made.target = "told:any";
    ArgumentSpec pointer;
    pointer.kind = ArgumentSpec::Runtime;
    pointer.type = TZ_TYPE_PTR;
    pointer.element = TZ_TYPE_F32;
    pointer.divisor = 16;
    ArgumentSpec n;
    n.kind = ArgumentSpec::Runtime;
    n.type = TZ_TYPE_I32;
    ArgumentSpec block;
    block.kind = ArgumentSpec::Constant;
    block.constant = {"BLOCK", TZ_KV_I64, 64, 0, ""};
    made.arguments = {pointer, pointer, n, block};
    return made;
  }
  static std::string source() { return std::string(Imports) + Helper + Kernel; }
  static CompileJob with(CompileJob job, const char *option, int64_t value) {
    job.options.push_back({option, TZ_KV_I64, value, 0, ""});
    return job;
  }
  size_t entries() const {
    return Cache{CacheOptions{folder.path + "/cache", 1 << 24, {}}}
        .statistics()
        .entries;
  }
};

TEST_F(CompileCache, TheSameAgainIsToldAgainWordForWord) {
  Answer first = compile(job(source())), second = compile(job(source()));
  ASSERT_TRUE(first.artifact.ok()) << first.said;
  ASSERT_TRUE(second.artifact.ok()) << second.said;
  EXPECT_EQ(first.report.cached, Cached::Nothing);
  EXPECT_EQ(first.compilations, 1u);
  EXPECT_EQ(second.report.cached, Cached::Everything);
  EXPECT_EQ(second.compilations, 0u);
  EXPECT_THAT(first.said, HasSubstr("k.py:6:5: remark: checks at run time"));
  EXPECT_EQ(first.said, second.said);
  EXPECT_EQ(first.places(), "6:5");
  EXPECT_EQ((*first.artifact)->write(), (*second.artifact)->write());
}

TEST_F(CompileCache, ACommentFindsTheCodeAndTellsItsOwnLines) {
  ASSERT_TRUE(compile(job(source())).artifact.ok());
  // Two lines above all, and one between the functions: not every place moves
  // by the same.
  std::string text =
      std::string("# one\n\n") + Imports + Helper + "# another\n" + Kernel;
  Answer answer = compile(job(text));
  ASSERT_TRUE(answer.artifact.ok()) << answer.said;
  EXPECT_EQ(answer.report.cached, Cached::Code);
  EXPECT_EQ(answer.compilations, 0u);
  EXPECT_EQ(answer.places(), "8:5");
  EXPECT_THAT(answer.said, HasSubstr("k.py:8:5: remark: checks at run time"));
  EXPECT_THAT(answer.said, Not(HasSubstr("k.py:6:5")));
  Answer again = compile(job(text));
  EXPECT_EQ(again.report.cached, Cached::Everything);
  EXPECT_EQ(again.places(), "8:5");
  EXPECT_EQ(again.said, answer.said);
  // The first text still has its own.
  EXPECT_EQ(compile(job(source())).places(), "6:5");
}

TEST_F(CompileCache, AFunctionMovedBelowIsTheSameCode) {
  ASSERT_TRUE(compile(job(source())).artifact.ok());
  Answer answer = compile(job(std::string(Imports) + Kernel + Helper));
  ASSERT_TRUE(answer.artifact.ok()) << answer.said;
  EXPECT_EQ(answer.report.cached, Cached::Code);
  EXPECT_EQ(answer.places(), "13:5");
}

TEST_F(CompileCache, AMovedFileIsTheSameCode) {
  ASSERT_TRUE(compile(job(source())).artifact.ok());
  Answer answer = compile(job(source(), "other.py"));
  ASSERT_TRUE(answer.artifact.ok()) << answer.said;
  EXPECT_EQ(answer.report.cached, Cached::Code);
  EXPECT_EQ((*answer.artifact)->logSites[0].file, folder.path + "/other.py");
  EXPECT_THAT(answer.said, HasSubstr("other.py:6:5: remark:"));
}

TEST_F(CompileCache, OtherCodeIsCompiled) {
  ASSERT_TRUE(compile(job(source())).artifact.ok());
  std::string text = source();
  text.replace(text.find("x * 2"), 5, "x * 3");
  EXPECT_EQ(compile(job(text)).compilations, 1u);
  EXPECT_EQ(compile(with(job(source()), "opt_level", 1)).compilations, 1u);
  CompileJob unaligned = job(source());
  unaligned.arguments[0].divisor = 0;
  EXPECT_EQ(compile(unaligned).compilations, 1u);
}

TEST_F(CompileCache, LineTablesArePartOfTheCode) {
  ASSERT_TRUE(compile(with(job(source()), "debug_level", 1)).artifact.ok());
  Answer moved = compile(with(job("\n" + source()), "debug_level", 1));
  EXPECT_EQ(moved.report.cached, Cached::Nothing);
  EXPECT_EQ(moved.compilations, 1u);
  EXPECT_EQ(compile(with(job(source()), "debug_level", 1)).report.cached,
            Cached::Everything);
}

TEST_F(CompileCache, APlaceOfNoOpServesOneSourceOnly) {
  CompileJob first = with(job(source()), "elsewhere", 1);
  Answer made = compile(first);
  EXPECT_THAT(made.said, HasSubstr("made-up.c:6:5"));
  EXPECT_EQ(compile(first).said, made.said);
  Answer moved = compile(with(job("\n" + source()), "elsewhere", 1));
  EXPECT_EQ(moved.compilations, 1u);
  EXPECT_THAT(moved.said, HasSubstr("made-up.c:7:5"));
}

TEST_F(CompileCache, AnEditedImportIsCompiled) {
  std::string lib = std::string(Imports) + Helper;
  folder.write("lib.py", lib);
  CompileJob one =
      job(std::string(Imports) + "from lib import checked\n" + Kernel);
  Answer first = compile(one);
  ASSERT_TRUE(first.artifact.ok()) << first.said;
  EXPECT_EQ(first.places(), "6:5");
  EXPECT_EQ((*first.artifact)->logSites[0].file, folder.path + "/lib.py");
  EXPECT_EQ(compile(one).report.cached, Cached::Everything);

  folder.write("lib.py", "# more\n" + lib);
  Answer commented = compile(one);
  EXPECT_EQ(commented.report.cached, Cached::Code);
  EXPECT_EQ(commented.places(), "7:5");

  std::string changed = lib;
  changed.replace(changed.find("x * 2"), 5, "x * 5");
  folder.write("lib.py", changed);
  EXPECT_EQ(compile(one).compilations, 1u);

  std::filesystem::remove(folder.path + "/lib.py");
  EXPECT_FALSE(compile(one).artifact.ok());
}

TEST_F(CompileCache, AnEditedImportIsReadAgainByTheSameDriver) {
  std::string lib = std::string(Imports) + Helper;
  folder.write("lib.py", lib);
  CompileJob one =
      job(std::string(Imports) + "from lib import checked\n" + Kernel);
  Cache cache{CacheOptions{folder.path + "/cache", 1 << 24, {}}};
  RegistryOptions options;
  options.readEnvironment = false;
  options.builtins = {tz::test::toldPlugin()};
  Registry registry{options, &cache};
  Driver driver{registry, &cache};
  ASSERT_TRUE(compile(driver, one).artifact.ok());
  lib.replace(lib.find("too large"), 9, "too big");
  folder.write("lib.py", lib);
  Answer edited = compile(driver, one);
  ASSERT_TRUE(edited.artifact.ok()) << edited.said;
  EXPECT_EQ(edited.compilations, 1u);
  EXPECT_EQ((*edited.artifact)->logSites[0].text, "too big");
}

TEST_F(CompileCache, AnImportThatAppearsIsSeen) {
  CompileJob one =
      job(std::string(Imports) + "from lib import checked\n" + Kernel);
  Answer without = compile(one);
  ASSERT_FALSE(without.artifact.ok());
  EXPECT_EQ(compile(one).report.cached, Cached::Everything);
  EXPECT_EQ(compile(one).said, without.said);
  folder.write("lib.py", std::string(Imports) + Helper);
  EXPECT_TRUE(compile(one).artifact.ok());
  // A nearer file of that name takes its place.
  std::filesystem::create_directories(folder.path + "/lib");
  folder.write("lib/__init__.py", "checked = 3\n");
  std::filesystem::remove(folder.path + "/lib.py");
  EXPECT_FALSE(compile(one).artifact.ok());
}

TEST_F(CompileCache, AMistakeIsToldAgainWordForWord) {
  std::string text = source();
  text.replace(text.find("out + offsets, a"), 16, "out + offsets, q");
  Answer first = compile(job(text)), second = compile(job(text));
  ASSERT_FALSE(first.artifact.ok());
  ASSERT_FALSE(second.artifact.ok());
  EXPECT_EQ(first.report.cached, Cached::Nothing);
  EXPECT_EQ(second.report.cached, Cached::Everything);
  EXPECT_THAT(first.said, HasSubstr("k.py:14:"));
  EXPECT_THAT(first.said, HasSubstr("^"));
  EXPECT_EQ(first.said, second.said);
  EXPECT_EQ(first.artifact.status().message(),
            second.artifact.status().message());
  EXPECT_EQ(first.artifact.status().code(), second.artifact.status().code());
  EXPECT_EQ(first.artifact.status().payload(),
            second.artifact.status().payload());
  Answer moved = compile(job("\n" + text));
  EXPECT_THAT(moved.said, HasSubstr("k.py:15:"));
}

TEST_F(CompileCache, AVendorsRefusalIsKept) {
  for (int32_t code : {TZ_E_UNSUPPORTED_OP, TZ_E_INVALID_ARGUMENT,
                       TZ_E_UNIMPLEMENTED, TZ_E_RESOURCE_LIMIT}) {
    CompileJob one = with(job(source()), "fail", code);
    Answer first = compile(one), second = compile(one);
    EXPECT_EQ(first.compilations, 1u) << code;
    EXPECT_EQ(second.compilations, 0u) << code;
    EXPECT_EQ(second.artifact.status().code(), code);
    EXPECT_EQ(first.said, second.said);
  }
}

TEST_F(CompileCache, WhatMayPassIsTriedAgain) {
  for (int32_t code :
       {TZ_E_CANCELLED, TZ_E_UNKNOWN, TZ_E_TIMEOUT, TZ_E_OUT_OF_MEMORY,
        TZ_E_INTERNAL, TZ_E_UNAVAILABLE, TZ_E_DATA_LOSS, TZ_E_DEVICE_LOST}) {
    CompileJob one = with(job(source()), "fail", code);
    EXPECT_FALSE(compile(one).artifact.ok());
    EXPECT_EQ(compile(one).compilations, 1u) << code;
  }
  CompileJob refused = with(job(source()), "fail", TZ_E_UNSUPPORTED_OP);
  CompileJob silent = with(refused, "silent", 1);
  EXPECT_FALSE(compile(silent).artifact.ok());
  EXPECT_EQ(compile(silent).compilations, 1u) << "says nothing of the source";
  CompileJob transient = with(refused, "transient", 1);
  EXPECT_FALSE(compile(transient).artifact.ok());
  EXPECT_EQ(compile(transient).compilations, 1u);
}

TEST_F(CompileCache, DamageOfEitherLevelIsCompiledAgain) {
  Cache cache{CacheOptions{folder.path + "/cache", 1 << 24, {}}};
  Answer first = compile(job(source()));
  ASSERT_TRUE(first.artifact.ok());
  std::string outcome = *cache.get(first.report.key);
  std::string code = *cache.get(first.report.codeKey);
  // Whole entries of the cache with changed contents.
  for (size_t size : {size_t(0), outcome.size() / 2, outcome.size() - 1}) {
    ASSERT_TRUE(cache.put(first.report.key, outcome.substr(0, size)));
    Answer again = compile(job(source()));
    EXPECT_TRUE(again.artifact.ok());
    EXPECT_EQ(again.report.cached, Cached::Code) << size;
    EXPECT_EQ(again.said, first.said);
  }
  for (size_t size : {size_t(0), code.size() / 2, code.size() - 1}) {
    ASSERT_TRUE(cache.put(first.report.codeKey, code.substr(0, size)));
    cache.remove(first.report.key);
    Answer again = compile(job(source()));
    EXPECT_TRUE(again.artifact.ok());
    EXPECT_EQ(again.compilations, 1u) << size;
    EXPECT_EQ(again.said, first.said);
  }
  cache.remove(first.report.codeKey); // the outcome is left
  EXPECT_EQ(compile(job(source())).compilations, 1u);
  EXPECT_EQ(compile(job(source())).report.cached, Cached::Everything);
}

/// Two processes compile the same at once; both have whole answers and leave a
/// cache that serves a third.
TEST_F(CompileCache, TwoProcessesOnOneFolder) {
  std::vector<pid_t> children;
  for (int i = 0; i < 2; ++i) {
    pid_t child = fork();
    if (child == 0) {
      int wrong = 0;
      for (int round = 0; round < 20; ++round) {
        std::string text(size_t(round % 5), '\n');
        Answer answer = compile(job(text + source()));
        wrong += !answer.artifact.ok() ||
                 answer.places() != std::to_string(6 + round % 5) + ":5";
      }
      _exit(wrong);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
  EXPECT_EQ(compile(job(source())).report.cached, Cached::Everything);
  EXPECT_EQ(entries(), 6u) << "five outcomes of one code";
}

} // namespace
