//===- KernelSamples.h - Which instructions kernels were found at ---------===//
//
// What   The table x.terrazzo.sampler/0: a timer of the process's processor
// time
//        interrupts whatever thread runs, and its instruction is kept; those in
//        kernels are told, with their lines.
// Why    The time of a line is known without changing the kernel.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_DEVICE_KERNELSAMPLES_H
#define TERRAZZO_PLUGINS_CPU_DEVICE_KERNELSAMPLES_H

#include <terrazzo/sampler.h>

struct tz_module;

namespace tz::cpu {

/// Samples in this code are the module's, from load to unload.
void beginSamplesOf(tz_module &module);
void endSamplesOf(tz_module &module);

/// The table that get_interface(TZ_SAMPLER_INTERFACE) answers.
const tz_sampler_api &samplerApi();

} // namespace tz::cpu

#endif
