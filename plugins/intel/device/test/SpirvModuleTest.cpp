//===- SpirvModuleTest.cpp - what is read of a module ---------------------===//
//
// What   Parameters, sizes that kernels require, and bytes that are no module.
// Why    See SpirvModule.h: the packed arguments are cut by what is read here.
//===----------------------------------------------------------------------===//
#include "plugins/intel/device/SpirvModule.h"

#include "plugins/intel/Notes.h"
#include "plugins/intel/device/test/TestCode.h"

namespace tz::intel::test {

using namespace halves;
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Told tellOf(const std::string &bytes) {
  return plugin::guarded([&] { (void)readSpirv(bytes); });
}

/// A module of the given instructions, each its opcode and its operands.
std::string moduleOf(std::vector<std::vector<uint32_t>> instructions) {
  std::vector<uint32_t> words = {0x07230203, 0x00010300, 0, 100, 0};
  for (const auto &one : instructions) {
    words.push_back(uint32_t(one.size()) << 16 | one.front());
    words.insert(words.end(), one.begin() + 1, one.end());
  }
  return {reinterpret_cast<const char *>(words.data()), words.size() * 4};
}

TEST(SpirvModule, ReadsParametersAndWhereTheyLie) {
  const SpirvModule module = readSpirv(spirv());
  EXPECT_EQ(module.major, 1u);
  EXPECT_EQ(module.minor, 3u);
  EXPECT_TRUE(module.needs(CapabilityFloat64));
  EXPECT_FALSE(module.needs(CapabilityFloat16));
  const SpirvKernel *kernel = module.find("values");
  ASSERT_TRUE(kernel);
  std::vector<uint32_t> offsets, sizes;
  for (const KernelParameter &one : kernel->parameters) {
    offsets.push_back(one.offset);
    sizes.push_back(one.bytes);
  }
  EXPECT_THAT(offsets, ElementsAre(0, 8, 9, 10, 12, 16, 24, 32));
  EXPECT_THAT(sizes, ElementsAre(8, 1, 1, 2, 4, 8, 4, 8));
  EXPECT_EQ(kernel->argBytes, 40u);
  EXPECT_TRUE(kernel->parameters[0].isPointer);
  EXPECT_FALSE(kernel->parameters[5].isPointer);
}

TEST(SpirvModule, ReadsTheSizesThatAKernelRequires) {
  const SpirvModule module = readSpirv(spirv());
  const SpirvKernel *groups = module.find("groups"), *add = module.find("add");
  ASSERT_TRUE(groups && add);
  EXPECT_EQ(groups->subgroupSize, 16u);
  EXPECT_THAT(groups->workgroup, ElementsAre(64, 1, 1));
  EXPECT_EQ(add->subgroupSize, 0u);
  EXPECT_THAT(add->workgroup, ElementsAre(0, 0, 0));
  EXPECT_FALSE(module.find("no_such"));
}

TEST(SpirvModule, RefusesWhatIsNoModule) {
  EXPECT_EQ(tellOf("").code, TZ_E_DATA_LOSS);
  EXPECT_EQ(tellOf("text").code, TZ_E_DATA_LOSS);
  EXPECT_THAT(tellOf(std::string(40, 'x')).text,
              HasSubstr("does not begin with the magic number of SPIR-V"));
  const std::string odd = spirv().substr(0, 41);
  EXPECT_EQ(tellOf(odd).text,
            "the artifact's SPIR-V is damaged: it has 41 bytes");
}

TEST(SpirvModule, IsReadWithinItsBoundsWhereverItIsCut) {
  const std::string whole = spirv();
  for (size_t size = 0; size < whole.size(); size += 4) {
    const Told told = tellOf(whole.substr(0, size));
    EXPECT_TRUE(told.code == TZ_E_OK || told.code == TZ_E_DATA_LOSS)
        << size << ": " << told.text;
  }
  for (size_t at = 20; at < whole.size(); at += 4) {
    std::string changed = whole;
    std::memset(changed.data() + at, 0xff, 4);
    const Told told = tellOf(changed); // any answer but a crash
    EXPECT_NE(told.code, TZ_E_INTERNAL) << at << ": " << told.text;
  }
}

TEST(SpirvModule, RefusesANameWithoutAnEnd) {
  const std::string endless = moduleOf({{15, 6, 7, 0x61616161}});
  EXPECT_EQ(tellOf(endless).text,
            "the artifact's SPIR-V is damaged: a name has no end");
}

/// A kernel "k" with one pointer into a storage class.
std::string kernelWithPointerInto(uint32_t storage) {
  return moduleOf({{15, 6, 5, uint32_t('k')},
                   {19, 1},             // void
                   {21, 2, 32, 0},      // i32
                   {32, 3, storage, 2}, // pointer
                   {33, 4, 1, 3},       // function type
                   {54, 1, 5, 0, 4}});  // function
}

TEST(SpirvModule, RefusesPointersThatNoLaunchCanPass) {
  EXPECT_EQ(tellOf(kernelWithPointerInto(5)).code, TZ_E_OK);
  EXPECT_EQ(tellOf(kernelWithPointerInto(0)).code, TZ_E_OK);
  const Told function = tellOf(kernelWithPointerInto(7));
  EXPECT_EQ(function.code, TZ_E_UNSUPPORTED_OP);
  EXPECT_EQ(function.text,
            "parameter 0 of kernel 'k' points into storage class 7 (Function); "
            "what a launch passes lies in CrossWorkgroup or UniformConstant");
  EXPECT_THAT(tellOf(kernelWithPointerInto(4)).text,
              HasSubstr("storage class 4 (Workgroup)"));
}

/// A kernel with a number of 32 bits and a vector of so many of 64 bits.
std::string kernelWithVectorOf(uint32_t count) {
  return moduleOf({{15, 6, 5, uint32_t('k')},
                   {19, 1},
                   {21, 2, 32, 0},
                   {21, 3, 64, 0},
                   {23, 6, 3, count},
                   {33, 4, 1, 2, 6},
                   {54, 1, 5, 0, 4}});
}

TEST(SpirvModule, VectorsLieAtMultiplesOfTheirSize) {
  const SpirvModule module = readSpirv(kernelWithVectorOf(4));
  const SpirvKernel *kernel = module.find("k");
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->parameters[1].offset, 32u);
  EXPECT_EQ(kernel->parameters[1].bytes, 32u);
  EXPECT_EQ(kernel->argBytes, 64u);
  // OpenCL has no vectors of other lengths.
  for (uint32_t count : {0u, 3u, 0x20000000u}) {
    EXPECT_EQ(tellOf(kernelWithVectorOf(count)).code, TZ_E_UNSUPPORTED_OP);
  }
}

TEST(SpirvModule, ReadsTheNoteOfALargeRegisterFile) {
  EXPECT_TRUE(
      readSpirv(noted(spirv(), std::string(LargeFileNote))).wantsLargeFile);
  EXPECT_FALSE(readSpirv(noted(spirv(), "another tool")).wantsLargeFile);
  EXPECT_FALSE(readSpirv(spirv()).wantsLargeFile);
}

TEST(SpirvModule, RefusesAParameterThatIsNoNumber) {
  const std::string structure = moduleOf({{15, 6, 5, uint32_t('k')},
                                          {19, 1},
                                          {30, 2, 1},
                                          {33, 4, 1, 2},
                                          {54, 1, 5, 0, 4}});
  EXPECT_THAT(tellOf(structure).text,
              HasSubstr("parameter 0 of kernel 'k' is neither a number nor a "
                        "pointer"));
}

} // namespace
} // namespace tz::intel::test
