//===- CacheTest.cpp - the compile cache under bad conditions -------------===//
//
// What   Hits, damage, read-only and full folders, eviction, many processes.
// Why    A cache that is wrong is worse than none, and one that cannot be
//        written must not stop anybody.
//===----------------------------------------------------------------------===//
#include "runtime/cache/Cache.h"

#include "test/unit/runtime/TemporaryFolder.h"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>

using namespace tz::runtime;
using testing::HasSubstr;

namespace {

class CacheFolder : public testing::Test {
protected:
  Cache make(uint64_t limit = 1 << 20) {
    CacheOptions options;
    options.folder = folder.path + "/cache";
    options.maxBytes = limit;
    options.warn = [this](const std::string &w) { warnings.push_back(w); };
    return Cache(std::move(options));
  }
  std::vector<std::filesystem::path> files() {
    std::vector<std::filesystem::path> list;
    for (auto &e : std::filesystem::recursive_directory_iterator(folder.path)) {
      if (e.is_regular_file()) {
        list.push_back(e.path());
      }
    }
    return list;
  }
  TemporaryFolder folder;
  std::vector<std::string> warnings;
};

TEST(Sha256, KnownAnswers) {
  EXPECT_EQ(toHex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934"
                               "ca495991b7852b855");
  EXPECT_EQ(toHex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a39617"
                                  "7a9cb410ff61f20015ad");
  std::string million(1000000, 'a');
  const char *expected =
      "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";
  EXPECT_EQ(toHex(sha256(million)), expected);
  // In pieces of every length around a block.
  for (size_t piece : {1, 55, 56, 63, 64, 65, 127}) {
    Sha256Hasher hasher;
    hasher.update({}); // nothing, at a null pointer
    for (size_t at = 0; at < million.size(); at += piece) {
      hasher.update(std::string_view(million).substr(at, piece));
    }
    EXPECT_EQ(toHex(hasher.finish()), expected) << piece;
  }
}

TEST_F(CacheFolder, KeepsWhatIsPut) {
  {
    Cache cache = make();
    EXPECT_FALSE(cache.get("a"));
    EXPECT_TRUE(cache.put("a", "content"));
    EXPECT_TRUE(cache.put("b", ""));
  }
  Cache again = make();
  EXPECT_EQ(again.get("a"), "content");
  EXPECT_EQ(again.get("b"), "");
  EXPECT_TRUE(again.put("a", "newer"));
  EXPECT_EQ(again.get("a"), "newer");
  again.remove("a");
  EXPECT_FALSE(again.get("a"));
  EXPECT_EQ(again.clear().entries, 1u);
  EXPECT_EQ(again.statistics().entries, 0u);
  EXPECT_TRUE(warnings.empty());
}

TEST_F(CacheFolder, AnyDamageIsAMissAndIsRemoved) {
  std::string content(200, 'x');
  for (int damage = 0; damage < 40; ++damage) {
    Cache cache = make();
    ASSERT_TRUE(cache.put("key", content));
    std::filesystem::path file = files().at(0);
    std::string bytes = readFile(file);
    if (damage % 2) {
      bytes.resize(bytes.size() * size_t(damage) / 41);
    } else {
      bytes[bytes.size() * size_t(damage) / 40] ^= 1;
    }
    std::ofstream(file, std::ios::binary) << bytes;
    EXPECT_FALSE(cache.get("key")) << damage;
    EXPECT_EQ(cache.statistics().damaged, 1u);
    EXPECT_TRUE(files().empty());
    EXPECT_TRUE(cache.put("key", content));
    EXPECT_EQ(cache.get("key"), content) << "compiled again and kept";
  }
}

TEST_F(CacheFolder, AnEntryOfAnotherKeyIsNotTrusted) {
  Cache cache = make();
  ASSERT_TRUE(cache.put("one", "1"));
  std::filesystem::path one = files().at(0);
  ASSERT_TRUE(cache.put("two", "2"));
  for (const auto &file : files()) {
    if (file != one) {
      std::filesystem::copy_file(
          one, file, std::filesystem::copy_options::overwrite_existing);
    }
  }
  EXPECT_FALSE(cache.get("two"));
  EXPECT_EQ(cache.get("one"), "1");
}

TEST_F(CacheFolder, AFolderThatCannotBeWarnsOnce) {
  // A file where a folder must be: nobody can write there, root included.
  folder.write("cache", "in the way");
  Cache cache = make();
  EXPECT_FALSE(cache.put("a", "b"));
  EXPECT_FALSE(cache.put("c", "d"));
  EXPECT_FALSE(cache.get("a"));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], HasSubstr("cannot be written"));
  EXPECT_THAT(warnings[0], HasSubstr("TERRAZZO_CACHE_DIR"));
}

/// Runs `body` in a child, so that limits and user ids stay there.
int inChild(const std::function<int()> &body) {
  pid_t child = fork();
  if (child == 0) {
    _exit(body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(CacheFolder, AReadOnlyFolderStillServes) {
  {
    EXPECT_TRUE(make().put("a", "b"));
  }
  chmod(folder.path.c_str(), 0755);
  for (const char *name : {"", "/cache"}) {
    chmod((folder.path + name).c_str(), 0555);
  }
  for (auto &e : std::filesystem::recursive_directory_iterator(folder.path)) {
    chmod(e.path().c_str(), e.is_directory() ? 0555 : 0444);
  }
  int result = inChild([&] {
    // Root writes anywhere; nobody does not. An entry of root may be read.
    if (geteuid() == 0 && setuid(65534) != 0) {
      return 99;
    }
    Cache cache = make();
    bool served = cache.get("a") == "b";
    bool refused = !cache.put("c", "d") && warnings.size() == 1;
    return served && refused ? 0 : 1;
  });
  for (auto &e : std::filesystem::recursive_directory_iterator(folder.path)) {
    chmod(e.path().c_str(), 0755);
  }
  chmod((folder.path + "/cache").c_str(), 0755);
  chmod(folder.path.c_str(), 0755);
  EXPECT_EQ(result, 0);
}

TEST_F(CacheFolder, AFullDiskLeavesNothingHalfWritten) {
  int result = inChild([&] {
    // As a full disk: writing fails in the middle of the entry.
    signal(SIGXFSZ, SIG_IGN);
    rlimit limit{4096, 4096};
    setrlimit(RLIMIT_FSIZE, &limit);
    Cache cache = make();
    bool refused = !cache.put("a", std::string(100000, 'x'));
    return refused && warnings.size() == 1 && files().empty() ? 0 : 1;
  });
  EXPECT_EQ(result, 0);
}

TEST_F(CacheFolder, TheLongestUnusedGoFirst) {
  Cache cache = make(10000);
  for (int i = 0; i < 8; ++i) {
    ASSERT_TRUE(cache.put(std::to_string(i), std::string(1000, 'x')));
    std::this_thread::sleep_for(std::chrono::milliseconds(12));
  }
  EXPECT_TRUE(cache.get("0")); // used again: now the newest
  std::this_thread::sleep_for(std::chrono::milliseconds(12));
  for (int i = 8; i < 12; ++i) {
    ASSERT_TRUE(cache.put(std::to_string(i), std::string(1000, 'x')));
  }
  EXPECT_TRUE(cache.get("0"));
  EXPECT_FALSE(cache.get("1"));
  EXPECT_TRUE(cache.get("11"));
  EXPECT_LE(cache.statistics().bytes, 10000u);
  EXPECT_GT(cache.statistics().evicted, 0u);
}

TEST_F(CacheFolder, ListsWhatWasUsedLastFirst) {
  Cache cache = make();
  ASSERT_TRUE(cache.put("a", "one", "first"));
  std::this_thread::sleep_for(std::chrono::milliseconds(12));
  ASSERT_TRUE(cache.put("b", "three", std::string(300, 'l')));
  std::this_thread::sleep_for(std::chrono::milliseconds(12));
  EXPECT_EQ(cache.get("a"), "one");
  EXPECT_EQ(cache.get("b"), "three") << "a long label is cut, not the content";
  std::this_thread::sleep_for(std::chrono::milliseconds(12));
  EXPECT_EQ(cache.get("a"), "one");
  std::vector<Cache::Line> lines = cache.list().lines;
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].label, "first");
  EXPECT_EQ(lines[0].name, toHex(sha256("a")));
  EXPECT_EQ(lines[1].label, std::string(255, 'l'));
  EXPECT_GT(lines[1].bytes, 255u + 5u);
  auto age = std::chrono::system_clock::now() - lines[0].used;
  EXPECT_LT(std::chrono::abs(age), std::chrono::minutes(1));
  std::ofstream(files().at(0), std::ios::binary) << "not an entry";
  lines = cache.list().lines;
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_TRUE(lines[0].label == "damaged" || lines[1].label == "damaged");
}

TEST_F(CacheFolder, PruneTakesTheOldAndWhatIsTooMuch) {
  using std::chrono::seconds;
  Cache cache = make();
  for (const char *key : {"a", "b", "c", "d"}) {
    ASSERT_TRUE(cache.put(key, std::string(1000, 'x'), key));
  }
  auto age = [&](const std::string &label, int days, const char *suffix = "") {
    for (const Cache::Line &line : cache.list().lines) {
      if (line.label == label) {
        std::string path = folder.path + "/cache/" + line.name.substr(0, 2) +
                           "/" + line.name.substr(2);
        if (*suffix) {
          std::filesystem::copy_file(path, path + suffix);
        }
        auto then = std::filesystem::file_time_type::clock::now() -
                    std::chrono::hours(24 * days);
        std::filesystem::last_write_time(path + suffix, then);
      }
    }
  };
  age("a", 40);
  age("b", 20);
  age("c", 10);
  age("d", 1, ".tmp.1.2"); // of a writer that died
  Cache::Removed removed = cache.prune(1 << 20, seconds(30 * 86400));
  EXPECT_EQ(removed.entries, 1u);
  EXPECT_GT(removed.bytes, 2000u) << "the entry and the left-over file";
  EXPECT_FALSE(cache.get("a"));
  removed = cache.prune(2500);
  EXPECT_EQ(removed.entries, 1u);
  EXPECT_FALSE(cache.get("b"));
  EXPECT_TRUE(cache.get("c"));
  EXPECT_EQ(files().size(), 2u);
}

TEST_F(CacheFolder, OtherFilesInTheFolderAreLeftAlone) {
  Cache cache = make(3000);
  ASSERT_TRUE(cache.put("a", "b"));
  std::filesystem::create_directories(folder.path + "/cache/ab");
  folder.write("cache/ab/notes.txt", std::string(5000, 'x'));
  folder.write("cache/readme", "mine");
  for (int i = 0; i < 8; ++i) {
    cache.put(std::to_string(i), std::string(1000, 'x'));
  }
  cache.clear();
  EXPECT_EQ(readFile(folder.path + "/cache/ab/notes.txt").size(), 5000u);
  EXPECT_EQ(readFile(folder.path + "/cache/readme"), "mine");
}

/// Where the entry of a key lies.
std::string pathOf(const std::string &folder, const char *key) {
  const std::string hex = toHex(sha256(key));
  return folder + "/cache/" + hex.substr(0, 2) + "/" + hex.substr(2);
}

TEST_F(CacheFolder, APipeInAnEntrysPlaceIsAMiss) {
  Cache cache = make();
  ASSERT_TRUE(cache.put("a", "b"));
  const std::string path = pathOf(folder.path, "a");
  for (int kind : {S_IFIFO, S_IFSOCK, S_IFDIR}) {
    std::filesystem::remove(path);
    ASSERT_EQ(kind == S_IFDIR ? mkdir(path.c_str(), 0700)
                              : mknod(path.c_str(), mode_t(kind) | 0600, 0),
              0);
    alarm(20); // a reader that waits would wait for ever
    EXPECT_FALSE(cache.get("a"));
    EXPECT_TRUE(cache.list().lines.empty());
    EXPECT_EQ(cache.statistics().bytes, 0u) << "not the size of no file";
    EXPECT_EQ(cache.clear().entries, 0u);
    alarm(0);
    EXPECT_TRUE(std::filesystem::exists(path)) << "it is not ours";
    EXPECT_EQ(cache.put("a", "b"), kind != S_IFDIR);
    EXPECT_EQ(cache.get("a").has_value(), kind != S_IFDIR);
  }
}

TEST_F(CacheFolder, NothingBehindALinkIsTouched) {
  Cache cache = make();
  ASSERT_TRUE(cache.put("a", "b"));
  const std::filesystem::path entry = pathOf(folder.path, "a"),
                              sub = entry.parent_path(),
                              elsewhere = folder.path + "/elsewhere";
  // Somebody puts a link in the place of a subfolder, and one of an entry.
  std::filesystem::rename(sub, elsewhere);
  std::filesystem::create_directory_symlink(elsewhere, sub);
  EXPECT_FALSE(cache.get("a"));
  EXPECT_FALSE(cache.put("a", "c"));
  cache.remove("a");
  EXPECT_EQ(cache.clear().entries, 0u);
  EXPECT_EQ(cache.prune(0).entries, 0u);
  EXPECT_TRUE(std::filesystem::exists(elsewhere / entry.filename()));
  std::filesystem::remove(sub);
  std::filesystem::create_directory(sub);
  std::filesystem::create_symlink(elsewhere / entry.filename(), entry);
  EXPECT_FALSE(cache.get("a"));
  EXPECT_EQ(cache.clear().entries, 0u);
  EXPECT_TRUE(cache.put("a", "c")) << "replaces the link";
  EXPECT_EQ(cache.get("a"), "c");
  EXPECT_EQ(readFile(elsewhere / entry.filename()).back(), 'b');
}

TEST_F(CacheFolder, EntriesThatOthersMayWriteAreNotUsed) {
  Cache cache = make();
  ASSERT_TRUE(cache.put("a", "b"));
  chmod(pathOf(folder.path, "a").c_str(), 0660);
  EXPECT_FALSE(cache.get("a"));
  EXPECT_THAT(warnings, testing::ElementsAre(HasSubstr("others may write")));
  EXPECT_TRUE(cache.put("a", "b"));
  EXPECT_EQ(cache.get("a"), "b");
}

TEST_F(CacheFolder, AFolderThatCannotBeReadIsSaid) {
  EXPECT_TRUE(make().clear().problem.ok()) << "not there yet: empty";
  ASSERT_TRUE(make().put("a", "b"));
  const std::string sub =
      std::filesystem::path(pathOf(folder.path, "a")).parent_path();
  chmod(folder.path.c_str(), 0755);
  int result = inChild([&] {
    if (geteuid() == 0 && setuid(65534) != 0) {
      return 99; // root reads everything
    }
    // Not root's folder and not readable, or ours and closed.
    chmod(sub.c_str(), 0);
    Cache cache = make();
    auto says = [&](const Status &s) {
      return s.code() == TZ_E_UNAVAILABLE &&
             s.message().find("cannot be read: Permission denied") !=
                 std::string::npos;
    };
    return says(cache.clear().problem) && says(cache.list().problem) &&
                   says(cache.prune(0).problem) &&
                   says(cache.statistics().problem)
               ? 0
               : 1;
  });
  chmod(sub.c_str(), 0755);
  EXPECT_EQ(result, 0);
  EXPECT_EQ(make().get("a"), "b");
  folder.write("file", "");
  CacheOptions options;
  options.folder = folder.path + "/file";
  EXPECT_THAT(Cache(options).list().problem.message(),
              HasSubstr("Not a directory"));
}

TEST_F(CacheFolder, AnEntryThatStaysIsSaid) {
  ASSERT_TRUE(make().put("a", "b"));
  const std::string path = pathOf(folder.path, "a");
  const std::string sub = std::filesystem::path(path).parent_path();
  chmod(folder.path.c_str(), 0755);
  chmod((folder.path + "/cache").c_str(), 0755);
  chmod(sub.c_str(), 0555);
  int result = inChild([&] {
    if (geteuid() == 0 && setuid(65534) != 0) {
      return 99;
    }
    Cache::Removed removed = make().clear();
    return removed.entries == 0 && removed.problem.message() ==
                                       path + ": cannot be removed: Permission "
                                              "denied"
               ? 0
               : 1;
  });
  chmod(sub.c_str(), 0755);
  EXPECT_EQ(result, 0);
}

/// Writers with equal process ids, as in containers that share a folder.
TEST_F(CacheFolder, EqualProcessIdsDoNotCollide) {
  // What a writer in another container has open now, under the old names.
  const std::string path = pathOf(folder.path, "a");
  std::filesystem::create_directories(
      std::filesystem::path(path).parent_path());
  for (int count = 0; count < 4; ++count) {
    std::ofstream(path + ".tmp." + std::to_string(getpid()) + "." +
                  std::to_string(count))
        << "half";
  }
  Cache cache = make();
  EXPECT_TRUE(cache.put("a", "b"));
  EXPECT_TRUE(warnings.empty());
  EXPECT_EQ(cache.get("a"), "b");
}

/// Processes write, read and evict the same few keys: what is read is always
/// one of the values that were written, whole.
TEST_F(CacheFolder, ProcessesRaceAndReadWholeEntries) {
  std::vector<pid_t> children;
  for (int p = 0; p < 4; ++p) {
    pid_t child = fork();
    if (child == 0) {
      Cache cache = make(20000);
      int wrong = 0;
      for (int i = 0; i < 300; ++i) {
        std::string key = "key" + std::to_string(i % 5);
        std::string value(size_t(2000 + p * 100), char('a' + i % 5));
        if (i % 2) {
          cache.put(key, value);
        } else if (auto got = cache.get(key)) {
          wrong +=
              got->size() < 2000 ||
              got->find_first_not_of(char('a' + i % 5)) != std::string::npos;
        }
      }
      _exit(wrong + int(cache.statistics().damaged));
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
}

TEST(CacheFolderChoice, FollowsTheEnvironment) {
  std::string oldHome = getenv("HOME") ? getenv("HOME") : "";
  setenv("HOME", "/home/x", 1);
  unsetenv("XDG_CACHE_HOME");
  unsetenv("TERRAZZO_CACHE_DIR");
  EXPECT_EQ(Cache::defaultFolder(), "/home/x/.cache/terrazzo");
  setenv("XDG_CACHE_HOME", "/xdg", 1);
  EXPECT_EQ(Cache::defaultFolder(), "/xdg/terrazzo");
  setenv("TERRAZZO_CACHE_DIR", "/mine", 1);
  EXPECT_EQ(Cache::defaultFolder(), "/mine");
  setenv("TERRAZZO_CACHE_DIR", "off", 1);
  EXPECT_EQ(Cache::defaultFolder(), "");
  unsetenv("TERRAZZO_CACHE_DIR");
  unsetenv("XDG_CACHE_HOME");
  setenv("HOME", oldHome.c_str(), 1);
}

} // namespace
