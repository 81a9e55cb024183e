//===- Profiles.h - profiles of this process ------------------------------===//
//
// What   terrazzo.h's profiles and scopes as a class and functions of Python.
// Why    What they mean to programs is said in Python, in terrazzo.profiler.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PYTHON_PROFILE_PROFILES_H
#define TERRAZZO_PYTHON_PROFILE_PROFILES_H

#include <nanobind/nanobind.h>

namespace tz::python {

void addProfiles(nanobind::module_ &module);

} // namespace tz::python

#endif
