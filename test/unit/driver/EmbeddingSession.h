//===- EmbeddingSession.h - sessions of terrazzo.hpp, for tests -*- C++ -*-===//
//
// What   Options of a session that knows the tree's plugins, hears no
//        environment, has no cache and prints nothing; what a call throws.
// Why    Tests of the C++ API need both. CompilingSession.h is for the C API.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_TEST_UNIT_DRIVER_EMBEDDINGSESSION_H
#define TERRAZZO_TEST_UNIT_DRIVER_EMBEDDINGSESSION_H

#include <terrazzo/terrazzo.hpp>

#include <gtest/gtest.h>

inline tz_session_options embeddingOptions(uint32_t flags = 0) {
  static const char *const plugins[] = {TZ_TEST_PLUGIN_FOLDER};
  tz_session_options made{};
  made.struct_size = sizeof(made);
  made.flags = TZ_SESSION_IGNORE_ENVIRONMENT | flags;
  made.cache_folder = "";
  made.plugin_folders = plugins;
  made.num_plugin_folders = 1;
  made.on_diagnostic = [](void *, uint32_t, const char *) {};
  return made;
}

/// The message of the error that a call throws.
template <typename Call>
std::string refusal(Call &&call, int32_t code = TZ_E_INVALID_ARGUMENT) {
  try {
    call();
  } catch (const tz::Error &e) {
    EXPECT_EQ(e.code(), code) << e.what();
    return e.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return "";
}

#endif
