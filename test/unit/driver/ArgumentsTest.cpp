//===- ArgumentsTest.cpp - what a launch passes, through the C++ API ------===//
//
// What   Kernels with descriptors, tuples, named tuples and constants, from
//        source and from artifacts, on the CPU; and what is refused.
// Why    From terrazzo.hpp to the device, an argument goes through every part
//        that knows what it is made of.
//===----------------------------------------------------------------------===//
#include "test/unit/driver/EmbeddingSession.h"
#include "test/unit/runtime/TemporaryFolder.h"

#include "core/driver/Driver.h"

#include <fstream>
#include <gmock/gmock.h>
#include <numeric>

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using namespace tz;

constexpr const char *Kernels = R"(import triton
import triton.language as tl
from typing import NamedTuple

class Row(NamedTuple):
    x: tl.tensor
    scale: tl.tensor
    width: tl.constexpr

@triton.jit
def copy_block(src, dst, at):
    dst.store([at, 0], src.load([at, 0]))

@triton.jit
def facts(d, out):
    tl.store(out, d.shape[0])
    tl.store(out + 1, d.strides[0].to(tl.int32))
    tl.store(out + 2, d.block_shape[1])

@triton.jit
def scaled(out, row: Row):
    i = tl.arange(0, row.width)
    tl.store(out + i, tl.load(row.x + i) * row.scale)

@triton.jit
def nested(out, t):
    tl.static_assert(t[1][1] == 2)
    if t[1][0] is None:
        tl.store(out, t[0] + t[1][1])
    else:
        tl.store(out, t[0] * tl.load(t[1][0]))

@triton.jit
def fixed(out, shape: tl.constexpr):
    tl.store(out + tl.arange(0, shape[0]), tl.full((shape[0],), shape[1], tl.int32))
)";

class Arguments : public testing::Test {
protected:
  static void SetUpTestSuite() { tz::driver::registerDriver(); }

  Arguments() {
    std::ofstream(folder.path + "/k.py") << Kernels;
    session = std::make_unique<Session>(embeddingOptions());
    device = std::make_unique<Device>(session->device("cpu"));
    stream = std::make_unique<Stream>(*device);
  }
  Kernel kernel(const std::string &name) const {
    return session->kernel(folder.path + "/k.py", name);
  }
  template <typename T>
  Buffer<T> buffer(const std::vector<T> &values) const {
    Buffer<T> made(*device, values.size());
    made.copyFrom(*stream, values);
    stream->sync();
    return made;
  }
  static std::vector<float> counted(size_t count) {
    std::vector<float> values(count);
    std::iota(values.begin(), values.end(), 0.0f);
    return values;
  }

  TemporaryFolder folder;
  std::unique_ptr<Session> session;
  std::unique_ptr<Device> device;
  std::unique_ptr<Stream> stream;
};

TEST_F(Arguments, DescriptorsAreViews) {
  Buffer<float> in = buffer(counted(20)), out = buffer(std::vector<float>(8));
  // Rows of five, three of them seen, from the second on; the base is off 16
  // bytes.
  Descriptor src(in.address() + 20, TZ_TYPE_F32, {2, 3}, {2, 4}, {5, 1},
                 TZ_PADDING_NAN);
  Descriptor dst(out, {2, 4}, {2, 4});
  kernel("copy_block")(*stream, {}, src, dst, 1);
  std::vector<float> got = out.toVector(*stream);
  EXPECT_THAT(std::vector<float>(got.begin(), got.begin() + 4),
              ElementsAre(0, 0, 0, 0));
  EXPECT_EQ(got[4], 10);
  EXPECT_EQ(got[6], 12);
  EXPECT_NE(got[7], got[7]); // the padding
  Buffer<int32_t> said = buffer(std::vector<int32_t>(3));
  kernel("facts")(*stream, {}, src, said);
  EXPECT_THAT(said.toVector(*stream), ElementsAre(2, 5, 4));
}

TEST_F(Arguments, TuplesHaveItemsOfAllKinds) {
  Buffer<float> in = buffer(counted(8)), out = buffer(std::vector<float>(8));
  kernel("scaled")(
      *stream, {}, out,
      Tuple{Named("x", in), Named("scale", 3.0f), Named("width", constant(4))});
  EXPECT_THAT(out.toVector(*stream), ElementsAre(0, 3, 6, 9, 0, 0, 0, 0));
  kernel("scaled")(*stream, {}, out, Tuple{in, 0.5f, constant(8)});
  EXPECT_THAT(out.toVector(*stream),
              ElementsAre(0, .5, 1, 1.5, 2, 2.5, 3, 3.5));
  EXPECT_EQ(tz_constexpr(tz_pointer(64, TZ_TYPE_F16)).element,
            uint32_t(TZ_TYPE_F16));
  Buffer<int32_t> sum = buffer(std::vector<int32_t>{0}),
                  factor = buffer(std::vector<int32_t>{9});
  Kernel nested = kernel("nested");
  nested(*stream, {}, sum, Tuple{7, Tuple{nullptr, constant(2)}});
  EXPECT_THAT(sum.toVector(*stream), ElementsAre(9));
  nested(*stream, {}, sum, Tuple{7, Tuple{factor, constant(2)}});
  EXPECT_THAT(sum.toVector(*stream), ElementsAre(63));
  Kernel fixed = kernel("fixed");
  Buffer<int32_t> four = buffer(std::vector<int32_t>(4));
  fixed(*stream, {}, four, Tuple{2, -5});
  EXPECT_THAT(four.toVector(*stream), ElementsAre(-5, -5, 0, 0));
  Tuple shape{4, 6};
  session->kernel(folder.path + "/k.py", "fixed", {{"shape", shape}})(*stream,
                                                                      {}, four);
  EXPECT_THAT(four.toVector(*stream), ElementsAre(6, 6, 6, 6));
}

TEST_F(Arguments, MistakesInDescriptorsAreNamed) {
  Buffer<float> in = buffer(counted(64)), out = buffer(counted(64));
  Kernel copy = kernel("copy_block");
  const Descriptor good(out, {8, 8}, {4, 8});
  tz_descriptor d = good.get();
  auto said = [&](tz_descriptor bad) {
    return refusal(
        [&] { copy(*stream, {}, good, tz_descriptor_arg(&bad), 0); });
  };
  tz_descriptor bad = d;
  bad.rank = 0;
  EXPECT_THAT(said(bad), HasSubstr("argument 'dst' of kernel 'copy_block': a "
                                   "tensor descriptor has 1 to 5 dimensions, "
                                   "found 0"));
  bad.rank = 6;
  EXPECT_THAT(said(bad), HasSubstr("found 6"));
  bad = d;
  bad.strides[1] = 2;
  EXPECT_THAT(said(bad), HasSubstr("the last stride of a tensor descriptor is "
                                   "1, found 2"));
  bad = d;
  bad.block[0] = 3;
  EXPECT_THAT(said(bad), HasSubstr("block[0] of a tensor descriptor is a power "
                                   "of two, found 3"));
  bad = d;
  bad.block[1] = 2;
  EXPECT_THAT(said(bad), HasSubstr("spans 16 bytes or more, found 8"));
  bad = d;
  bad.shape[0] = int64_t(1) << 31;
  EXPECT_THAT(said(bad), HasSubstr("shape[0] of a tensor descriptor is from 0 "
                                   "to 2147483647, found 2147483648"));
  bad.shape[0] = -1;
  EXPECT_THAT(said(bad), HasSubstr("found -1"));
  bad = d;
  bad.element = TZ_TYPE_PTR;
  EXPECT_THAT(said(bad), HasSubstr("needs the type of its elements"));
  bad = d;
  bad.padding = 2;
  EXPECT_THAT(said(bad), HasSubstr("pads with zero or NaN, found padding 2"));
  bad.padding = TZ_PADDING_NAN;
  bad.element = TZ_TYPE_I32;
  EXPECT_THAT(said(bad), HasSubstr("only if its elements are floats, found "));
  bad = d;
  bad.struct_size = 0;
  EXPECT_THAT(said(bad), HasSubstr("struct_size"));
  EXPECT_THAT(
      refusal([&] { copy(*stream, {}, good, tz_descriptor_arg(nullptr), 0); }),
      HasSubstr("address of a tz_descriptor is NULL"));
  // What the descriptor is not wrong about, the kernel is asked.
  EXPECT_THAT(refusal([&] { copy(*stream, {}, good, out, 0); }),
              HasSubstr("k.py:12: a tile or a number is needed here"));
  bad = d;
  bad.element = TZ_TYPE_I32; // stores fp32 to i32: converted
  copy(*stream, {}, good, tz_descriptor_arg(&bad), 0);
  EXPECT_THAT(refusal([&] { kernel("fixed")(*stream, {}, out, good); }),
              HasSubstr("is constexpr and cannot be a tensor descriptor"));
}

TEST_F(Arguments, MistakesInTuplesAreNamed) {
  Buffer<float> in = buffer(counted(8)), out = buffer(counted(8));
  Kernel scaled = kernel("scaled");
  EXPECT_THAT(refusal([&] { scaled(*stream, {}, out, Tuple{in, 2.0f}); }),
              HasSubstr("argument 'row' is a Row of 3 fields (x, scale, "
                        "width), found 2 items"));
  EXPECT_THAT(refusal([&] {
                scaled(*stream, {}, out,
                       Tuple{in, Tuple{1, tz_descriptor_arg(nullptr)}, 3});
              }),
              HasSubstr("argument 'row.1.1' of kernel 'scaled': the address"));
  tz_tuple bad{};
  EXPECT_THAT(refusal([&] { scaled(*stream, {}, out, tz_tuple_arg(&bad)); }),
              HasSubstr("struct_size of a tz_tuple is not set"));
  bad.struct_size = sizeof(bad);
  bad.num_items = 3;
  EXPECT_THAT(refusal([&] { scaled(*stream, {}, out, tz_tuple_arg(&bad)); }),
              HasSubstr("the items of a tuple are NULL"));
  // A tuple that is an item of itself ends at the bound.
  tz_arg self = tz_tuple_arg(&bad);
  bad.items = &self;
  bad.num_items = 1;
  EXPECT_THAT(
      refusal([&] { scaled(*stream, {}, out, self); }, TZ_E_RESOURCE_LIMIT),
      HasSubstr("more than 256 parts"));
  const char *names[] = {nullptr};
  tz_arg one = tz_i32(1);
  bad.items = &one;
  bad.names = names;
  EXPECT_THAT(
      refusal([&] { scaled(*stream, {}, out, tz_tuple_arg(&bad)); }),
      HasSubstr("argument 'row.0' of kernel 'scaled': its name is NULL"));
}

TEST_F(Arguments, ArtifactsHoldTheFormOfTheirArguments) {
  Buffer<float> in = buffer(counted(64)), out = buffer(std::vector<float>(64));
  Descriptor src(in, {8, 8}, {4, 8}), dst(out, {8, 8}, {4, 8});
  std::string path = folder.path + "/copy.tza";
  std::vector<tz_arg> args{Argument(src), Argument(dst), tz_i32(4)};
  check(tz_kernel_save(kernel("copy_block").get(), device->get(), args.data(),
                       3, path.c_str()));
  Kernel copy = session->kernel(path);
  copy(*stream, {}, src, dst, 4);
  std::vector<float> got = out.toVector(*stream);
  EXPECT_EQ(got[31], 0);
  EXPECT_EQ(got[32], 32);
  EXPECT_EQ(got[63], 63);
  copy(*stream, {}, Descriptor(in, {6, 8}, {4, 8}), dst, 4); // another shape
  auto said = [&](const Descriptor &other) {
    return refusal([&] { copy(*stream, {}, src, other, 4); },
                   TZ_E_FAILED_PRECONDITION);
  };
  EXPECT_THAT(said(Descriptor(out, {8, 8}, {2, 8})),
              HasSubstr("argument 'dst' of kernel 'copy_block' is not a tensor "
                        "descriptor of blocks [4, 8]"));
  EXPECT_THAT(said(Descriptor(out, {8, 8}, {4, 8}, {}, TZ_PADDING_NAN)),
              HasSubstr("blocks [4, 8]"));
  EXPECT_THAT(said(Descriptor(out.address(), TZ_TYPE_I32, {8, 8}, {4, 8})),
              HasSubstr("argument 'dst' of kernel 'copy_block' is "));
  EXPECT_THAT(said(Descriptor(out, {8, 7}, {4, 8})),
              HasSubstr("argument 'dst.shape1' of kernel 'copy_block' is no "
                        "multiple of 4"));
  EXPECT_THAT(refusal([&] { copy(*stream, {}, src, out, 4); },
                      TZ_E_FAILED_PRECONDITION),
              HasSubstr("is not a tensor descriptor"));

  path = folder.path + "/scaled.tza";
  Tuple row{Named("x", in), Named("scale", 3.0f), Named("width", constant(4))};
  args = {Argument(out), Argument(row)};
  check(tz_kernel_save(kernel("scaled").get(), device->get(), args.data(), 2,
                       path.c_str()));
  Kernel scaled = session->kernel(path);
  scaled(*stream, {}, out, row);
  EXPECT_EQ(out.toVector(*stream)[3], 9);
  auto refused = [&](const Tuple &other) {
    return refusal([&] { scaled(*stream, {}, out, other); },
                   TZ_E_FAILED_PRECONDITION);
  };
  EXPECT_THAT(refused(Tuple{in, 3.0f}),
              HasSubstr("argument 'row' of kernel 'scaled' is not a tuple of 3 "
                        "items"));
  EXPECT_THAT(
      refused(Tuple{Named("x", in), Named("factor", 3.0f),
                    Named("width", constant(4))}),
      HasSubstr("argument 'row' of kernel 'scaled' has no 'scale' at 1"));
  EXPECT_THAT(refused(Tuple{Named("x", in), Named("scale", 3.0f),
                            Named("width", constant(8))}),
              HasSubstr("argument 'row.width' of kernel 'scaled' has another "
                        "value"));
  EXPECT_THAT(refused(Tuple{Named("x", in), Named("scale", 3),
                            Named("width", constant(4))}),
              HasSubstr("argument 'row.scale' of kernel 'scaled' is i32"));
}

TEST_F(Arguments, EachPartIsSpecialisedByItself) {
  Buffer<float> in = buffer(counted(64)), out = buffer(std::vector<float>(64));
  Kernel copy = kernel("copy_block");
  unsigned compiled = 0;
  tz_hooks hooks{};
  hooks.struct_size = sizeof(hooks);
  hooks.ctx = &compiled;
  hooks.enter = [](void *ctx, uint32_t activity, uint64_t, const char *) {
    *static_cast<unsigned *>(ctx) += activity == TZ_ACTIVITY_COMPILE;
  };
  check(tz_session_set_hooks(session->get(), &hooks));
  auto launch = [&](const Descriptor &src) {
    copy(*stream, {}, src, Descriptor(out, {8, 8}, {src.get().block[0], 8}), 0);
    return compiled;
  };
  EXPECT_EQ(launch(Descriptor(in, {8, 8}, {4, 8})), 1u);
  EXPECT_EQ(launch(Descriptor(in, {7, 8}, {4, 8})), 1u) << "a size is a bound";
  EXPECT_EQ(launch(Descriptor(in, {4, 4}, {4, 8}, {16, 1})), 1u);
  EXPECT_EQ(launch(Descriptor(in, {4, 4}, {4, 8}, {7, 1})), 2u) << "a stride";
  EXPECT_EQ(launch(Descriptor(in.address() + 4, TZ_TYPE_F32, {4, 4}, {4, 8})),
            3u)
      << "the base";
  EXPECT_EQ(launch(Descriptor(in, {8, 8}, {2, 8})), 4u) << "the block";
  EXPECT_EQ(launch(Descriptor(in, {8, 8}, {4, 8}, {}, TZ_PADDING_NAN)), 5u);
  EXPECT_EQ(launch(Descriptor(in, {8, 8}, {4, 8})), 5u);
}

TEST_F(Arguments, ImportsAndGlobalsAreGiven) {
  std::filesystem::create_directories(folder.path + "/roots/library");
  std::ofstream(folder.path + "/roots/library/__init__.py") << "";
  std::ofstream(folder.path + "/roots/library/numbers.py")
      << "import triton.language as tl\nimport device\n"
         "factor = tl.constexpr(3)\nwidth = tl.constexpr(device.width())\n";
  std::ofstream(folder.path + "/imports.py")
      << "import triton\nimport triton.language as tl\n"
         "from library.numbers import factor, width\n\n"
         "@triton.jit\ndef k(out):\n"
         "    tl.store(out, factor)\n    tl.store(out + 1, width)\n";
  Buffer<int32_t> out = buffer(std::vector<int32_t>(2));
  session->kernel(folder.path + "/imports.py", "k", {}, {},
                  {{folder.path + "/roots"},
                   {{"library.numbers.width", "tl.constexpr(32)"}}})(*stream,
                                                                     {}, out);
  EXPECT_THAT(out.toVector(*stream), ElementsAre(3, 32));
  EXPECT_THAT(refusal(
                  [&] {
                    session->kernel(folder.path + "/imports.py", "k", {}, {},
                                    {{folder.path + "/none"}, {}});
                  },
                  TZ_E_NOT_FOUND),
              HasSubstr("none': no such folder"));
  EXPECT_THAT(refusal([&] {
                session->kernel(folder.path + "/imports.py", "k", {}, {},
                                {{}, {{"width", "32"}}});
              }),
              HasSubstr("needs a name package.module.name"));
}

} // namespace
