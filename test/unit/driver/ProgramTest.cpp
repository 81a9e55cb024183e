//===- ProgramTest.cpp - kernels of a running program, and their code -----===//
//
// What   A kernel that is the text of one function, whose free names this
//        program answers (tz_names): values, functions, host functions, names
//        that are not there; run on the cpu. Then what tz_code_describe and
//        tz_code_stage say of compiled code, and tz_kernel_find_code of what is
//        not compiled.
// Why    It is how Python's package loads each kernel. What was answered
//        belongs to the cache's key: another program with the same text is
//        another.
//===----------------------------------------------------------------------===//
#include "test/unit/driver/CompilingSession.h"
#include "test/unit/runtime/TemporaryFolder.h"

#include <cstddef>
#include <gmock/gmock.h>
#include <map>

using testing::HasSubstr;

namespace {

constexpr uint64_t Kernel = 1, Library = 2, Host = 3;

/// Names by scope, and what the host's function gives for its arguments.
struct Program {
  struct Entry {
    uint32_t kind;
    std::string text;
    uint64_t scope = 0;
  };
  std::map<std::pair<uint64_t, std::string>, Entry> names;
  std::map<std::string, Entry> calls;
  std::vector<std::string> asked;

  static void answer(const Entry *entry, const char *function, tz_name *out) {
    out->kind = entry ? entry->kind : uint32_t(TZ_NAME_UNDEFINED);
    out->text = entry ? entry->text.c_str() : "";
    out->scope = entry ? entry->scope : 0;
    out->line = 70;
    out->path = "library.py";
    out->function = function;
  }
  static void find(void *ctx, uint64_t scope, const char *name, tz_name *out) {
    auto &self = *static_cast<Program *>(ctx);
    self.asked.emplace_back(name);
    auto at = self.names.find({scope, name});
    answer(at == self.names.end() ? nullptr : &at->second, name, out);
  }
  static void call(void *ctx, uint64_t scope, const char *arguments,
                   tz_name *out) {
    auto &self = *static_cast<Program *>(ctx);
    auto at = self.calls.find(arguments);
    answer(scope == Host && at != self.calls.end() ? &at->second : nullptr, "",
           out);
  }
};

struct ProgramTest : CompilingSession {
  void SetUp() override {
    tz_session_options options{};
    options.cache_folder = cache.path.c_str();
    options.ctx = &said;
    options.on_diagnostic = [](void *ctx, uint32_t, const char *text) {
      *static_cast<std::string *>(ctx) += text;
    };
    open("cpu", options);
    addNames(Kernel, Library, "tl.constexpr(3)");
  }
  void addNames(uint64_t kernel, uint64_t library, const char *factor) {
    const auto value = uint32_t(TZ_NAME_EXPRESSION);
    for (uint64_t scope : {kernel, library}) {
      program.names[{scope, "tl"}] = {value, "tl"};
    }
    program.names[{kernel, "OFFSET"}] = {value, "tl.constexpr(40)"};
    program.names[{kernel, "scaled"}] = {
        TZ_NAME_FUNCTION, "def scaled(x):\n  return x * FACTOR\n", library};
    program.names[{library, "FACTOR"}] = {value, factor};
    program.names[{kernel, "host"}] = {TZ_NAME_CALLABLE, "", Host};
  }
  void TearDown() override {
    for (tz_kernel_t kernel : kernels) {
      tz_kernel_destroy(kernel);
    }
    close();
  }
  tz_kernel_t load(const std::string &body, uint64_t scope = Kernel) {
    text = "def kernel(out, n, B: tl.constexpr):\n  at = tl.arange(0, B)\n  " +
           body + "\n";
    tz_names names{sizeof(names), &program, Program::find, Program::call};
    tz_kernel_source source{};
    source.struct_size = sizeof(source);
    source.path = "program.py";
    source.text = text.c_str();
    source.text_size = text.size();
    source.function = "kernel";
    source.names = &names;
    source.scope = scope;
    source.line = 30;
    tz_kernel_t kernel = nullptr;
    ok(tz_kernel_load(session, &source, &kernel));
    kernels.push_back(kernel);
    return kernel;
  }
  std::vector<tz_arg> arguments(int32_t n, int32_t block) {
    return {tz_pointer(reinterpret_cast<uintptr_t>(out), TZ_TYPE_I32),
            tz_i32(n), tz_i32(block)};
  }
  /// What the kernel stores for n = 7; the text of the failure in `said`.
  int32_t run(tz_kernel_t kernel) {
    int64_t grid[3] = {1, 1, 1};
    std::vector<tz_arg> args = arguments(7, 16);
    out[15] = -1;
    tz_status_t s = tz_kernel_launch(kernel, stream, grid, args.data(), 3);
    const bool isFine = !s;
    tz_status_release(s);
    if (isFine) {
      ok(tz_stream_sync(stream));
    }
    return out[15];
  }
  tz_code_t compile(tz_kernel_t kernel, int32_t block = 16) {
    tz_code_t code = nullptr;
    std::vector<tz_arg> args = arguments(7, block);
    ok(tz_kernel_compile(kernel, device, args.data(), 3, &code));
    return code;
  }

  TemporaryFolder cache;
  Program program;
  std::string text, said;
  alignas(64) int32_t out[64] = {};
  std::vector<tz_kernel_t> kernels;
};

TEST_F(ProgramTest, ValuesAndFunctionsAreThoseOfTheirScopes) {
  tz_kernel_t kernel = load("tl.store(out + at, scaled(n) + OFFSET)");
  EXPECT_EQ(run(kernel), 7 * 3 + 40);
  EXPECT_THAT(program.asked, testing::Contains("FACTOR"));
}

TEST_F(ProgramTest, HostFunctionsAreCalledWithConstants) {
  program.calls["3, "] = {TZ_NAME_EXPRESSION, "tl.constexpr(12)"};
  EXPECT_EQ(run(load("tl.store(out + at, n + host(3))")), 19);
}

/// Defined anew, the function has a scope of its own; its text is the same.
TEST_F(ProgramTest, AnotherAnswerIsAnotherKernel) {
  const std::string body = "tl.store(out + at, scaled(n) + OFFSET)";
  EXPECT_EQ(run(load(body)), 61);
  addNames(11, 12, "tl.constexpr(5)");
  EXPECT_EQ(run(load(body, 11)), 75) << "the cache knows the text alone";
  addNames(21, 22, "tl.constexpr(3)");
  EXPECT_EQ(run(load(body, 21)), 61);
}

TEST_F(ProgramTest, ANameThatIsNotThereIsAnErrorAtItsLine) {
  EXPECT_EQ(run(load("tl.store(out + at, n + nowhere)")), -1);
  EXPECT_THAT(said, HasSubstr("program.py:32:"));
  EXPECT_THAT(said, HasSubstr("nowhere"));
}

TEST_F(ProgramTest, AMistakeOfAnAnswersTextIsAnErrorThere) {
  program.names[{Kernel, "scaled"}].text = "def scaled(x):\n  return x *\n";
  tz_kernel_t kernel = load("tl.store(out + at, scaled(n))");
  for (int turn = 0; turn < 2; ++turn) {
    said.clear();
    EXPECT_EQ(run(kernel), -1);
    EXPECT_THAT(said, HasSubstr("library.py:71:13: error: expected an"));
    EXPECT_EQ(said.find("error:"), said.rfind("error:")) << said;
  }
  // The line is the only thing that is wrong.
  program.names[{Kernel, "scaled"}].text = "def scaled(x)\n  return x\n";
  said.clear();
  EXPECT_EQ(run(load("tl.store(out + at, scaled(n) + 1)")), -1);
  EXPECT_THAT(said, HasSubstr("library.py:70:14: error: expected ':'"));
}

TEST_F(ProgramTest, WhatNoKernelCanUseSaysWhy) {
  program.names[{Kernel, "table"}] = {TZ_NAME_OPAQUE, "it is a dictionary"};
  EXPECT_EQ(run(load("tl.store(out + at, n + table)")), -1);
  EXPECT_THAT(said, HasSubstr("it is a dictionary"));
}

TEST_F(ProgramTest, CodeSaysWhatItIs) {
  tz_kernel_t kernel = load("tl.store(out + at, n + OFFSET)");
  tz_code_facts facts{}, other{};
  facts.struct_size = other.struct_size = sizeof(facts);
  ok(tz_code_describe(compile(kernel), &facts));
  EXPECT_STREQ(facts.function, "kernel");
  EXPECT_STREQ(facts.plugin, "cpu");
  EXPECT_THAT(facts.target, testing::StartsWith("cpu:"));
  EXPECT_EQ(std::string(facts.hash).size(), 64u);
  EXPECT_GE(facts.threads, 1u);
  EXPECT_GE(facts.variants, 1u);
  EXPECT_EQ(facts.has_log, 0);
  EXPECT_EQ(compile(kernel), compile(kernel)) << "known code is found again";
  ok(tz_code_describe(compile(kernel, 32), &other));
  EXPECT_STRNE(facts.hash, other.hash);
  // A caller with a smaller struct gets what fits.
  tz_code_facts older{};
  older.struct_size = offsetof(tz_code_facts, hash);
  ok(tz_code_describe(compile(kernel), &older));
  EXPECT_STREQ(older.target, facts.target);
  EXPECT_EQ(older.hash, nullptr);
}

TEST_F(ProgramTest, CodeIsFoundWhereItIsAndNotMade) {
  tz_kernel_t kernel = load("tl.store(out + at * n, at + OFFSET)");
  auto find = [&](int32_t n, int32_t block) {
    std::vector<tz_arg> args = arguments(n, block);
    auto code = reinterpret_cast<tz_code_t>(this);
    ok(tz_kernel_find_code(kernel, device, args.data(), 3, &code));
    return code;
  };
  EXPECT_EQ(find(7, 16), nullptr) << "nothing is compiled";
  EXPECT_EQ(find(7, 15), nullptr) << "and no mistake is seen";
  tz_code_t code = compile(kernel);
  EXPECT_EQ(find(7, 16), code);
  EXPECT_EQ(find(9, 16), code) << "one specialisation";
  EXPECT_EQ(find(1, 16), nullptr) << "another one";
  EXPECT_EQ(find(7, 32), nullptr) << "another constant";
  tz_status_t s = tz_kernel_find_code(kernel, device, nullptr, 3, &code);
  EXPECT_EQ(tz_status_code(s), TZ_E_INVALID_ARGUMENT);
  tz_status_release(s);
  s = tz_kernel_find_code(kernel, device, nullptr, 0, &code);
  EXPECT_THAT(tz_status_message(s), HasSubstr("takes"));
  tz_status_release(s);
}

TEST_F(ProgramTest, CodeForATargetThatIsNamedIsLookedAt) {
  tz_kernel_t kernel = load("tl.store(out + at, n + OFFSET)");
  std::vector<tz_arg> args = arguments(7, 16);
  tz_code_t code = nullptr, known = nullptr;
  ok(tz_kernel_compile_for(kernel, "cpu:x86-64-v3", args.data(), 3, &code));
  ASSERT_TRUE(code);
  tz_code_facts facts{};
  facts.struct_size = sizeof(facts);
  ok(tz_code_describe(code, &facts));
  EXPECT_STREQ(facts.target, "cpu:x86-64-v3");
  const char *bytes = nullptr;
  size_t size = 0;
  ok(tz_code_stage(code, "prepared", &bytes, &size));
  EXPECT_THAT(std::string(bytes, size), HasSubstr("@kernel"));
  ok(tz_kernel_find_code(kernel, device, args.data(), 3, &known));
  EXPECT_EQ(known, nullptr) << "no launch finds it";
  EXPECT_EQ(run(kernel), 47) << "launches have their own";

  tz_status_t s =
      tz_kernel_compile_for(kernel, "none:x", args.data(), 3, &code);
  EXPECT_EQ(tz_status_code(s), TZ_E_NOT_FOUND);
  tz_status_release(s);
  s = tz_kernel_compile_for(kernel, "cpu", nullptr, 0, &code);
  EXPECT_THAT(tz_status_message(s), HasSubstr("takes"));
  tz_status_release(s);
}

TEST_F(ProgramTest, CodeHasItsStages) {
  tz_code_t code = compile(load("tl.store(out + at, n + OFFSET)"));
  for (const char *stage : {"tile", "neutral", "prepared"}) {
    const char *bytes = nullptr, *again = nullptr;
    size_t size = 0;
    ok(tz_code_stage(code, stage, &bytes, &size));
    EXPECT_THAT(std::string(bytes, size), HasSubstr("@kernel")) << stage;
    EXPECT_EQ(bytes[size], 0);
    ok(tz_code_stage(code, stage, &again, &size));
    EXPECT_EQ(bytes, again) << "kept as long as the code";
  }
  const char *bytes = nullptr;
  size_t size = 0;
  tz_status_t s = tz_code_stage(code, "nosuch", &bytes, &size);
  ASSERT_NE(s, nullptr);
  EXPECT_THAT(tz_status_message(s), HasSubstr("nosuch"));
  tz_status_release(s);
  EXPECT_EQ(bytes, nullptr);
  s = tz_code_describe(nullptr, nullptr);
  EXPECT_EQ(tz_status_code(s), TZ_E_INVALID_ARGUMENT);
  tz_status_release(s);
}

} // namespace
