//===- ElfObjectTest.cpp - Loads real, wrong and broken objects -----------===//
//
// What   Objects from a C compiler run and give the right results; objects that
//        a kernel may not be are refused by name; mutated bytes never crash.
// Why    Artifacts come from caches and bundles: the loader is a parser of
//        untrusted bytes.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/device/ElfObject.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "plugins/cpu/test/CompiledObject.h"

#include <cstring>
#include <elf.h>
#include <fstream>
#include <random>

using namespace tz::cpu;
using testing::HasSubstr;
using tz::cpu::test::compileC;

namespace {

template <typename Fn>
Fn function(const ElfObject &object, const char *name) {
  const ObjectSymbol *symbol = object.find(name);
  EXPECT_TRUE(symbol && symbol->code) << name;
  Fn fn = nullptr;
  if (symbol) {
    std::memcpy(&fn, &symbol->address, sizeof fn);
  }
  return fn;
}

std::unique_ptr<ElfObject> loaded(const std::string &source,
                                  const std::string &flags) {
  std::string error;
  auto object = ElfObject::load(compileC(source, flags), error);
  EXPECT_TRUE(object) << error;
  return object;
}

std::string refusal(std::span<const std::byte> bytes) {
  std::string error;
  EXPECT_FALSE(ElfObject::load(bytes, error));
  return error;
}

/// Calls, tables of pointers, constants, globals, string literals, a jump
/// table: all relocations that position independent code has.
const char *const Everything = R"(
typedef unsigned long size_t;
void *memcpy(void *, const void *, size_t);
void *memmove(void *, const void *, size_t);
void *memset(void *, int, size_t);
int counter = 40;
static int zeroes[5000];
extern const double factors[4];
const double factors[4] = {0.5, 2.0, 8.0, 32.0};
static int one(int x) { return x + 1; }
static int two(int x) { return x * 2; }
__attribute__((noinline)) int three(int x) { return x - 3; }
int (*const table[3])(int) = {one, two, three};
int (*mutableTable[3])(int) = {three, two, one};
const char *name(int i) {
  switch (i) {
  case 0: return "zero"; case 1: return "one"; case 2: return "two";
  case 3: return "three"; case 4: return "four"; case 5: return "five";
  default: return "many";
  }
}
int call(int which, int x) { return table[which](x) + mutableTable[which](x); }
int count(void) { zeroes[17] += 3; return ++counter + zeroes[17]; }
double scale(double x, int i) { return x * factors[i] + 0.125; }
int direct(int x) { return three(x) * 10; }
void copyAll(char *d, const char *s, size_t n) {
  memcpy(d, s, n); memmove(d + 1, d, n - 1); memset(d, 'x', n / 2);
}
void *(*pick(int i))(void *, const void *, size_t) { return i ? memcpy : memmove; }
)";

class Relocations : public testing::TestWithParam<const char *> {};

TEST_P(Relocations, RunAsCompiled) {
  auto object = loaded(Everything, GetParam());
  ASSERT_TRUE(object);
  auto call = function<int (*)(int, int)>(*object, "call");
  EXPECT_EQ(call(0, 10), 11 + 7);
  EXPECT_EQ(call(1, 10), 20 + 20);
  EXPECT_EQ(call(2, 10), 7 + 11);
  auto count = function<int (*)()>(*object, "count");
  EXPECT_EQ(count(), 44);
  EXPECT_EQ(count(), 48);
  auto scale = function<double (*)(double, int)>(*object, "scale");
  EXPECT_EQ(scale(3.0, 2), 24.125);
  EXPECT_EQ(function<int (*)(int)>(*object, "direct")(5), 20);
  auto name = function<const char *(*)(int)>(*object, "name");
  EXPECT_STREQ(name(4), "four");
  EXPECT_STREQ(name(99), "many");
  char buffer[9] = {};
  function<void (*)(char *, const char *, size_t)>(*object, "copyAll")(
      buffer, "abcdefgh", 8);
  EXPECT_STREQ(buffer, "xxxxdefg");
  const ObjectSymbol *counter = object->find("counter");
  ASSERT_TRUE(counter);
  EXPECT_FALSE(counter->code);
  EXPECT_EQ(counter->size, 4u);
  EXPECT_EQ(object->find("zeroes"), nullptr) << "local symbols are private";
}

INSTANTIATE_TEST_SUITE_P(Flags, Relocations,
                         testing::Values("-O2 -fPIC", "-O0 -fPIC -g",
                                         "-O2 -fPIC -fno-plt -g",
                                         "-O3 -fPIC -march=x86-64-v4 -g",
                                         "-O1 -fPIC -ffunction-sections "
                                         "-fdata-sections"));

TEST(ElfObject, CodeIsNeverWritable) {
  auto object = loaded(Everything, "-O2 -fPIC");
  ASSERT_TRUE(object);
  std::ifstream maps("/proc/self/maps");
  std::string line;
  auto address = reinterpret_cast<uint64_t>(object->find("call")->address);
  bool seen = false;
  while (std::getline(maps, line)) {
    EXPECT_THAT(line, testing::Not(HasSubstr(" rwx")));
    uint64_t from = 0, to = 0;
    char mode[5] = {};
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &from, &to, mode) == 3 &&
        from <= address && address < to) {
      EXPECT_STREQ(mode, "r-xp");
      seen = true;
    }
  }
  EXPECT_TRUE(seen);
}

TEST(ElfObject, DebugImageHoldsLoadAddresses) {
  auto object = loaded(Everything, "-O2 -fPIC -g");
  ASSERT_TRUE(object);
  Elf64_Ehdr header;
  std::memcpy(&header, object->debugImage().data(), sizeof header);
  auto code = reinterpret_cast<uint64_t>(object->find("call")->address);
  bool found = false;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section,
                object->debugImage().data() + header.e_shoff +
                    i * sizeof section,
                sizeof section);
    found |=
        section.sh_addr <= code && code < section.sh_addr + section.sh_size;
  }
  EXPECT_TRUE(found);
}

TEST(ElfObject, NamesAnUndefinedSymbol) {
  auto bytes = compileC("float sinf(float); float f(float x) "
                        "{ return sinf(x); }",
                        "-O2 -fPIC");
  EXPECT_THAT(refusal(bytes), HasSubstr("undefined symbol 'sinf'"));
}

TEST(ElfObject, RefusesWhatAKernelMayNotHave) {
  EXPECT_THAT(refusal(compileC("_Thread_local int t; int f(void) "
                               "{ return ++t; }",
                               "-O2 -fPIC")),
              HasSubstr("thread-local"));
  EXPECT_THAT(refusal(compileC("volatile int g; __attribute__((constructor)) "
                               "void f(void) { g = 1; }",
                               "-O2 -fPIC")),
              HasSubstr("constructors"));
  EXPECT_THAT(refusal(compileC("int f(int x) { return x; }",
                               "-O2 --target=aarch64-linux-gnu")),
              HasSubstr("object is for aarch64"));
  EXPECT_THAT(refusal(compileC("int f(int x) { return x; }", "-O2 -m32")),
              HasSubstr("64-bit"));
}

TEST(ElfObject, RefusesEveryTruncation) {
  auto bytes = compileC(Everything, "-O2 -fPIC -g");
  for (size_t size = 0; size < bytes.size(); size += 1 + size / 97) {
    std::string error;
    auto object = ElfObject::load(std::span(bytes).first(size), error);
    EXPECT_FALSE(object) << size;
    EXPECT_FALSE(error.empty());
  }
}

/// Bytes are copied to the end of a heap block, so that a sanitizer sees reads
/// beyond them. Nothing of a mutant is executed.
TEST(ElfObject, MutationsNeverCrash) {
  const auto original = compileC(Everything, "-O2 -fPIC");
  std::mt19937_64 random(20250101);
  unsigned refused = 0, accepted = 0;
  Elf64_Ehdr header;
  std::memcpy(&header, original.data(), sizeof header);
  for (unsigned round = 0; round < 20000; ++round) {
    auto bytes = original;
    unsigned edits = 1 + static_cast<unsigned>(random() % 4);
    for (unsigned i = 0; i < edits; ++i) {
      // Half of the edits hit headers and section table, which decide most.
      size_t at = random() % bytes.size();
      if (random() % 2) {
        at = random() % 2
                 ? random() % sizeof header
                 : header.e_shoff + random() % (bytes.size() - header.e_shoff);
      }
      unsigned char value = static_cast<unsigned char>(random());
      if (random() % 3 == 0) {
        value = random() % 2 ? 0xff : 0x00;
      }
      bytes[at] = std::byte{value};
    }
    std::string error;
    if (ElfObject::load(bytes, error)) {
      ++accepted;
    } else {
      ++refused;
      EXPECT_FALSE(error.empty());
    }
  }
  EXPECT_GT(refused, 1000u);
  EXPECT_GT(accepted, 1000u) << "edits of code are no business of the loader";
}

} // namespace
