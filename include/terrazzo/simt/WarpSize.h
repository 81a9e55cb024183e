//===- WarpSize.h - a launch option that chooses the lanes of a warp ------===//
//
// What   The option `warp_size` of a target whose warps may have several sizes,
//        and what a request chose.
// Why    Some architectures run a kernel with 32 or with 64 lanes; which is
//        better depends on the kernel. The vendor lists the sizes, the first is
//        the default.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_SIMT_WARPSIZE_H
#define TERRAZZO_SIMT_WARPSIZE_H

#include "terrazzo/plugin/Compiler.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"

namespace tz::simt {

inline constexpr const char *WarpSizeOption = "warp_size";

/// For plugin::Compiler::options. `sizes`: at least one.
inline plugin::Option warpSizeOption(llvm::ArrayRef<unsigned> sizes) {
  std::string choices;
  for (unsigned size : sizes) {
    choices += (choices.empty() ? "" : ",") + std::to_string(size);
  }
  return plugin::Option::oneOf(WarpSizeOption, choices, sizes.front(),
                               "lanes of a warp");
}

/// What the request chose of `sizes`; the first if it chose nothing. Throws
/// TZ_E_INVALID_ARGUMENT.
inline unsigned warpSize(const plugin::Request &request,
                         llvm::ArrayRef<unsigned> sizes) {
  const int64_t asked = request.integer(WarpSizeOption, sizes.front());
  for (unsigned size : sizes) {
    if (size == asked) {
      return size;
    }
  }
  std::string list;
  for (unsigned size : sizes) {
    list += (list.empty() ? "" : " or ") + std::to_string(size);
  }
  throw plugin::Failure(TZ_E_INVALID_ARGUMENT,
                        "warp_size is " + std::to_string(asked) +
                            "; warps of this target have " + list + " lanes");
}

} // namespace tz::simt

#endif // TERRAZZO_SIMT_WARPSIZE_H
