//===- FileTest.cpp - files whose names others may have chosen ------------===//
//
// What   Odd files in the place of a file, limits, replacement, private
//        folders.
// Why    Each of them is what somebody with access to a shared folder can make.
//===----------------------------------------------------------------------===//
#include "runtime/file/File.h"

#include "test/unit/runtime/TemporaryFolder.h"

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

using namespace tz::runtime;
using testing::HasSubstr;

namespace {

TEST(File, OnlyRegularFilesAreRead) {
  TemporaryFolder folder;
  const std::string file = folder.write("file", "content");
  EXPECT_EQ(*readRegular(file, 100), "content");
  alarm(20); // opening one of these must not wait
  for (const std::string &odd :
       {folder.path, std::string("/dev/zero"), folder.path + "/pipe",
        folder.path + "/socket"}) {
    if (odd.ends_with("pipe")) {
      ASSERT_EQ(mkfifo(odd.c_str(), 0600), 0);
    } else if (odd.ends_with("socket")) {
      ASSERT_EQ(mknod(odd.c_str(), S_IFSOCK | 0600, 0), 0);
    }
    Status status = readRegular(odd, 100).status();
    EXPECT_EQ(status.code(), TZ_E_FAILED_PRECONDITION) << odd;
    EXPECT_EQ(status.message(), odd + ": not a regular file (a folder, pipe, "
                                      "socket or device)");
  }
  alarm(0);
  EXPECT_EQ(readRegular(folder.path + "/none", 100).status().code(),
            TZ_E_NOT_FOUND);
  EXPECT_EQ(readRegular(file + "/none", 100).status().code(), TZ_E_NOT_FOUND);
}

TEST(File, LimitsHold) {
  TemporaryFolder folder;
  const std::string file = folder.write("file", std::string(1000, 'x'));
  EXPECT_EQ(readRegular(file, 1000)->size(), 1000u);
  EXPECT_EQ(readRegular(file, 999).status().code(), TZ_E_RESOURCE_LIMIT);
  EXPECT_EQ(readRegular(folder.write("empty", ""), 0)->size(), 0u);
  // A file without a size that has content all the same.
  EXPECT_GT(readRegular("/proc/self/status", 1 << 20)->size(), 100u);
  EXPECT_EQ(readRegular("/proc/self/status", 100).status().code(),
            TZ_E_RESOURCE_LIMIT);
  // A hole of terabytes costs nothing.
  ASSERT_EQ(truncate(file.c_str(), off_t(1) << 42), 0);
  EXPECT_EQ(readRegular(file, 1 << 20).status().code(), TZ_E_RESOURCE_LIMIT);
}

TEST(File, ReplacingFollowsNoLinkAndLeavesNothing) {
  TemporaryFolder folder;
  const std::string target = folder.write("target", "mine"),
                    link = folder.path + "/link";
  std::filesystem::create_symlink(target, link);
  EXPECT_TRUE(replaceFile(link, "new").ok());
  EXPECT_EQ(readFile(target), "mine");
  EXPECT_EQ(readFile(link), "new");
  EXPECT_FALSE(std::filesystem::is_symlink(link));
  std::filesystem::create_directory(folder.path + "/folder");
  Status status = replaceFile(folder.path + "/folder", "x");
  EXPECT_EQ(status.message(),
            folder.path + "/folder: cannot be written: Is a directory");
  EXPECT_EQ(replaceFile(folder.path + "/none/file", "x").message(),
            folder.path +
                "/none/file: cannot be written: No such file or directory");
  size_t files = 0;
  for (auto &one : std::filesystem::directory_iterator(folder.path)) {
    files += one.path().string().find(".tmp.") == std::string::npos ? 1 : 100;
  }
  EXPECT_EQ(files, 3u);
}

TEST(File, PathsAreText) {
  EXPECT_EQ(normalPath("/a//b/./c/../d/"), "/a/b/d");
  EXPECT_EQ(normalPath("/../../a"), "/a");
  EXPECT_EQ(normalPath("/a/.."), "/");
  EXPECT_EQ(parentFolder("/a/b"), "/a");
  EXPECT_EQ(parentFolder("/a"), "/");
  EXPECT_EQ(parentFolder("a"), "");
  EXPECT_EQ(absolutePath("/a"), "/a");
  EXPECT_EQ(absolutePath("a"), std::filesystem::current_path().string() + "/a");
}

TEST(File, RandomNamesDiffer) {
  const std::string one = randomName();
  EXPECT_EQ(one.size(), 16u);
  EXPECT_EQ(one.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(one, randomName());
}

TEST(File, TheStateFolderIsPrivate) {
  TemporaryFolder folder;
  setenv("XDG_STATE_HOME", (folder.path + "/state").c_str(), 1);
  const mode_t before = umask(0);
  Result<std::string> made = stateFolder("things");
  ASSERT_TRUE(made) << made.status().message();
  EXPECT_EQ(*made, folder.path + "/state/terrazzo/things");
  struct stat facts{};
  for (const char *name : {"/state", "/state/terrazzo", ""}) {
    const std::string path = *name ? folder.path + name : *made;
    ASSERT_EQ(stat(path.c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 07777, 0700u) << path;
  }
  // Opened up by somebody, or made by another tool.
  chmod(made->c_str(), 0777);
  EXPECT_TRUE(stateFolder("things"));
  ASSERT_EQ(stat(made->c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777, 0700u);
  std::filesystem::create_directory_symlink(*made,
                                            folder.path + "/state/terrazzo/to");
  EXPECT_THAT(stateFolder("to").status().message(),
              HasSubstr("is a link, not a folder"));
  folder.write("state/terrazzo/file", "");
  EXPECT_THAT(stateFolder("file").status().message(),
              HasSubstr("cannot be made: Not a directory"));
  if (geteuid() == 0) {
    ASSERT_EQ(chown(made->c_str(), 65534, 65534), 0);
    EXPECT_THAT(stateFolder("things").status().message(),
                HasSubstr("belongs to another user"));
  }
  umask(before);
  unsetenv("XDG_STATE_HOME");
}

} // namespace
