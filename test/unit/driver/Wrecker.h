//===- Wrecker.h - the plugin that ends badly, for tests --------*- C++ -*-===//
//
// What   A registry's options with WreckerPlugin.cpp alone, and a job that
//        tells it how to end.
// Why    Tests of the compile worker and of interrupts ask for the same.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_TEST_UNIT_DRIVER_WRECKER_H
#define TERRAZZO_TEST_UNIT_DRIVER_WRECKER_H

#include "core/driver/vendor/VendorCompiler.h"

namespace wrecker {

inline tz::runtime::RegistryOptions options() {
  tz::runtime::RegistryOptions made;
  made.manifestFiles = {TZ_TEST_WRECKER};
  made.defaultFolders = {"/dev/null"};
  return made;
}

inline tz::runtime::CompileJob job(const char *how) {
  tz::runtime::CompileJob made;
  made.plugin = "wrecker";
  made.target = "wrecker:any";
  tz::runtime::KeyValue option;
  option.key = "wreck";
  option.kind = TZ_KV_STR;
  option.str = how;
  made.options.push_back(std::move(option));
  return made;
}

} // namespace wrecker

#endif
