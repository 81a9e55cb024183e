//===- Hooks.h - is anybody told of launches ------------------------------===//
//
// What   Whether terrazzo.knobs.runtime has launch hooks.
// Why    A launch asks each time. Until somebody adds a function to a chain of
//        hooks, and chains say so, the answer is one flag.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_PYTHON_HOOKS_H
#define TERRAZZO_RUNTIME_PYTHON_HOOKS_H

namespace tz::python {

extern bool everHooked;
bool isLaunchHooked();

inline bool areLaunchesWatched() { return everHooked && isLaunchHooked(); }

} // namespace tz::python

#endif
