//===- JitDump.h - Writes loaded code for perf ----------------------------===//
//
// What   Appends an object's functions, their lines and their code to a jitdump
//        file if TERRAZZO_PERF_JITDUMP is set: a folder, or 1 for this one.
// Why    perf sees addresses only; `perf inject --jit` makes files of this that
//        its reports find names and lines in.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_DEVICE_JITDUMP_H
#define TERRAZZO_PLUGINS_CPU_DEVICE_JITDUMP_H

#include "terrazzo/plugin.h"

namespace tz::cpu {

class ElfObject;

/// A file that cannot be written is told to the host (null: to nobody), once.
/// [thread: one at a time]
void writeJitDump(const ElfObject &object, const tz_host *host);

} // namespace tz::cpu

#endif
