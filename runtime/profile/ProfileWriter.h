//===- ProfileWriter.h - a phase of a profile as text ---------------------===//
//
// What   Trees as hatchet's JSON or the same as MessagePack; traces as the JSON
//        of Chrome's and Perfetto's viewers.
// Why    Other people's viewers open them.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_PROFILE_PROFILEWRITER_H
#define TERRAZZO_RUNTIME_PROFILE_PROFILEWRITER_H

#include "runtime/profile/Profile.h"

namespace tz::runtime {

/// What a tree's root says of the file; viewers of other versions refuse it.
constexpr int ProfileFormatVersion = 1;

// TZ_E_UNAVAILABLE: the sink takes no more.
Status refusedBySink();
Status writeTree(const Profile &profile, const ProfilePhase &phase,
                 bool isPacked, const TextSink &sink);
Status writeTrace(const Profile &profile, const ProfilePhase &phase,
                  const TextSink &sink);
/// Kernels alone, or, if there are any, parts of kernels alone, in the order of
/// their begin. Processes and rows have texts for names, as in traces of
/// Triton's profiler.
Status writeKernelTrace(const Profile &profile, const ProfilePhase &phase,
                        const TextSink &sink);

/// A file that is whole or not there: a new one beside it, renamed at the end.
Status writeProfileFile(const std::string &path,
                        const std::function<Status(const TextSink &)> &write);

} // namespace tz::runtime

#endif
