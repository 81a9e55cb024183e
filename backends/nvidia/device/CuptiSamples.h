//===- CuptiSamples.h - which instructions kernels were found at ----------===//
//
// What   The table x.terrazzo.sampler/0 over CUPTI's PC sampling: continuous,
// so
//        that kernels run as ever, with what their warps waited for.
// Why    Lines of a kernel show what they cost without changing it.
//
// Samples of a range are read when it has been stopped, so a read stops and
// starts again. Lines come from the machine code's own table: its images are
// kept from when they are loaded.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_BACKENDS_NVIDIA_DEVICE_CUPTISAMPLES_H
#define TERRAZZO_BACKENDS_NVIDIA_DEVICE_CUPTISAMPLES_H

#include "backends/nvidia/device/CuptiSamplingTypes.h"

#include <terrazzo/sampler.h>

#include <string>

namespace tz::nvidia {

/// Machine code that was loaded; kept if it has a table of lines.
void keepLines(const std::string &image);
/// The device has its context now, and is sampled if others are. Throws
/// nothing: a read says what went wrong.
void sampleContextOf(tz_device &device);
/// Before the device's context goes.
void endSamplesOf(tz_device &device);

/// The table that get_interface(TZ_SAMPLER_INTERFACE) answers.
const tz_sampler_api &samplerApi();

} // namespace tz::nvidia

#endif
