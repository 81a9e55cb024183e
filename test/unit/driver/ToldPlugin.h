//===- ToldPlugin.h - a compiler half that does as it is told ---*- C++ -*-===//
//
// What   A built-in plugin "told" that counts its compilations, answers the
//        places of asserts and a remark at each, and fails as its option
//        "fail" says.
// Why    What a vendor says, and how it fails, decides what the cache may keep.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_TEST_UNIT_DRIVER_TOLDPLUGIN_H
#define TERRAZZO_TEST_UNIT_DRIVER_TOLDPLUGIN_H

#include "runtime/loader/Registry.h"

#include <atomic>

namespace tz::test {

tz::runtime::BuiltinPlugin toldPlugin();
/// The same with TZ_PLUGIN_SERIAL_COMPILER.
tz::runtime::BuiltinPlugin toldSerialPlugin();
/// Compilations since the process began; the most that ran at once.
extern std::atomic<unsigned> toldCompilations, toldAtOnce;

/// Options of a job: "fail" = a TZ_E_ code; "silent" = without a diagnostic;
/// "transient" = the error says that it may pass; "elsewhere" = remarks name a
/// file that no op is from; "meet" = milliseconds that it waits for another
/// compilation to be there.

} // namespace tz::test

#endif
