//===- Prepare.cpp - what a wave finds when it begins ---------------------===//
//
// What   See Prepare.h. The order of the scalar registers is that of the AMDGPU
//        code object ABI.
//===----------------------------------------------------------------------===//
#include "plugins/amd/simulator/execute/Prepare.h"

#include "plugins/amd/simulator/decode/Text.h"

#include "terrazzo/plugin/Error.h"

#include <cstring>

namespace tz::amd::sim {

namespace {

/// Bits of the descriptor's properties.
enum Property : uint16_t {
  PrivateBuffer = 1,
  DispatchPointer = 2,
  QueuePointer = 4,
  ArgumentPointer = 8,
  DispatchId = 16,
  FlatScratchInit = 32,
  PrivateSize = 64,
};

/// A kernel whose arguments are preloaded begins with code for firmware that
/// cannot; the rest skips it.
constexpr uint64_t PreloadProlog = 256;

void refuse(const std::string &why) {
  throw plugin::Failure(TZ_E_INVALID_ARGUMENT, why);
}

} // namespace

Prepared::Prepared(Memory &memory, Module &module, const KernelCode &kernel,
                   const LaunchShape &shape, std::span<const uint8_t> given)
    : memory(memory), kernel(kernel), shape(shape),
      entry(module.loaded(kernel.entry)) {
  const Machine &machine = module.machine();
  const uint64_t count =
      uint64_t{shape.items[0]} * shape.items[1] * shape.items[2];
  if (count == 0 || count > kernel.maxGroup || shape.items[0] > 1024 ||
      shape.items[1] > 1024 || shape.items[2] > 1024) {
    refuse(text("kernel '{}' takes work-groups of 1 to {} work-items, "
                "not {} x {} x {}",
                kernel.name, kernel.maxGroup, shape.items[0], shape.items[1],
                shape.items[2]));
  }
  items = uint32_t(count);
  for (uint32_t groups : shape.groups) {
    if (groups == 0) {
      refuse(text("kernel '{}' is launched with a grid of 0 work-groups",
                  kernel.name));
    }
  }
  if (uint64_t{kernel.sharedBytes} + shape.dynamicShared >
      machine.sharedBytes) {
    refuse(text("kernel '{}' needs {} bytes of LDS; {} has {}", kernel.name,
                uint64_t{kernel.sharedBytes} + shape.dynamicShared,
                machine.processor, machine.sharedBytes));
  }
  if (kernel.lanes != machine.lanes) {
    refuse(text("kernel '{}' is of waves of {} lanes; {} is executed "
                "with {}",
                kernel.name, kernel.lanes, machine.processor, machine.lanes));
  }
  layOut(given);
  memory.forgetHost();
  memory.add(reinterpret_cast<uint64_t>(arguments.data()), arguments.size() * 8,
             "the kernel's arguments", true);
  memory.add(reinterpret_cast<uint64_t>(packet.data()), packet.size() * 8,
             "the dispatch packet", true);
}

Prepared::~Prepared() {
  memory.remove(reinterpret_cast<uint64_t>(arguments.data()));
  memory.remove(reinterpret_cast<uint64_t>(packet.data()));
}

void Prepared::layOut(std::span<const uint8_t> given) {
  const size_t bytes = std::max<size_t>(kernel.argumentBytes, 8);
  if (given.size() > bytes) {
    refuse(text("kernel '{}' takes {} bytes of arguments, not {}", kernel.name,
                kernel.argumentBytes, given.size()));
  }
  arguments.resize((bytes + 7) / 8);
  auto *to = reinterpret_cast<uint8_t *>(arguments.data());
  if (!given.empty()) {
    std::memcpy(to, given.data(), given.size());
  }
  auto put = [&](const KernelArgument &argument, uint64_t value) {
    if (argument.bytes <= 8 && argument.offset + argument.bytes <= bytes) {
      std::memcpy(to + argument.offset, &value, argument.bytes);
    }
  };
  for (const KernelArgument &argument : kernel.arguments) {
    for (unsigned axis = 0; axis < 3; ++axis) {
      const std::string end(1, char('x' + axis));
      if (argument.kind == "hidden_block_count_" + end) {
        put(argument, shape.groups[axis]);
      } else if (argument.kind == "hidden_group_size_" + end) {
        put(argument, shape.items[axis]);
      }
    }
    if (argument.kind == "hidden_grid_dims") {
      put(argument, 3);
    } else if (argument.kind == "hidden_dynamic_lds_size") {
      put(argument, shape.dynamicShared);
    } else if (argument.kind == "hidden_shared_base") {
      put(argument, SharedAperture >> 32);
    } else if (argument.kind == "hidden_private_base") {
      put(argument, PrivateAperture >> 32);
    }
  }
  // hsa_kernel_dispatch_packet_t: sizes of a work-group at 4, of the grid
  // at 12.
  packet.resize(8);
  auto *fields = reinterpret_cast<uint8_t *>(packet.data());
  for (unsigned axis = 0; axis < 3; ++axis) {
    const uint16_t size = uint16_t(shape.items[axis]);
    const uint32_t grid = shape.items[axis] * shape.groups[axis];
    std::memcpy(fields + 4 + 2 * size_t{axis}, &size, 2);
    std::memcpy(fields + 12 + 4 * size_t{axis}, &grid, 4);
  }
  const uint32_t shared = kernel.sharedBytes + shape.dynamicShared;
  std::memcpy(fields + 24, &kernel.privateBytes, 4);
  std::memcpy(fields + 28, &shared, 4);
}

void Prepared::fillScalars(Wave &wave, const Group &group) const {
  unsigned next = 0;
  auto pair = [&](uint64_t value) {
    wave.setScalar64(next, value);
    next += 2;
  };
  if (kernel.properties & PrivateBuffer) {
    next += 4; // Scratch is reached by its own instructions.
  }
  if (kernel.properties & DispatchPointer) {
    pair(reinterpret_cast<uint64_t>(packet.data()));
  }
  if (kernel.properties & QueuePointer) {
    pair(0);
  }
  const auto argumentsAt = reinterpret_cast<uint64_t>(arguments.data());
  if (kernel.properties & ArgumentPointer) {
    pair(argumentsAt);
  }
  if (kernel.properties & DispatchId) {
    pair(0);
  }
  if (kernel.properties & FlatScratchInit) {
    pair(0);
  }
  if (kernel.properties & PrivateSize) {
    wave.setScalar(next++, kernel.privateBytes);
  }
  const unsigned preloaded = kernel.preload & 0x7F;
  const unsigned firstDword = kernel.preload >> 7;
  for (unsigned i = 0; i < preloaded; ++i) {
    uint32_t word = 0;
    if ((firstDword + i + 1) * 4 <= arguments.size() * 8) {
      std::memcpy(&word,
                  reinterpret_cast<const uint8_t *>(arguments.data()) +
                      (firstDword + i) * size_t{4},
                  4);
    }
    wave.setScalar(next++, word);
  }
  // The work-group's ids follow the user registers.
  next = kernel.resource[1] >> 1 & 0x1F;
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (kernel.resource[1] >> (7 + axis) & 1) {
      wave.setScalar(next++, group.id[axis]);
    }
  }
  if (kernel.resource[1] >> 10 & 1) {
    wave.setScalar(next, (items + wave.lanes - 1) / wave.lanes);
  }
  wave.setScalar64(scalar::SharedBase, SharedAperture);
  wave.setScalar64(scalar::PrivateBase, PrivateAperture);
  wave.setScalar64(scalar::FlatScratch, 0);
  wave.scalarDefined[scalar::Null] = true;
  wave.scalarDefined[scalar::Vccz] = wave.scalarDefined[scalar::Execz] = true;
}

void Prepared::fillVectors(Wave &wave) const {
  uint64_t active = 0;
  for (unsigned lane = 0; lane < wave.lanes; ++lane) {
    const uint32_t item = wave.index * wave.lanes + lane;
    if (item >= items) {
      break;
    }
    active |= uint64_t{1} << lane;
    const uint32_t x = item % shape.items[0];
    const uint32_t y = item / shape.items[0] % shape.items[1];
    const uint32_t z = item / shape.items[0] / shape.items[1];
    wave.setVector(0, lane, x | y << 10 | z << 20);
  }
  wave.setScalar64(scalar::Exec, active);
}

void Prepared::fill(Environment &environment, Group &group) const {
  const Machine &machine = environment.machine;
  group.shared.resize(size_t{kernel.sharedBytes} + shape.dynamicShared);
  group.sharedWritten.resize(group.shared.size());
  const unsigned waves = (items + machine.lanes - 1) / machine.lanes;
  for (unsigned i = 0; i < waves; ++i) {
    group.waves.push_back(
        std::make_unique<Wave>(environment, group, i, machine.lanes));
    Wave &wave = *group.waves.back();
    wave.pc = entry + ((kernel.preload & 0x7F) != 0 ? PreloadProlog : 0);
    wave.scratchBytes = kernel.privateBytes;
    wave.scratch.resize(size_t{kernel.privateBytes} * machine.lanes);
    fillScalars(wave, group);
    fillVectors(wave);
  }
}

} // namespace tz::amd::sim
