//===- KnownMemory.h - foreign memory that a launch may touch ---*- C++ -*-===//
//
// What   An extension of tz_launch: ranges that are not of the device's own
//        allocations and that the launch may read and write.
// Why    A device that checks accesses must know where foreign arrays end; the
//        program has told it (tz_stream_know_memory). Only the interpreter's
//        device asks, which is built in, so it is no part of the vendors' ABI;
//        devices skip extensions that they do not know.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_LOADER_KNOWNMEMORY_H
#define TERRAZZO_RUNTIME_LOADER_KNOWNMEMORY_H

#include <terrazzo/plugin.h>
#include <terrazzo/terrazzo.h>

namespace tz::runtime {

struct KnownMemory {
  static constexpr const char *Id = "tz.memory/0";

  tz_ext head;
  const tz_memory_range *ranges; // the host's, during the launch; may overlap
  size_t numRanges;
};

} // namespace tz::runtime

#endif
