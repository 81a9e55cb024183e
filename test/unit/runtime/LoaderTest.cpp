//===- LoaderTest.cpp - every way in which a plugin can be wrong ----------===//
//
// What   One manifest and one library per fault; each gives one sentence that
//        says what, where and how to mend, and nothing crashes.
// Why    A user with a broken plugin has only this sentence.
//===----------------------------------------------------------------------===//
#include "test/unit/runtime/TemporaryFolder.h"

#include "runtime/cache/Sha256.h"
#include "runtime/loader/Registry.h"

#include <gmock/gmock.h>
#include <sys/mman.h>
#include <sys/stat.h>

using namespace tz::runtime;
using testing::AllOf;
using testing::HasSubstr;

namespace {

std::string mock(const std::string &fault) {
  return std::string(TZ_TEST_MOCK_FOLDER) + "/tz_mock_" + fault + ".so";
}

std::string manifest(const std::string &library, const std::string &more = "") {
  return R"({"manifest_version":"1.0","plugin":{"name":"mock","version":"1.0",)"
         R"("abi":{"major":0,"built_minor":2},)" +
         more + R"("library":{"compiler":")" + library + "\"}}}";
}

class Loader : public testing::Test {
protected:
  /// The message of opening the compiler half that this library is.
  std::string open(const std::string &library, const std::string &more = "") {
    folder.write("mock.json", manifest(library, more));
    RegistryOptions options;
    options.readEnvironment = false;
    options.defaultFolders = {folder.path};
    registry = std::make_unique<Registry>(options);
    Result<Plugin *> plugin = registry->find("mock");
    if (!plugin) {
      return plugin.status().message();
    }
    Result<const Plugin::CompilerHalf *> half = (*plugin)->compiler();
    code = half.status().code();
    // Asked again, the answer is the same and nothing is opened twice.
    EXPECT_EQ((*plugin)->compiler().status().message(),
              half.status().message());
    return half.status().message();
  }
  TemporaryFolder folder;
  std::unique_ptr<Registry> registry;
  int32_t code = 0;
};

TEST_F(Loader, OpensACorrectPlugin) {
  EXPECT_EQ(open(mock("GOOD")), "");
  EXPECT_EQ((*(*registry->find("mock"))->compiler())->targets.front(),
            "mock:any");
}

TEST_F(Loader, AShorterTableHasNullFunctionsBehindItsEnd) {
  EXPECT_EQ(open(mock("OLD_TABLE")), "");
  EXPECT_FALSE((*(*registry->find("mock"))->compiler())->api->list_options);
}

TEST_F(Loader, APluginOfNewerHeadersThatNeedsNoneOfThemWorks) {
  EXPECT_EQ(open(mock("NEWER")), "");
  // What stands in its table behind ours is not looked at.
  EXPECT_EQ((*(*registry->find("mock"))->compiler())->targets.front(),
            "mock:any");
}

TEST_F(Loader, MissingFile) {
  EXPECT_THAT(open("nowhere.so"),
              AllOf(HasSubstr("nowhere.so: plugin library does not exist"),
                    HasSubstr("mock.json")));
}

TEST_F(Loader, NotAnElfFile) {
  folder.write("text.so", "this is not a library");
  EXPECT_THAT(open("text.so"), HasSubstr("no ELF header"));
  folder.write("empty.so", "");
  EXPECT_THAT(open("empty.so"), HasSubstr("no ELF header"));
}

TEST_F(Loader, TruncatedAtAnyLength) {
  std::string whole = readFile(mock("GOOD"));
  for (size_t size = 4; size < whole.size(); size += whole.size() / 41 + 1) {
    // A name of its own: a library that was opened stays mapped.
    std::string name = "cut" + std::to_string(size) + ".so";
    folder.write(name, whole.substr(0, size));
    std::string text = open(name);
    // Section headers at the end are not needed to run; all else is.
    if (!text.empty()) {
      EXPECT_THAT(text, testing::AnyOf(HasSubstr("truncated"),
                                       HasSubstr("cannot be loaded")))
          << size;
    }
  }
}

TEST_F(Loader, OtherMachine) {
  std::string whole = readFile(mock("GOOD"));
  whole[18] = 8; // e_machine: MIPS
  whole[19] = 0;
  folder.write("mips.so", whole);
  EXPECT_THAT(open("mips.so"), HasSubstr("another machine (ELF machine 8"));
}

TEST_F(Loader, WritableByEverybody) {
  std::string file = folder.write("open.so", readFile(mock("GOOD")));
  chmod(file.c_str(), 0777);
  EXPECT_THAT(open("open.so"), HasSubstr("chmod o-w"));
}

TEST_F(Loader, EachFaultHasItsSentence) {
  const std::pair<const char *, const char *> faults[] = {
      {"OTHER_SYMBOL", "built for ABI major 7, this Terrazzo serves major 0"},
      {"NO_SYMBOL", "not a Terrazzo plugin: it does not export"},
      {"DECLINES", "does not serve a host of ABI 0.2"},
      {"BAD_MAGIC", "wrong magic"},
      {"SHORT_STRUCT", "wrong magic"},
      {"MAJOR", "was built for ABI 5.2, this Terrazzo serves 0.2; rebuild the "
                "plugin with this Terrazzo's headers"},
      {"OLD", "was built for ABI 0.1, this Terrazzo serves 0.2; rebuild the "
              "plugin with this Terrazzo's headers"},
      {"NEEDS_NEWER", "needs a host of ABI 0.3 or later, this Terrazzo is 0.2; "
                      "install a newer Terrazzo or an older plugin"},
      {"NO_GET_INTERFACE", "lacks get_interface"},
      {"SANITIZER", "built with sanitizer"},
      {"NAME", "calls itself 'other'"},
      {"VERSION", "is version 9.9, its manifest"},
      {"NO_TABLE", "does not offer tz.compiler/1"},
      {"NO_COMPILE", "lacks the required function 'compile'"},
      {"SHORT_TABLE", "lacks the required function 'list_targets'"},
      {"ABSURD_COUNT", "malformed list of targets"},
      {"CREATE_FAILS", "the mock has no device today"},
  };
  for (auto [fault, sentence] : faults) {
    EXPECT_THAT(open(mock(fault)), HasSubstr(sentence)) << fault;
    EXPECT_NE(code, TZ_E_OK) << fault;
  }
}

TEST_F(Loader, TheManifestsHashIsChecked) {
  std::string text = readFile(mock("GOOD"));
  std::string good = R"("sha256":{"compiler":")" + toHex(sha256(text)) + "\"},";
  EXPECT_EQ(open(mock("GOOD"), good), "");
  std::string bad = R"("sha256":{"compiler":")" + toHex(sha256("x")) + "\"},";
  EXPECT_THAT(open(mock("GOOD"), bad), HasSubstr("different builds"));
}

TEST_F(Loader, AMissingHalfIsSaid) {
  open(mock("GOOD"));
  EXPECT_THAT((*registry->find("mock"))->devices().status().message(),
              HasSubstr("has no device half"));
}

/// Refused on the text: the library is never opened.
TEST_F(Loader, ManifestsAreRefusedBeforeTheLibraryIsOpened) {
  EXPECT_THAT(open("x.so", R"("probe":{"any_of":[{"file":"/no/such"}]},)"),
              HasSubstr("none of the devices"));
  folder.write("mock.json",
               R"({"manifest_version":"1.0","plugin":{"name":"mock",)"
               R"("version":"1","abi":{"major":3,"built_minor":0},)"
               R"("library":{"compiler":"x.so"}}})");
  RegistryOptions options;
  options.readEnvironment = false;
  options.defaultFolders = {folder.path};
  Registry other(options);
  EXPECT_THAT(other.find("mock").status().message(),
              HasSubstr("built for ABI 3.0, this Terrazzo serves 0.2"));
}

TEST(Manifest, EachMistakeIsNamed) {
  const std::pair<const char *, const char *> cases[] = {
      {"", "syntax error"},
      {"[]", "not an object"},
      {"{", "syntax error"},
      {"{\"a\":1,}", "line 1"},
      {R"({"manifest_version":1})", "'manifest_version' must be a string"},
      {R"({"manifest_version":"x"})", "must look like \"1.0\""},
      {R"({"manifest_version":"1.0"})", "'plugin' is missing"},
      {R"({"manifest_version":"1.0","plugin":[]})", "must be an object"},
      {R"({"manifest_version":"1.0","plugin":{}})", "'plugin.name' is missing"},
      {R"({"manifest_version":"1.0","plugin":{"name":"A b","version":"1",
          "abi":{"major":0,"built_minor":2},"library":{"device":"x"}}})",
       "'plugin.name' must be 1 to 64"},
      {R"({"manifest_version":"1.0","plugin":{"name":"a","version":"1",
          "isolation":"wroker",
          "abi":{"major":0,"built_minor":2},"library":{"device":"x"}}})",
       "'plugin.isolation' must be 'worker' or 'inprocess'"},
      {R"({"manifest_version":"1.0","plugin":{"name":"a","version":"1",
          "abi":{"major":-1,"built_minor":2},"library":{"device":"x"}}})",
       "'plugin.abi.major' must be a whole number"},
      {R"({"manifest_version":"1.0","plugin":{"name":"a","version":"1",
          "abi":{"major":0,"built_minor":2},"library":{}}})",
       "must name a file"},
      {R"({"manifest_version":"1.0","plugin":{"name":"a","name":"b"}})",
       "'name' appears twice"},
      {R"({"manifest_version":"1.0","plugin":{"name":"a","version":"1",
          "abi":{"major":0,"built_minor":2},"library":{"device":"x"},
          "ir":[{"format":"tile","min":"0.1","max":"x"}]}})",
       "must look like \"1.6\""},
      {"{\"a\":\"\xff\"}", "syntax error"},
  };
  for (auto [text, what] : cases) {
    Result<tz::runtime::Manifest> m = parseManifest(text, "/p/plugin.json");
    ASSERT_FALSE(m) << text;
    EXPECT_THAT(m.status().message(),
                AllOf(HasSubstr("/p/plugin.json"), HasSubstr(what)))
        << text;
  }
}

TEST(Manifest, LimitsHold) {
  std::string deep(17, '['), shallow(15, '[');
  EXPECT_THAT(parseManifest("{\"a\":" + deep, "m").status().message(),
              HasSubstr("nested deeper than 16"));
  std::string unknown = R"({"manifest_version":"1.0","later":)" + shallow +
                        std::string(15, ']') + R"(,"plugin":{"name":"a",)" +
                        R"("version":"1","abi":{"major":0,"built_minor":2},)" +
                        R"("library":{"device":"lib/x.so"}}})";
  Result<tz::runtime::Manifest> m = parseManifest(unknown, "/p/plugin.json");
  ASSERT_TRUE(m) << m.status().message();
  EXPECT_THAT(m->deviceLibraries, testing::ElementsAre("/p/lib/x.so"));
  EXPECT_THAT(
      parseManifest(std::string((1 << 20) + 1, ' '), "m").status().message(),
      HasSubstr("larger than 1 MiB"));
  EXPECT_EQ(parseManifest(R"({"manifest_version":"2.0"})", "m").status().code(),
            TZ_E_UNIMPLEMENTED);
  std::string million(1 << 19, '[');
  EXPECT_FALSE(parseManifest(million, "m"));
}

/// Structs against a page that must not be touched, at each size that a table
/// or description may have.
TEST(GuardPages, StructsAreReadUpToTheirSizeOnly) {
  long page = sysconf(_SC_PAGESIZE);
  auto *base = static_cast<char *>(mmap(nullptr, size_t(page) * 2,
                                        PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(base, MAP_FAILED);
  ASSERT_EQ(mprotect(base + page, size_t(page), PROT_NONE), 0);
  // Errors: any size from the size field alone.
  for (size_t size = sizeof(size_t); size <= sizeof(tz_error); size += 4) {
    tz_error whole{};
    whole.struct_size = size;
    whole.code = TZ_E_TIMEOUT;
    whole.message = str("late");
    char *at = base + page - size;
    if (reinterpret_cast<uintptr_t>(at) % alignof(tz_error)) {
      continue;
    }
    std::memcpy(at, &whole, size);
    Status s = takeError(reinterpret_cast<tz_error *>(at), "x");
    EXPECT_EQ(s.code(), size >= TZ_SIZE_UPTO(tz_error, code) ? TZ_E_TIMEOUT
                                                             : TZ_E_UNKNOWN);
  }
  // Plugin descriptions.
  static const tz_plugin *answer;
  tz_plugin whole{};
  whole.magic = TZ_PLUGIN_MAGIC;
  whole.abi_major = TZ_ABI_MAJOR;
  whole.abi_minor_built = whole.abi_minor_min_host = TZ_ABI_MINOR;
  whole.name = str("guard");
  whole.sanitizer = TZ_SANITIZER_TAG;
  whole.get_interface = [](const char *) -> const void * { return nullptr; };
  for (size_t size = 8; size <= sizeof(tz_plugin); size += 8) {
    whole.struct_size = size;
    char *at = base + page - size;
    std::memcpy(at, &whole, size);
    answer = reinterpret_cast<const tz_plugin *>(at);
    RegistryOptions options;
    options.readEnvironment = false;
    options.defaultFolders = {"/nonexistent"};
    options.builtins = {
        {"guard", [](const tz_query *) { return answer; }, nullptr}};
    Registry registry(options);
    Result<Plugin *> plugin = registry.find("guard");
    ASSERT_TRUE(plugin);
    EXPECT_FALSE((*plugin)->compiler());
  }
  munmap(base, size_t(page) * 2);
}

} // namespace
