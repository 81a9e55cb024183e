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
#include <regex>
#include <unistd.h>

using namespace tz::runtime;
using testing::HasSubstr;
using testing::Not;
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
          R"("version":"1.0","abi":{"major":0,"built_minor":2},)"
          R"("library":{"compiler":"../lib/mock.so"}}})");
    chmod(user.c_str(), 0777);
    umask(before);
  }
  /// Empty if manifest and library are taken. A refusal is known when plugins
  /// are listed, before anybody asks for the library.
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
    return half ? std::string()
                : "only when opened: " + half.status().message();
  }
};

/// In what a refusal says, TOP stands for the tree's path. Empty: taken.
struct Case {
  std::string what;
  /// Changes the tree; gives the manifest's name, empty: the usual.
  std::function<std::string(Tree &)> change;
  std::string system; // the refusal under TERRAZZO_PLUGIN_TRUST=system
  std::string any;    // the refusal without it
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

/// The text of a refusal by the rule of the system.
std::string untrusted(const std::string &path, const std::string &why) {
  return path + " " + why +
         ", so it is not trusted (TERRAZZO_PLUGIN_TRUST=system)";
}

std::string byOthers(const std::string &path) {
  return untrusted(path, "may be written by others than its owner (chmod go-w "
                         "mends that)");
}

std::string foreign(const std::string &path) {
  return untrusted(path, "is not owned by root but by user " +
                             std::to_string(Stranger));
}

std::string notRegular(const std::string &path) {
  return path + ": not a regular file (a folder, pipe, socket or device)";
}

const std::string NoLibrary =
    ": plugin library does not exist; it is named by ";

std::vector<Case> casesOfLinks() {
  return {
      {"as installed", [](Tree &) { return ""; }, "", ""},
      {"manifest behind a link in a folder of the system",
       [](Tree &t) {
         fs::create_symlink("../plugins.d/mock.json", t.path + "/sys/lib/l");
         return t.path + "/sys/lib/l";
       },
       "", ""},
      {"manifest behind a link of a user",
       [](Tree &t) {
         fs::create_symlink(t.manifest, t.user + "/mock.json");
         return t.user + "/mock.json";
       },
       byOthers("TOP/user/mock.json: the folder TOP/user"),
       "TOP/lib/mock.so" + NoLibrary + "TOP/user/mock.json"},
      {"manifest with a hard link in a folder of a user",
       [](Tree &t) {
         fs::create_hard_link(t.manifest, t.user + "/mock.json");
         return t.user + "/mock.json";
       },
       byOthers("TOP/user/mock.json: the folder TOP/user"),
       "TOP/lib/mock.so" + NoLibrary + "TOP/user/mock.json"},
      {"manifest by way of a user's folder",
       [](Tree &t) { return t.user + "/../sys/plugins.d/mock.json"; },
       byOthers(": the folder TOP/user"), ""},
      {"manifest outside", [](Tree &) { return "/etc/passwd"; },
       untrusted("/etc/passwd", "does not lie below TOP"),
       "/etc/passwd: malformed plugin manifest"},
      {"manifest behind a link that leads outside",
       [](Tree &t) {
         fs::create_symlink("/etc/passwd", t.path + "/sys/l");
         return t.path + "/sys/l";
       },
       untrusted("TOP/sys/l", "leads to /etc/passwd, out of TOP"),
       "TOP/sys/l: malformed plugin manifest"},
      {"manifest above",
       [](Tree &t) {
         return t.path + "/../" + fs::path(t.path).filename().string() +
                "/none";
       },
       "leaves TOP, so it is not trusted", "/none: No such file or directory"},
      {"manifest behind a ring of links",
       [](Tree &t) {
         fs::create_symlink("l", t.path + "/sys/l");
         return t.path + "/sys/l";
       },
       "TOP/sys/l: Too many levels of symbolic links",
       "TOP/sys/l: Too many levels of symbolic links"},
      {"no manifest", [](Tree &t) { return t.path + "/sys/none.json"; },
       "TOP/sys/none.json: No such file or directory",
       "TOP/sys/none.json: No such file or directory"},
      {"a folder as manifest", [](Tree &t) { return t.path + "/sys"; },
       "TOP/sys: Is a directory", notRegular("TOP/sys")},
      {"library behind a link in a folder of the system",
       [](Tree &t) {
         fs::rename(t.library, t.path + "/sys/real.so");
         fs::create_symlink("../real.so", t.library);
         return "";
       },
       "", ""},
      {"library behind a link to a folder of a user",
       [](Tree &t) {
         fs::rename(t.library, t.user + "/mock.so");
         fs::create_symlink(t.user + "/mock.so", t.library);
         return "";
       },
       byOthers("TOP/sys/lib/mock.so: the folder TOP/user"), ""},
      {"folder of the library behind a link to one of a user",
       [](Tree &t) {
         fs::rename(t.path + "/sys/lib", t.user + "/lib");
         fs::create_directory_symlink(t.user + "/lib", t.path + "/sys/lib");
         return "";
       },
       byOthers("TOP/sys/lib/mock.so: the folder TOP/user"), ""},
      {"no library",
       [](Tree &t) {
         fs::remove(t.library);
         return "";
       },
       "TOP/sys/lib/mock.so" + NoLibrary, "TOP/sys/lib/mock.so" + NoLibrary},
  };
}

/// Owners, modes and kinds of a file and of the folders it lies in.
std::vector<Case> casesOf(std::string Tree::*file, const std::string &name) {
  auto folder = [file](Tree &t) {
    return fs::path(t.*file).parent_path().string();
  };
  const std::string path = "TOP/sys/" + name, of = name + ": ",
                    dir = path + ": the folder " +
                          fs::path(path).parent_path().string();
  return {
      {of + "group may write the file",
       [=](Tree &t) { return mode(t, t.*file, 0664); }, byOthers(path), ""},
      {of + "everybody may write the file",
       [=](Tree &t) { return mode(t, t.*file, 0646); }, byOthers(path),
       path + ": everybody may write to this file, so it is not trusted; "
              "remove the permission: chmod o-w"},
      {of + "group may write the folder",
       [=](Tree &t) { return mode(t, folder(t), 0775); }, byOthers(dir), ""},
      {of + "everybody may write the folder",
       [=](Tree &t) { return mode(t, folder(t), 0757); }, byOthers(dir), ""},
      {of + "everybody may write the folder, with the sticky bit",
       [=](Tree &t) { return mode(t, folder(t), 01777); }, byOthers(dir), ""},
      {of + "everybody may write the folder above",
       [=](Tree &t) { return mode(t, t.path + "/sys", 0777); },
       byOthers("the folder TOP/sys"), ""},
      {of + "a pipe", [=](Tree &t) { return odd(t, t.*file, S_IFIFO); },
       notRegular(path), notRegular(path)},
      {of + "a socket", [=](Tree &t) { return odd(t, t.*file, S_IFSOCK); },
       notRegular(path), notRegular(path)},
      {of + "a device", [=](Tree &t) { return odd(t, t.*file, S_IFCHR); },
       notRegular(path), notRegular(path), true},
      {of + "file of somebody else",
       [=](Tree &t) {
         own(t.*file, Stranger);
         return "";
       },
       foreign(path), "", true},
      {of + "folder of somebody else",
       [=](Tree &t) {
         own(folder(t), Stranger);
         return "";
       },
       foreign(dir), "", true},
  };
}

std::vector<Case> cases() {
  std::vector<Case> all = casesOfLinks();
  for (std::vector<Case> more :
       {casesOf(&Tree::manifest, "plugins.d/mock.json"),
        casesOf(&Tree::library, "lib/mock.so")}) {
    all.insert(all.end(), more.begin(), more.end());
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
      SCOPED_TRACE(one.what + (systemOnly ? ", system" : ""));
      Tree tree;
      std::string name = one.change(tree);
      alarm(20); // no answer is the worst one
      const std::string said =
          tree.open(name.empty() ? tree.manifest : name, systemOnly, geteuid());
      alarm(0);
      const std::string expected = std::regex_replace(
          systemOnly ? one.system : one.any, std::regex("TOP"), tree.path);
      EXPECT_THAT(said, HasSubstr(expected));
      EXPECT_EQ(said.empty(), expected.empty()) << said;
      EXPECT_THAT(said, Not(HasSubstr("only when opened")));
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
