//===- HipFacts.cpp - the numbers of one device ---------------------------===//
//
// What   What device_info answers, by hipDeviceGetAttribute and its neighbours.
// Why    The structure of all properties has another layout in each version of
//        HIP; only the name of the architecture is taken from it.
//===----------------------------------------------------------------------===//
#include "plugins/amd/device/HipDevice.h"

namespace tz::amd {

using namespace hip;

namespace {

tz_kv number(std::string_view key, int64_t value) {
  return {plugin::str(key), TZ_KV_I64, 0, value, 0, {}};
}

/// As rocminfo prints it: "GPU-" and 16 hexadecimal digits, which HIP gives as
/// letters.
std::string uuidText(const Uuid &uuid) {
  std::string text = "GPU-";
  for (char letter : uuid.bytes) {
    if (letter) {
      text += letter;
    }
  }
  return text;
}

/// Properties beyond the fields of tz_device_info.
constexpr struct {
  DeviceAttribute attribute;
  const char *key;
  int64_t scale;
} Attributes[] = {
    {SharedPerBlock, "shared.block.bytes", 1},
    {SharedPerUnit, "shared.unit.bytes", 1},
    {RegistersPerBlock, "registers.block", 1},
    {RegistersPerUnit, "registers.unit", 1},
    {ThreadsPerUnit, "threads.unit", 1},
    {ClockKHz, "clock.hz", 1000},
    {MemoryClockKHz, "memory.clock.hz", 1000},
    {MemoryBusBits, "memory.bus.bits", 1},
    {EccEnabled, "memory.ecc", 1},
    {Integrated, "integrated", 1},
    {ManagedMemory, "memory.managed", 1},
    {ConcurrentManagedAccess, "memory.managed.concurrent", 1},
    {PageableMemoryAccess, "memory.pageable", 1},
};

/// Asks for the facts of one device.
struct Question {
  const HipDriver &driver;
  int ordinal;

  void check(Result result, const char *what) const {
    if (driver.told(result) != Success) {
      throw driver.failure(result, std::string("read the ") + what +
                                       " of device " + std::to_string(ordinal));
    }
  }
  uint32_t needed(DeviceAttribute which, const char *what) const {
    int value = 0;
    check(driver.deviceGetAttribute(&value, which, ordinal), what);
    return uint32_t(value);
  }
  /// What a version does not know is 0.
  int64_t optional(DeviceAttribute which) const {
    int value = 0;
    const Result result =
        driver.told(driver.deviceGetAttribute(&value, which, ordinal));
    return result == Success ? value : 0;
  }
};

} // namespace

DeviceFacts readFacts(const HipDriver &driver, int ordinal) {
  const Question ask{driver, ordinal};
  DeviceFacts facts;
  auto properties = std::make_unique<Properties>();
  ask.check(driver.getDeviceProperties(properties.get(), ordinal),
            "architecture");
  facts.architecture =
      std::string(properties->architecture,
                  strnlen(properties->architecture, // may be of any length
                          sizeof(properties->architecture)));
  facts.processor = facts.architecture.substr(0, facts.architecture.find(':'));
  if (!facts.processor.starts_with("gfx")) {
    throw Failure(TZ_E_UNAVAILABLE,
                  "device " + std::to_string(ordinal) +
                      " does not say what it is: '" + facts.processor +
                      "' is no architecture of AMD's; this HIP has structures "
                      "that Terrazzo does not know");
  }
  facts.target = "amd:" + facts.processor;
  char text[256] = {};
  ask.check(driver.deviceGetName(text, sizeof(text) - 1, ordinal), "name");
  facts.name = *text ? text : facts.processor;
  Uuid uuid{};
  if (driver.told(driver.deviceGetUuid(&uuid, ordinal)) == Success) {
    facts.uuid = uuidText(uuid);
  }
  char bus[64] = {};
  if (driver.told(driver.deviceGetPciBusId(bus, sizeof(bus) - 1, ordinal)) ==
      Success) {
    facts.pciBusId = bus;
  }
  size_t memory = 0;
  ask.check(driver.deviceTotalMem(&memory, ordinal), "memory size");
  facts.totalMemory = memory;
  facts.units = ask.needed(Units, "number of compute units");
  facts.lanes = ask.needed(WarpSize, "wave size");
  facts.maxThreads =
      ask.needed(MaxThreadsPerBlock, "largest number of threads");
  facts.sharedBytes = ask.needed(SharedPerBlock, "LDS");
  facts.maxGrid[0] = ask.needed(MaxGridX, "largest grid");
  facts.maxGrid[1] = ask.needed(MaxGridY, "largest grid");
  facts.maxGrid[2] = ask.needed(MaxGridZ, "largest grid");
  facts.l2Bytes = uint64_t(ask.optional(L2Bytes));
  facts.isHostMemory = ask.optional(PageableMemoryAccess) != 0 &&
                       ask.optional(HostPageTables) != 0;
  facts.isCooperative = ask.optional(CooperativeLaunch) != 0;
  for (const auto &one : Attributes) {
    facts.props.push_back(
        number(one.key, ask.optional(one.attribute) * one.scale));
  }
  facts.props.push_back(number("launch.cooperative", facts.isCooperative));
  return facts;
}

} // namespace tz::amd
