//===- Upload.cpp - a binding's buffers on a device -----------------------===//
//
// What   See Upload.h.
// Why    See Upload.h.
//===----------------------------------------------------------------------===//
#include "core/execution/Upload.h"

#include <cstring>

namespace tz::tool {

using namespace runtime;

Status upload(Binding &binding, Stream &stream, AllocateBuffer allocate,
              std::vector<tz_dptr> &memory) {
  for (const BoundBuffer &buffer : binding.buffers) {
    Result<tz_dptr> at = allocate(buffer);
    if (!at) {
      return std::move(at.takeStatus()).in("argument '" + buffer.name + "'");
    }
    memory.push_back(*at);
  }
  for (size_t i = 0; i < binding.buffers.size(); ++i) {
    BoundBuffer &buffer = binding.buffers[i];
    for (size_t j = 0; j < buffer.addressesOf.size(); ++j) {
      std::memcpy(buffer.content.data() + 8 * j, &memory[buffer.addressesOf[j]],
                  8);
    }
    Status s = stream.copy(memory[i],
                           reinterpret_cast<uintptr_t>(buffer.content.data()),
                           buffer.content.size(), TZ_COPY_HOST_TO_DEVICE);
    if (!s.ok()) {
      return s;
    }
  }
  return stream.synchronize();
}

std::vector<ArgValue> launchValues(const Artifact &artifact,
                                   const Binding &binding,
                                   std::span<const tz_dptr> memory) {
  std::vector<ArgValue> values;
  for (uint32_t index : artifact.userLeaves) {
    const BoundLeaf &bound = binding.leaves[index];
    values.push_back(
        bound.kind == BoundLeaf::Buffer
            ? ArgValue{TZ_TYPE_PTR, memory[bound.buffer] + bound.offset}
            : ArgValue{bound.type, bound.bits});
  }
  return values;
}

} // namespace tz::tool
