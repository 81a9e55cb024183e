//===- Fork.h - is this a child that must not go on -----------------------===//
//
// What   A flag that is set in the child of a fork when the parent had made a
//        session.
// Why    The child has the parent's locks as they were, none of its threads,
//        and devices that drivers refuse to share: it would hang or answer
//        wrongly at some later place. A flag costs a load where asking for the
//        process's id would be a call of the system.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_SESSION_FORK_H
#define TERRAZZO_RUNTIME_SESSION_FORK_H

#include "runtime/loader/Status.h"

#include <atomic>

namespace tz::runtime {

/// Set by the child's handler of watchForks(), never cleared.
extern std::atomic<bool> forkedWithSession;

/// Called for each session that is made; all forks after the first matter.
void watchForks();

/// What every function of the API answers in such a child.
Status forkedStatus();

} // namespace tz::runtime

#endif
