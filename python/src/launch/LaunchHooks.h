//===- LaunchHooks.h - is anybody told of launches and compilations -------===//
//
// What   Whether terrazzo.knobs.runtime has hooks of launches, or of
//        compilations.
// Why    A launch asks each time. Until somebody sets such a hook, and the
//        settings say so, the answer is one flag.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PYTHON_LAUNCH_LAUNCHHOOKS_H
#define TERRAZZO_PYTHON_LAUNCH_LAUNCHHOOKS_H

namespace tz::python {

/// Was there ever a hook? The rest is asked only then.
extern bool everHooked;
bool isLaunchHooked();
bool isCompilationHooked();

} // namespace tz::python

#endif
