//===- ZeMarks.cpp - events of the driver that are used again -------------===//
//
// What   Pools of events, each with a place for its time; see ZeDevice.h.
// Why    A driver's event must not be reset or destroyed while something waits
//        for it, and the last holder does not know when that ends.
//===----------------------------------------------------------------------===//
#include "plugins/intel/device/levelzero/ZeDevice.h"

namespace tz::intel {

static constexpr uint32_t EventsOfPool = 64;

ZeMarks::~ZeMarks() { clear(); }

void ZeMarks::clear() {
  std::lock_guard guard(mutex);
  const ZeDriver &driver = device.driver;
  for (const Pool &pool : pools) {
    for (ze_event_handle_t event : pool.events) {
      (void)driver.zeEventDestroy(event);
    }
    (void)driver.zeEventPoolDestroy(pool.handle);
    (void)driver.zeMemFree(device.context(), pool.times);
  }
  pools.clear();
  idle.clear();
  returned.clear();
}

void ZeMarks::addPool() {
  const ZeDriver &driver = device.driver;
  const ze_context_handle_t context = device.context();
  auto attempt = [&] { return "make events on " + device.label; };
  const ze_event_pool_desc_t desc{ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, nullptr,
                                  ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                  EventsOfPool};
  pools.reserve(pools.size() + 1);
  idle.reserve(idle.size() + EventsOfPool);
  // All may come back at once, and there must be room.
  returned.reserve((pools.size() + 1) * EventsOfPool);
  Pool pool;
  pool.events.reserve(EventsOfPool);
  ze_device_handle_t owner = device.native;
  ZeDriver::check(
      driver.zeEventPoolCreate(context, &desc, 1, &owner, &pool.handle),
      attempt);
  ZeOwned<ze_event_pool_handle_t> ownedPool(pool.handle,
                                            driver.zeEventPoolDestroy);
  const ze_host_mem_alloc_desc_t memory{ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC,
                                        nullptr, 0};
  ZeDriver::check(driver.zeMemAllocHost(context, &memory,
                                        EventsOfPool * sizeof(uint64_t), 8,
                                        &pool.times),
                  attempt);
  ze_result_t result = ZE_RESULT_SUCCESS;
  for (uint32_t i = 0; i < EventsOfPool && result == ZE_RESULT_SUCCESS; ++i) {
    const ze_event_desc_t about{ZE_STRUCTURE_TYPE_EVENT_DESC, nullptr, i,
                                ZE_EVENT_SCOPE_FLAG_HOST,
                                ZE_EVENT_SCOPE_FLAG_HOST};
    ze_event_handle_t event = nullptr;
    result = driver.zeEventCreate(pool.handle, &about, &event);
    if (event) {
      pool.events.push_back(event);
    }
  }
  if (result != ZE_RESULT_SUCCESS) {
    for (ze_event_handle_t event : pool.events) {
      (void)driver.zeEventDestroy(event);
    }
    (void)driver.zeMemFree(context, pool.times);
    throw ZeDriver::failure(result, attempt());
  }
  auto *times = static_cast<uint64_t *>(pool.times);
  for (uint32_t i = 0; i < EventsOfPool; ++i) {
    idle.push_back({pool.events[i], times + i});
  }
  (void)ownedPool.release();
  pools.push_back(std::move(pool));
}

/// With the mutex held.
ZeMark ZeMarks::fresh() {
  const ZeDriver &driver = device.driver;
  for (size_t i = 0; idle.empty() && i < returned.size(); ++i) {
    if (driver.zeEventQueryStatus(returned[i].event) == ZE_RESULT_SUCCESS &&
        driver.zeEventHostReset(returned[i].event) == ZE_RESULT_SUCCESS) {
      const ZeMark reached = returned[i];
      returned[i] = returned.back();
      returned.pop_back();
      return reached;
    }
  }
  if (idle.empty()) {
    addPool();
  }
  const ZeMark last = idle.back();
  idle.pop_back();
  return last;
}

/// A mark on loan.
struct ZeMarks::Loan {
  ZeMark mark;
  ZeMarks *owner = nullptr;
  ~Loan() {
    if (owner) {
      owner->give(mark);
    }
  }
};

std::shared_ptr<const ZeMark> ZeMarks::take() {
  auto loan = std::make_shared<Loan>();
  std::lock_guard guard(mutex);
  loan->mark = fresh();
  loan->owner = this;
  return {loan, &loan->mark};
}

void ZeMarks::giveUnused(std::shared_ptr<const ZeMark> mark) {
  // What the host signals counts as reached, so that it is used again.
  (void)device.driver.zeEventHostSignal(mark->event);
}

void ZeMarks::give(const ZeMark &mark) {
  std::lock_guard guard(mutex);
  returned.push_back(mark);
}

} // namespace tz::intel
