//===- Wrecker.h - the plugin that ends badly, for tests --------*- C++ -*-===//
//
// What   A registry's options with WreckerPlugin.cpp alone, and a job that
//        tells it how to end.
// Why    Tests of the compile worker and of interrupts ask for the same.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_TEST_UNIT_DRIVER_WRECKER_H
#define TERRAZZO_TEST_UNIT_DRIVER_WRECKER_H

#include "core/driver/vendor/VendorCompiler.h"

namespace tz::wrecker {

inline runtime::RegistryOptions options() {
  runtime::RegistryOptions made;
  made.manifestFiles = {TZ_TEST_WRECKER};
  made.defaultFolders = {"/dev/null"};
  return made;
}

inline runtime::CompileJob job(const char *how) {
  runtime::CompileJob made;
  made.plugin = "wrecker";
  made.target = "wrecker:any";
  runtime::KeyValue option;
  option.key = "wreck";
  option.kind = TZ_KV_STR;
  option.str = how;
  made.options.push_back(std::move(option));
  return made;
}

} // namespace tz::wrecker

#endif
