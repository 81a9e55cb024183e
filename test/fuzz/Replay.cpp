//===- Replay.cpp - a fuzz target in the normal test run ------------------===//
//
// What   Runs the target over each file of its corpus and over deterministic
//        mutations of it: bits, bytes, cuts, repeated and spliced pieces.
// Why    What the fuzzer found once must stay fixed on every run, and a target
//        that no longer compiles or always rejects is noticed.
//===----------------------------------------------------------------------===//
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

namespace {

void feed(const std::string &bytes) {
  // A copy of the exact size, so that reading beyond it is seen by ASan.
  std::vector<uint8_t> exact(bytes.begin(), bytes.end());
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

std::vector<std::string> corpus() {
  std::vector<std::filesystem::path> files;
  for (const auto &entry :
       std::filesystem::recursive_directory_iterator(TZ_FUZZ_CORPUS)) {
    if (entry.is_regular_file()) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> texts;
  for (const auto &path : files) {
    std::ifstream file(path, std::ios::binary);
    texts.emplace_back((std::istreambuf_iterator<char>(file)),
                       std::istreambuf_iterator<char>());
  }
  return texts;
}

std::string mutate(std::string text, const std::vector<std::string> &all,
                   std::mt19937 &random) {
  int edits = 1 + int(random() % 4);
  for (int i = 0; i < edits && !text.empty(); ++i) {
    size_t at = random() % text.size();
    switch (random() % 6) {
    case 0:
      text[at] = char(text[at] ^ (1 << random() % 8));
      break;
    case 1:
      text[at] = char(random());
      break;
    case 2:
      text.resize(at);
      break;
    case 3:
      text.erase(at, 1 + random() % 16);
      break;
    case 4:
      text.insert(at, text.substr(random() % text.size(), random() % 64));
      break;
    default: {
      const std::string &other = all[random() % all.size()];
      text = text.substr(0, at) +
             other.substr(std::min(other.size(), size_t(random() % 200)));
    }
    }
  }
  return text;
}

TEST(Replay, CorpusAndMutations) {
  std::vector<std::string> all = corpus();
  ASSERT_FALSE(all.empty()) << TZ_FUZZ_CORPUS << " has no files";
  feed("");
  for (const std::string &text : all) {
    feed(text);
  }
  std::mt19937 random(2026);
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(3);
  for (int i = 0; i < 5000 && std::chrono::steady_clock::now() < end; ++i) {
    feed(mutate(all[random() % all.size()], all, random));
  }
}

} // namespace
