//===- HostProgram.h - names that only a running program knows --*- C++ -*-===//
//
// What   HostProgram asks the program around the compiler what a name of a
//        function stands for; a HostName is its answer, a HostRead the question
//        with it.
// Why    A kernel that Python holds as an object reads globals, closures and
//        functions of other modules as they are now, which no file tells. What
//        was asked is all that a compilation depends on beside its text.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_HOSTPROGRAM_H
#define TERRAZZO_CORE_FRONTEND_HOSTPROGRAM_H

#include <terrazzo/terrazzo.h>

#include <cstdint>
#include <optional>
#include <string>

namespace tz::frontend {

struct HostName {
  uint32_t kind = TZ_NAME_UNDEFINED;
  std::string text;       // as tz_name says
  std::string path, name; // of a function or class
  uint32_t line = 0;
  uint64_t scope = 0; // 0: it has none

  bool operator==(const HostName &) const = default;
};

/// Two are equal if they are the same program's and the same scope.
class HostProgram {
public:
  HostProgram() = default;
  HostProgram(const tz_names &names, uint64_t scope, uint32_t line)
      : names(names), root(scope), first(line) {}

  explicit operator bool() const { return names.find; }
  bool operator==(const HostProgram &other) const {
    return names.ctx == other.names.ctx && names.find == other.names.find &&
           root == other.root && first == other.first;
  }
  /// Of the kernel's function.
  uint64_t scope() const { return root; }
  /// Of the kernel's text in its file.
  uint32_t line() const { return first; }

  HostName find(uint64_t scope, const std::string &name) const;
  /// What the function `scope` gives for arguments written as in Python.
  HostName call(uint64_t scope, const std::string &arguments) const;

private:
  tz_names names{};
  uint64_t root = 0;
  uint32_t first = 1;
};

/// A question and its answer.
struct HostRead {
  uint64_t scope = 0;
  bool isCall = false;
  std::string text; // a name, or arguments
  HostName answer;
};

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_HOSTPROGRAM_H
