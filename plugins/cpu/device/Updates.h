//===- Updates.h - Which launches have atomics at the same time -----------===//
//
// What   Counts the threads and launches that run code with atomics, and lets
//        one thread have them for itself.
// Why    A locked instruction costs as much as twenty others. Where one thread
//        runs all programs of a launch and no other launch has atomics, plain
//        instructions do the same. That is so for all pools of the process:
//        their launches may share arrays.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_DEVICE_UPDATES_H
#define TERRAZZO_PLUGINS_CPU_DEVICE_UPDATES_H

namespace tz::cpu {

class LaunchControl;

/// [thread: any]
class Updates {
public:
  /// False: others have atomics, or will not be kept waiting. Ended soon: they
  /// wait.
  static bool tryAlone();
  static void endAlone();
  /// Waits while one is alone; false: the launch is to end. `control` may be
  /// null. A thread may enter several times.
  static bool enter(LaunchControl *control);
  static void leave();
};

} // namespace tz::cpu

#endif
