//===- LoadedObjectTest.cpp - code objects, whole and damaged -------------===//
//
// What   What is read of a code object; each cut of it, and changed bytes.
// Why    A damaged cache must not become a fault of HIP's.
//===----------------------------------------------------------------------===//
#include "plugins/amd/device/test/HipFixture.h"

#include <random>

namespace tz::amd::test {
namespace {

/// "" of a code object that is read.
std::string refusal(const std::string &file, int32_t *code = nullptr) {
  const Told told = plugin::guarded([&] { (void)readCodeObject(file); });
  if (code) {
    *code = told.code;
  }
  return told.text;
}

TEST(LoadedObject, SaysWhatItsKernelsTake) {
  const CodeObject read = readCodeObject(kernelsFor("gfx942"));
  EXPECT_EQ(read.processor, "gfx942");
  EXPECT_EQ(read.kernels.size(), 7u);
  const KernelFacts &values = read.kernels.at("values");
  EXPECT_EQ(values.offsets,
            (std::vector<uint32_t>{0, 8, 9, 10, 12, 16, 24, 32}));
  EXPECT_EQ(values.argBytes, 40u);
  // What HIP adds is not the launch's.
  EXPECT_EQ(read.kernels.at("add").argBytes, 28u);
  const KernelFacts &groups = read.kernels.at("groups");
  EXPECT_EQ(groups.sharedBytes, 256u);
  EXPECT_EQ(groups.requiredBlock[0], 64u);
  EXPECT_EQ(groups.maxThreads, 1024u);
  EXPECT_EQ(readCodeObject(kernelsFor("gfx1100")).processor, "gfx1100");
}

TEST(LoadedObject, OfAnythingElseIsRefused) {
  EXPECT_EQ(refusal("text"),
            "the code object is damaged: it does not begin as an ELF file");
  EXPECT_EQ(refusal(bytesOf("/proc/self/exe")),
            "the code object is damaged: it is no linked code object of the "
            "HSA ABI");
}

TEST(LoadedObject, ThatWasCutIsRefused) {
  const std::string whole = kernelsFor("gfx942");
  size_t read = 0;
  for (size_t bytes = 0; bytes < whole.size(); bytes += 7) {
    int32_t code = TZ_E_OK;
    const std::string why = refusal(whole.substr(0, bytes), &code);
    read += why.empty();
    EXPECT_TRUE(why.empty() || code == TZ_E_DATA_LOSS) << why;
  }
  // Behind the last segment lie names that nobody needs.
  EXPECT_LT(read, whole.size() / 7 / 2);
}

TEST(LoadedObject, WithChangedBytesIsReadOrRefused) {
  const std::string whole = kernelsFor("gfx942");
  std::mt19937 random(1);
  int refused = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string changed = whole;
    // Headers and notes stand at the beginning.
    for (int n = 0; n < 4; ++n) {
      changed[random() % 3000] = char(random());
    }
    int32_t code = TZ_E_OK;
    refused += !refusal(changed, &code).empty();
    EXPECT_TRUE(code == TZ_E_OK || code == TZ_E_DATA_LOSS);
  }
  EXPECT_GT(refused, 500);
}

} // namespace
} // namespace tz::amd::test
