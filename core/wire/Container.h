//===- Container.h - header, section table and hash -------------*- C++ -*-===//
//
// What   Puts sections into a container and takes them out again.
// Why    Bundles will hold other sections in the same container; what the
//        sections mean is not known here.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_WIRE_CONTAINER_H
#define TERRAZZO_CORE_WIRE_CONTAINER_H

#include "terrazzo/wire/Wire.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace tz::wire {

enum class SectionId : uint32_t {
  Strings = 1,
  Types = 2,
  Attributes = 3,
  Ops = 4,
  Locations = 5,
};

struct Section {
  SectionId id;
  bool skippable = false;
  llvm::StringRef bytes;
};

inline constexpr unsigned ContainerVersion = 1;
inline constexpr uint64_t MaxTotalSize = uint64_t(64) << 20;

std::string pack(const Header &header, llvm::ArrayRef<Section> sections);

/// The sections point into `bytes`. Unknown ones are dropped if they may be
/// skipped, and are an error otherwise.
llvm::Expected<Header> unpack(llvm::StringRef bytes,
                              llvm::SmallVectorImpl<Section> &sections);

llvm::Error failure(const llvm::Twine &message);

} // namespace tz::wire

#endif // TERRAZZO_CORE_WIRE_CONTAINER_H
