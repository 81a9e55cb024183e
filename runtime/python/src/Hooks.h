//===- Hooks.h - is anybody told of launches ------------------------------===//
//
// What   Whether terrazzo.knobs.runtime has launch hooks.
// Why    A launch asks each time: without hooks it costs a look into a
//        dictionary.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_PYTHON_HOOKS_H
#define TERRAZZO_RUNTIME_PYTHON_HOOKS_H

namespace tz::python {

bool areLaunchesWatched();

} // namespace tz::python

#endif
