//===- JitDump.h - Writes loaded code for perf ----------------------------===//
//
// What   Appends an object's functions, their lines and their code to a jitdump
//        file if TERRAZZO_PERF_JITDUMP is set: a folder, or 1 for this one.
// Why    perf sees addresses only; `perf inject --jit` makes files of this that
//        its reports find names and lines in.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_DEVICE_JITDUMP_H
#define TERRAZZO_PLUGINS_CPU_DEVICE_JITDUMP_H

namespace tz::cpu {

class ElfObject;

/// [thread: one at a time]
void writeJitDump(const ElfObject &object);

} // namespace tz::cpu

#endif
