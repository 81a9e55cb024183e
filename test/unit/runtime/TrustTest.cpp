//===- TrustTest.cpp - which files a plugin may be made of ----------------===//
//
// What   A table of owners, modes, links and folders, for a manifest and for
//        its library, with what each rule says of them.
// Why    With TERRAZZO_PLUGIN_TRUST=system nothing that others can exchange may
//        run in the process.
//===----------------------------------------------------------------------===//
#include "test/unit/runtime/TemporaryFolder.h"

#include "runtime/loader/Registry.h"

#include <functional>
#include <gmock/gmock.h>
#include <unistd.h>

using namespace tz::runtime;
using testing::HasSubstr;
namespace fs = std::filesystem;

namespace {

/// Somebody else than the tests' user and root.
const uid_t Stranger = geteuid() == 65534 ? 65533 : 65534;

/// TOP/sys/plugins.d/mock.json beside TOP/sys/lib/mock.so, and TOP/user, where
/// everything may be written.
struct Tree : TemporaryFolder {
  std::string manifest = path + "/sys/plugins.d/mock.json",
              library = path + "/sys/lib/mock.so", user = path + "/user";

  Tree() {
    const mode_t before = umask(022);
    for (const char *folder : {"/sys/plugins.d", "/sys/lib", "/user"}) {
      fs::create_directories(path + folder);
    }
    write("sys/lib/mock.so",
          readFile(std::string(TZ_TEST_MOCK_FOLDER) + "/tz_mock_GOOD.so"));
    write("sys/plugins.d/mock.json",
          R"({"manifest_version":"1.0","plugin":{"name":"mock",)"
          R"("version":"1.0","abi":{"major":0,"built_minor":1},)"
          R"("library":{"compiler":"../lib/mock.so"}}})");
    chmod(user.c_str(), 0777);
    umask(before);
  }
  /// Empty if manifest and library are taken.
  std::string open(const std::string &name, bool systemOnly, uid_t owner) {
    RegistryOptions options;
    options.readEnvironment = options.registeredBuiltins = false;
    options.manifestFiles = {name};
    options.defaultFolders = {"/dev/null"};
    options.trust = TrustRule{systemOnly, owner, path};
    Registry registry(options);
    if (registry.listing().at(0).state != PluginListing::Usable) {
      return registry.listing()[0].reason;
    }
    Result<const Plugin::CompilerHalf *> half =
        (*registry.find("mock"))->compiler();
    return half ? std::string() : half.status().message();
  }
};

struct Case {
  const char *what;
  /// Changes the tree; gives the manifest's name, empty: the usual.
  std::function<std::string(Tree &)> change;
  const char *system; // what the refusal says; null: taken
  const char *any;    // the same without the variable
  bool needsRoot = false;
};

void own(const std::string &path, uid_t user) {
  ASSERT_EQ(lchown(path.c_str(), user, gid_t(-1)), 0) << path;
}

std::string mode(Tree &, const std::string &path, mode_t bits) {
  EXPECT_EQ(chmod(path.c_str(), bits), 0) << path;
  return {};
}

/// A pipe, a socket or a device in the place of a file.
std::string odd(Tree &, const std::string &path, mode_t kind) {
  fs::remove(path);
  EXPECT_EQ(mknod(path.c_str(), kind | 0644, 0x103), 0) << path;
  return {};
}

std::vector<Case> cases() {
  const char *byOthers = "may be written by others than its owner",
             *foreign = "is not owned by root but by user",
             *everybody = "everybody may write to this file",
             *notRegular = "not a regular file";
  std::vector<Case> all = {
      {"as installed", [](Tree &) { return ""; }, nullptr, nullptr},
      {"manifest behind a link in a folder of the system",
       [](Tree &t) {
         fs::create_symlink("../plugins.d/mock.json", t.path + "/sys/lib/l");
         return t.path + "/sys/lib/l";
       },
       nullptr, nullptr},
      {"manifest behind a link of a user",
       [](Tree &t) {
         fs::create_symlink(t.manifest, t.user + "/mock.json");
         return t.user + "/mock.json";
       },
       byOthers, "library does not exist"},
      {"manifest with a hard link in a folder of a user",
       [](Tree &t) {
         fs::create_hard_link(t.manifest, t.user + "/mock.json");
         return t.user + "/mock.json";
       },
       byOthers, "library does not exist"},
      {"manifest by way of a user's folder",
       [](Tree &t) { return t.user + "/../sys/plugins.d/mock.json"; }, byOthers,
       nullptr},
      {"manifest outside", [](Tree &) { return "/etc/passwd"; },
       "does not lie below", "malformed plugin manifest"},
      {"manifest behind a link that leads outside",
       [](Tree &t) {
         fs::create_symlink("/etc/passwd", t.path + "/sys/l");
         return t.path + "/sys/l";
       },
       "leads to /etc/passwd, out of", "malformed plugin manifest"},
      {"manifest above",
       [](Tree &t) {
         return t.path + "/../" + fs::path(t.path).filename().string() +
                "/none";
       },
       "leaves", "No such file or directory"},
      {"manifest behind a ring of links",
       [](Tree &t) {
         fs::create_symlink("l", t.path + "/sys/l");
         return t.path + "/sys/l";
       },
       "symbolic links", "symbolic links"},
      {"no manifest", [](Tree &t) { return t.path + "/sys/none.json"; },
       "No such file", "No such file"},
      {"a folder as manifest", [](Tree &t) { return t.path + "/sys"; },
       "Is a directory", notRegular},
      {"library behind a link in a folder of the system",
       [](Tree &t) {
         fs::rename(t.library, t.path + "/sys/real.so");
         fs::create_symlink("../real.so", t.library);
         return "";
       },
       nullptr, nullptr},
      {"library behind a link to a folder of a user",
       [](Tree &t) {
         fs::rename(t.library, t.user + "/mock.so");
         fs::create_symlink(t.user + "/mock.so", t.library);
         return "";
       },
       byOthers, nullptr},
      {"folder of the library behind a link to one of a user",
       [](Tree &t) {
         fs::rename(t.path + "/sys/lib", t.user + "/lib");
         fs::create_directory_symlink(t.user + "/lib", t.path + "/sys/lib");
         return "";
       },
       byOthers, nullptr},
      {"no library",
       [](Tree &t) {
         fs::remove(t.library);
         return "";
       },
       "library does not exist", "library does not exist"},
  };
  for (bool isLibrary : {false, true}) {
    auto file = [isLibrary](Tree &t) {
      return isLibrary ? t.library : t.manifest;
    };
    auto folder = [file](Tree &t) {
      return fs::path(file(t)).parent_path().string();
    };
    const Case more[] = {
        {"group may write the file",
         [=](Tree &t) { return mode(t, file(t), 0664); }, byOthers, nullptr},
        // Of a library either rule may be the first to see it.
        {"everybody may write the file",
         [=](Tree &t) { return mode(t, file(t), 0646); }, "writ", everybody},
        {"group may write the folder",
         [=](Tree &t) { return mode(t, folder(t), 0775); }, byOthers, nullptr},
        {"everybody may write the folder",
         [=](Tree &t) { return mode(t, folder(t), 0757); }, byOthers, nullptr},
        {"everybody may write the folder, with the sticky bit",
         [=](Tree &t) { return mode(t, folder(t), 01777); }, byOthers, nullptr},
        {"everybody may write the folder above",
         [=](Tree &t) { return mode(t, t.path + "/sys", 0777); }, byOthers,
         nullptr},
        {"a pipe", [=](Tree &t) { return odd(t, file(t), S_IFIFO); },
         notRegular, notRegular},
        {"a socket", [=](Tree &t) { return odd(t, file(t), S_IFSOCK); },
         notRegular, notRegular},
        {"a device", [=](Tree &t) { return odd(t, file(t), S_IFCHR); },
         notRegular, notRegular, true},
        {"file of somebody else",
         [=](Tree &t) {
           own(file(t), Stranger);
           return "";
         },
         foreign, nullptr, true},
        {"folder of somebody else",
         [=](Tree &t) {
           own(folder(t), Stranger);
           return "";
         },
         foreign, nullptr, true},
    };
    all.insert(all.end(), std::begin(more), std::end(more));
  }
  return all;
}

TEST(Trust, TheTable) {
  int ran = 0, left = 0;
  for (const Case &one : cases()) {
    if (one.needsRoot && geteuid() != 0) {
      ++left;
      continue;
    }
    for (bool systemOnly : {true, false}) {
      Tree tree;
      std::string name = one.change(tree);
      alarm(20); // no answer is the worst one
      const std::string said =
          tree.open(name.empty() ? tree.manifest : name, systemOnly, geteuid());
      alarm(0);
      const char *expected = systemOnly ? one.system : one.any;
      EXPECT_THAT(said, HasSubstr(expected ? expected : ""))
          << one.what << ", system: " << systemOnly;
      EXPECT_EQ(said.empty(), expected == nullptr)
          << one.what << ", system: " << systemOnly << ": " << said;
      ++ran;
    }
  }
  // Only root makes devices and files of others.
  RecordProperty("cases", ran);
  EXPECT_EQ(left, geteuid() == 0 ? 0 : 6);
}

/// For whoever runs the tests: the owner is asked, not only the bits.
TEST(Trust, TheOwnerIsAsked) {
  Tree tree;
  if (geteuid() == 0) {
    own(tree.manifest, Stranger);
  }
  const uid_t other = geteuid() == 0 ? 0 : Stranger;
  EXPECT_EQ(tree.open(tree.manifest, false, other), "");
  EXPECT_THAT(tree.open(tree.manifest, true, other),
              HasSubstr("is not owned by root but by user"));
}

TEST(Trust, TheVariableChoosesTheRule) {
  Tree tree; // in a folder that everybody may write
  RegistryOptions options;
  options.registeredBuiltins = false;
  options.manifestFiles = {tree.manifest};
  options.defaultFolders = {"/dev/null"};
  EXPECT_TRUE(Registry(options).find("mock"));
  setenv("TERRAZZO_PLUGIN_TRUST", "system", 1);
  EXPECT_THAT(Registry(options).find("mock").status().message(),
              HasSubstr("so it is not trusted (TERRAZZO_PLUGIN_TRUST=system)"));
  setenv("TERRAZZO_PLUGIN_TRUST", "sytem", 1);
  testing::internal::CaptureStderr();
  EXPECT_TRUE(Registry(options).find("mock"));
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("TERRAZZO_PLUGIN_TRUST is 'sytem'; the only value is "
                        "'system'"));
  unsetenv("TERRAZZO_PLUGIN_TRUST");
}

} // namespace
