//===- LeftThreads.h - threads that their caller leaves ---------*- C++ -*-===//
//
// What   Starts a thread for work that may go on after its caller has an
//        answer, and lets a process that ends wait a little for such threads.
// Why    A caller who presses Ctrl-C is answered at once. Code generation
//        cannot be stopped in the middle, and the system takes its time to
//        take down a child process.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_DRIVER_LEFTTHREADS_H
#define TERRAZZO_CORE_DRIVER_LEFTTHREADS_H

#include <functional>
#include <optional>
#include <pthread.h>

namespace tz::driver {

/// Runs `work` on a thread that hears no signals but those of its own faults.
/// Nothing if the system gives no thread: then `work` is not called. The
/// caller joins the thread or leaves it.
std::optional<pthread_t> startThread(std::function<void()> work);

/// Detaches a thread of startThread(). From now on a process that ends waits a
/// second for all such threads. After that it ends all the same, without the
/// rest of its clean-up, which a thread that still runs would not survive.
void leaveThread(pthread_t thread);

/// Runs `work` on such a thread, within the budget of this one, and waits.
/// False: the budget's caller was asked meanwhile, and waits no longer. The
/// thread is left then, with a budget that is spent, so `work` owns all that it
/// touches.
bool runLeavable(std::function<void()> work);

} // namespace tz::driver

#endif
