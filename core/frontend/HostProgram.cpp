//===- HostProgram.cpp - asking the running program -----------------------===//
//
// What   One question to the program around the compiler, and its answer.
// Why    See HostProgram.h.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/HostProgram.h"

namespace tz::frontend {

static std::string orEmpty(const char *text) { return text ? text : ""; }

static HostName taken(const tz_name &answer) {
  return {answer.kind,          orEmpty(answer.text),
          orEmpty(answer.path), orEmpty(answer.function),
          answer.line,          answer.scope};
}

HostName HostProgram::find(uint64_t scope, const std::string &name) const {
  tz_name answer{};
  answer.struct_size = sizeof(answer);
  names.find(names.ctx, scope, name.c_str(), &answer);
  return taken(answer);
}

HostName HostProgram::call(uint64_t scope, const std::string &arguments) const {
  tz_name answer{};
  answer.struct_size = sizeof(answer);
  if (names.call) {
    names.call(names.ctx, scope, arguments.c_str(), &answer);
  }
  return taken(answer);
}

} // namespace tz::frontend
