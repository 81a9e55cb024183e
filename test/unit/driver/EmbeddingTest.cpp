//===- EmbeddingTest.cpp - terrazzo.hpp as a program uses it --------------===//
//
// What   Events, foreign streams, saved kernels and NULL arrays, on the CPU.
// Why    The header compiles into programs; nothing else of ours calls it.
//===----------------------------------------------------------------------===//
#include "test/unit/driver/EmbeddingSession.h"
#include "test/unit/runtime/TemporaryFolder.h"

#include "core/driver/Driver.h"

#include <fstream>
#include <gmock/gmock.h>

namespace {

using testing::HasSubstr;
using namespace tz;

constexpr const char *Kernels = R"(import triton
import triton.language as tl

@triton.jit
def double(x, out, bias, n, HAS_BIAS: tl.constexpr):
    i = tl.arange(0, 8)
    y = tl.load(x + i, mask=i < n, other=0.0) * 2
    if HAS_BIAS:
        y += tl.load(bias + i, mask=i < n, other=0.0)
    tl.store(out + i, y, mask=i < n)
)";

class Embedding : public testing::Test {
protected:
  static void SetUpTestSuite() { tz::driver::registerDriver(); }

  Embedding()
      : session(embeddingOptions()), device(session.device("cpu")),
        stream(device), in(device, 8), out(device, 8) {
    std::ofstream(folder.path + "/k.py") << Kernels;
    in.copyFrom(stream, std::vector<float>(8, 3.0f));
    out.copyFrom(stream, std::vector<float>(8, 0.0f));
  }
  Kernel kernel() const { return session.kernel(folder.path + "/k.py"); }
  static tz_arg null() { return tz_pointer(0, TZ_TYPE_F32); }

  TemporaryFolder folder;
  Session session;
  Device device;
  Stream stream;
  Buffer<float> in, out;
};

TEST_F(Embedding, EventsOrderAndTime) {
  Event start(device), stop(device);
  start.record(stream);
  kernel()(stream, {}, in, out, nullptr, 8, false);
  stop.record(stream);
  Stream other(device);
  other.wait(stop);
  stop.sync();
  EXPECT_TRUE(stop.isDone());
  EXPECT_GT(stop.elapsedSince(start), 0u);
  EXPECT_EQ(out.toVector(other)[7], 6.0f);
  Event never(device);
  refusal([&] { (void)stop.elapsedSince(never); }, TZ_E_FAILED_PRECONDITION);
}

TEST_F(Embedding, ForeignStreamsAreWrappedWhereThereAreAny) {
  try {
    Stream foreign = Stream::wrap(device, nullptr);
    kernel()(foreign, {}, in, out, nullptr, 8, false);
    EXPECT_EQ(out.toVector(foreign)[0], 6.0f);
  } catch (const Error &e) {
    EXPECT_EQ(e.code(), TZ_E_UNIMPLEMENTED) << e.what();
  }
}

TEST_F(Embedding, ASavedKernelRunsWithoutTheCompiler) {
  const std::string path = folder.path + "/double.tza";
  kernel().save(device, path, in, out, nullptr, 8, false);
  tz_session_options serving = embeddingOptions(TZ_SESSION_NO_COMPILER);
  Session second(serving);
  Device its = second.device("cpu");
  Stream stream(its);
  Buffer<float> in(its, 8), out(its, 8);
  in.copyFrom(stream, std::vector<float>(8, 5.0f));
  second.kernel(path)(stream, {}, in, out, nullptr, 8, false);
  EXPECT_EQ(out.toVector(stream)[7], 10.0f);
  EXPECT_THAT(refusal([&] {
                second.kernel(path)(stream, {}, null(), out, nullptr, 8, false);
              }),
              HasSubstr("argument 'x' of kernel 'double' is a NULL array"));
  refusal(
      [&] {
        kernel().save(device, folder.path + "/no/such", in, out, nullptr, 8,
                      false);
      },
      TZ_E_UNAVAILABLE);
}

TEST_F(Embedding, NullArraysAreRefusedWhereTheyAreFollowed) {
  Kernel known = kernel();
  EXPECT_THAT(
      refusal([&] { known(stream, {}, null(), out, nullptr, 8, false); }),
      HasSubstr("argument 'x' of kernel 'double' is a NULL array; give "
                "the address of its memory, or None"));
  known(stream, {}, in, out, nullptr, 8, false);
  // Also by the quick way of a launch like one before.
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(
        refusal([&] { known(stream, {}, in, null(), nullptr, 8, false); }),
        HasSubstr("argument 'out'"));
    known(stream, {}, in, out, nullptr, 8, false);
  }
  // Not followed: a C program's bias that is not there.
  known(stream, {}, in, out, null(), 8, false);
  EXPECT_THAT(refusal([&] { known(stream, {}, in, out, null(), 8, true); }),
              HasSubstr("argument 'bias'"));
  EXPECT_EQ(out.toVector(stream)[0], 6.0f);
}

TEST_F(Embedding, ACallerMayAnswerForNullArrays) {
  Session lenient(embeddingOptions(TZ_SESSION_NULL_ARRAYS));
  Device its = lenient.device("cpu");
  Stream stream(its);
  Kernel kernel = lenient.kernel(folder.path + "/k.py");
  for (int i = 0; i < 3; ++i) {
    kernel(stream, {}, null(), null(), nullptr, 0, false);
  }
}

TEST_F(Embedding, AProgramSaysHowManyThreadsKernelsGet) {
  for (uint32_t threads : {1u, 3u}) {
    tz_session_options few = embeddingOptions();
    few.host_threads = threads;
    Session session(few);
    Device device = session.device("cpu");
    EXPECT_EQ(device.facts().compute_units, threads);
    Stream stream(device);
    Buffer<float> in(device, 8), out(device, 8);
    in.copyFrom(stream, std::vector<float>(8, 3.0f));
    session.kernel(folder.path + "/k.py")(stream, {64}, in, out, nullptr, 8,
                                          false);
    EXPECT_EQ(out.toVector(stream)[7], 6.0f);
  }
  tz_session_options many = embeddingOptions();
  many.host_threads = 1u << 30;
  EXPECT_THAT(refusal([&] { (void)Session(many).device("cpu"); }),
              HasSubstr("host_threads is 1073741824; it must be a number from "
                        "1 to"));
}

TEST_F(Embedding, CopiesFromAndToNullAreRefused) {
  const float *none = nullptr;
  EXPECT_THAT(refusal([&] { in.copyFrom(stream, none, 8); }),
              HasSubstr("the address of 32 bytes to copy or fill is NULL"));
  refusal([&] { in.copyTo(stream, nullptr, 8); });
  refusal([&] { check(tz_copy(stream.get(), 0, in.address(), 4)); });
  refusal([&] { check(tz_fill(stream.get(), 0, 4, 0, 4)); });
  in.copyFrom(stream, none, 0);
  tz_session_options bad = embeddingOptions();
  const char *const folders[] = {nullptr};
  bad.plugin_folders = folders;
  EXPECT_THAT(refusal([&] { Session s(bad); }),
              HasSubstr("a plugin folder is NULL"));
}

} // namespace
