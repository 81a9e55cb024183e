//===- TemporaryFolder.h - a folder that goes away with the test ----------===//
//
// What   A fresh folder and the two file operations that tests need.
// Why    Loader and cache are about files.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_TEST_UNIT_RUNTIME_TEMPORARYFOLDER_H
#define TERRAZZO_TEST_UNIT_RUNTIME_TEMPORARYFOLDER_H

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

struct TemporaryFolder {
  std::string path;

  TemporaryFolder() {
    std::string text = testing::TempDir() + "tz-XXXXXX";
    path = mkdtemp(text.data());
  }
  ~TemporaryFolder() {
    std::error_code error;
    std::filesystem::remove_all(path, error);
  }
  std::string write(const std::string &name, const std::string &text) const {
    std::string file = path + "/" + name;
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }
};

inline std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

#endif
