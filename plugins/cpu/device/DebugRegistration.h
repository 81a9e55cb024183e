//===- DebugRegistration.h - Tells gdb and perf about loaded code ---------===//
//
// What   Registers an object with the JIT interface of debuggers, and writes a
//        jitdump file for perf if that is asked for (JitDump.h).
// Why    Without it a kernel is an unknown address in a stack and in a profile.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_DEVICE_DEBUGREGISTRATION_H
#define TERRAZZO_PLUGINS_CPU_DEVICE_DEBUGREGISTRATION_H

#include "terrazzo/plugin.h"

namespace tz::cpu {

class ElfObject;

/// `host`, which may be null, hears what goes wrong.
/// The object's debug image must stay alive until it is unregistered.
/// [thread: any]
void *registerForDebuggers(const ElfObject &object, const tz_host *host);
void unregisterForDebuggers(void *registration);

} // namespace tz::cpu

#endif
