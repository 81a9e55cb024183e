//===- EmbeddingTest.cpp - terrazzo.hpp as a program uses it --------------===//
//
// What   Events, foreign streams, saved kernels and NULL arrays, on the CPU.
// Why    The header compiles into programs; nothing else of ours calls it.
//===----------------------------------------------------------------------===//
#include "test/unit/runtime/TemporaryFolder.h"

#include "core/driver/Driver.h"

#include <terrazzo/terrazzo.hpp>

#include <fstream>
#include <gmock/gmock.h>

namespace {

using testing::HasSubstr;
using namespace terrazzo;

constexpr const char *kernels = R"(import triton
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
      : session(options()), device(session.device("cpu")), stream(device),
        in(device, 8), out(device, 8) {
    std::ofstream(folder.path + "/k.py") << kernels;
    in.copyFrom(stream, std::vector<float>(8, 3.0f));
    out.copyFrom(stream, std::vector<float>(8, 0.0f));
  }
  static tz_session_options options(uint32_t flags = 0) {
    static const char *const plugins[] = {TZ_TEST_PLUGIN_FOLDER};
    tz_session_options made{};
    made.struct_size = sizeof(made);
    made.flags = TZ_SESSION_IGNORE_ENVIRONMENT | flags;
    made.cache_folder = "";
    made.plugin_folders = plugins;
    made.num_plugin_folders = 1;
    return made;
  }
  Kernel kernel() const { return session.kernel(folder.path + "/k.py"); }
  template <typename Call>
  static std::string error(Call &&call, int32_t code = TZ_E_INVALID_ARGUMENT) {
    try {
      call();
    } catch (const Error &e) {
      EXPECT_EQ(e.code(), code) << e.what();
      return e.what();
    }
    ADD_FAILURE() << "nothing was refused";
    return "";
  }
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
  error([&] { (void)stop.elapsedSince(never); }, TZ_E_FAILED_PRECONDITION);
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
  tz_session_options serving = options(TZ_SESSION_NO_COMPILER);
  Session second(serving);
  Device its = second.device("cpu");
  Stream stream(its);
  Buffer<float> in(its, 8), out(its, 8);
  in.copyFrom(stream, std::vector<float>(8, 5.0f));
  second.kernel(path)(stream, {}, in, out, nullptr, 8, false);
  EXPECT_EQ(out.toVector(stream)[7], 10.0f);
  EXPECT_THAT(error([&] {
                second.kernel(path)(stream, {}, null(), out, nullptr, 8, false);
              }),
              HasSubstr("argument 'x' of kernel 'double' is a NULL array"));
  error(
      [&] {
        kernel().save(device, folder.path + "/no/such", in, out, nullptr, 8,
                      false);
      },
      TZ_E_UNAVAILABLE);
}

TEST_F(Embedding, NullArraysAreRefusedWhereTheyAreFollowed) {
  Kernel known = kernel();
  EXPECT_THAT(error([&] { known(stream, {}, null(), out, nullptr, 8, false); }),
              HasSubstr("argument 'x' of kernel 'double' is a NULL array; give "
                        "the address of its memory, or None"));
  known(stream, {}, in, out, nullptr, 8, false);
  // Also by the quick way of a launch like one before.
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(
        error([&] { known(stream, {}, in, null(), nullptr, 8, false); }),
        HasSubstr("argument 'out'"));
    known(stream, {}, in, out, nullptr, 8, false);
  }
  // Not followed: a C program's bias that is not there.
  known(stream, {}, in, out, null(), 8, false);
  EXPECT_THAT(error([&] { known(stream, {}, in, out, null(), 8, true); }),
              HasSubstr("argument 'bias'"));
  EXPECT_EQ(out.toVector(stream)[0], 6.0f);
}

TEST_F(Embedding, ACallerMayAnswerForNullArrays) {
  Session lenient(options(TZ_SESSION_NULL_ARRAYS));
  Device its = lenient.device("cpu");
  Stream stream(its);
  Kernel kernel = lenient.kernel(folder.path + "/k.py");
  for (int i = 0; i < 3; ++i) {
    kernel(stream, {}, null(), null(), nullptr, 0, false);
  }
}

TEST_F(Embedding, AProgramSaysHowManyThreadsKernelsGet) {
  for (uint32_t threads : {1u, 3u}) {
    tz_session_options few = options();
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
  tz_session_options many = options();
  many.host_threads = 1u << 30;
  EXPECT_THAT(error([&] { (void)Session(many).device("cpu"); }),
              HasSubstr("host_threads is 1073741824; it must be a number from "
                        "1 to"));
}

TEST_F(Embedding, CopiesFromAndToNullAreRefused) {
  const float *none = nullptr;
  EXPECT_THAT(error([&] { in.copyFrom(stream, none, 8); }),
              HasSubstr("the address of 32 bytes to copy or fill is NULL"));
  error([&] { in.copyTo(stream, nullptr, 8); });
  error([&] { check(tz_copy(stream.get(), 0, in.address(), 4)); });
  error([&] { check(tz_fill(stream.get(), 0, 4, 0, 4)); });
  in.copyFrom(stream, none, 0);
  tz_session_options bad = options();
  const char *const folders[] = {nullptr};
  bad.plugin_folders = folders;
  EXPECT_THAT(error([&] { Session s(bad); }),
              HasSubstr("a plugin folder is NULL"));
}

} // namespace
