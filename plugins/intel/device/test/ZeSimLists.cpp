//===- ZeSimLists.cpp - command lists and events --------------------------===//
//
// What   See ZeSim.h. A list is a queue of OpenCL that keeps no order by
//        itself; an event is told which command will signal it.
// Why    An event that is signalled twice, or reset before it was reached, is a
//        misuse that a real driver does not tell.
//===----------------------------------------------------------------------===//
#include "plugins/intel/device/test/ZeSimFunctions.h"

#include <chrono>

namespace tz::intel::test::sim {

static ze_result_t told(cl_int result) {
  return result == CL_SUCCESS ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_UNKNOWN;
}

//===--- Events -----------------------------------------------------------===//

ze_result_t poolCreate(ze_context_handle_t, const ze_event_pool_desc_t *,
                       uint32_t, ze_device_handle_t *,
                       ze_event_pool_handle_t *out) {
  if (fails("zeEventPoolCreate")) {
    return failure();
  }
  ++controls().pools;
  *out = new _ze_event_pool_handle_t;
  return ZE_RESULT_SUCCESS;
}
ze_result_t poolDestroy(ze_event_pool_handle_t pool) {
  delete pool;
  return ZE_RESULT_SUCCESS;
}
ze_result_t eventCreate(ze_event_pool_handle_t, const ze_event_desc_t *,
                        ze_event_handle_t *out) {
  *out = new _ze_event_handle_t;
  return ZE_RESULT_SUCCESS;
}
ze_result_t eventSignal(ze_event_handle_t event) {
  std::lock_guard guard(event->mutex);
  event->isSignalled = true;
  return ZE_RESULT_SUCCESS;
}

/// With the event's lock held.
static bool isReached(_ze_event_handle_t &event) {
  if (event.isSignalled || !event.mark) {
    return event.isSignalled;
  }
  cl_int status = CL_QUEUED;
  (void)machine()->driver.clGetEventInfo(event.mark,
                                         CL_EVENT_COMMAND_EXECUTION_STATUS,
                                         sizeof(status), &status, nullptr);
  return status <= CL_COMPLETE;
}

ze_result_t eventQuery(ze_event_handle_t event) {
  std::lock_guard guard(event->mutex);
  return isReached(*event) ? ZE_RESULT_SUCCESS : ZE_RESULT_NOT_READY;
}
/// Forgets who waits, who must have passed.
static void dropWaiter(_ze_event_handle_t &event) {
  if (!event.waiter) {
    return;
  }
  cl_int status = CL_COMPLETE;
  (void)machine()->driver.clGetEventInfo(event.waiter,
                                         CL_EVENT_COMMAND_EXECUTION_STATUS,
                                         sizeof(status), &status, nullptr);
  controls().misused += status > CL_COMPLETE;
  (void)machine()->driver.clReleaseEvent(event.waiter);
  event.waiter = nullptr;
}

ze_result_t eventDestroy(ze_event_handle_t event) {
  dropWaiter(*event);
  if (event->mark) {
    (void)machine()->driver.clReleaseEvent(event->mark);
  }
  delete event;
  return ZE_RESULT_SUCCESS;
}
ze_result_t eventReset(ze_event_handle_t event) {
  std::lock_guard guard(event->mutex);
  controls().misused += !isReached(*event);
  dropWaiter(*event);
  if (event->mark) {
    (void)machine()->driver.clReleaseEvent(event->mark);
  }
  event->mark = nullptr;
  event->isSignalled = false;
  return ZE_RESULT_SUCCESS;
}
ze_result_t eventWait(ze_event_handle_t event, uint64_t timeoutNs) {
  if (fails("zeEventHostSynchronize")) {
    return failure();
  }
  const auto begin = std::chrono::steady_clock::now();
  while (eventQuery(event) == ZE_RESULT_NOT_READY) {
    const auto passed = std::chrono::steady_clock::now() - begin;
    if (uint64_t(std::chrono::nanoseconds(passed).count()) >= timeoutNs) {
      return ZE_RESULT_NOT_READY;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  return ZE_RESULT_SUCCESS;
}

/// `command` will signal the event. Takes the reference.
static void willSignal(ze_event_handle_t event, cl_event command) {
  if (!event) {
    (void)machine()->driver.clReleaseEvent(command);
    return;
  }
  std::lock_guard guard(event->mutex);
  controls().misused += event->mark || event->isSignalled;
  if (event->mark) {
    (void)machine()->driver.clReleaseEvent(event->mark);
  }
  event->mark = command;
}

//===--- Lists ------------------------------------------------------------===//

ze_result_t listCreate(ze_context_handle_t context, ze_device_handle_t,
                       const ze_command_queue_desc_t *desc,
                       ze_command_list_handle_t *out) {
  if (desc->ordinal != 1) {
    return ZE_RESULT_ERROR_INVALID_ARGUMENT; // that group only copies
  }
  auto made = std::make_unique<_ze_command_list_handle_t>();
  const cl_queue_properties properties[] = {
      CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
  cl_int result = CL_SUCCESS;
  made->queue = machine()->driver.clCreateCommandQueueWithProperties(
      context->native, machine()->device, properties, &result);
  if (result == CL_SUCCESS) {
    *out = made.release();
  }
  return told(result);
}
ze_result_t listDestroy(ze_command_list_handle_t list) {
  (void)machine()->driver.clFinish(list->queue);
  (void)machine()->driver.clReleaseCommandQueue(list->queue);
  delete list;
  return ZE_RESULT_SUCCESS;
}

ze_result_t listWait(ze_command_list_handle_t list, uint32_t count,
                     ze_event_handle_t *events) {
  for (uint32_t i = 0; i < count; ++i) {
    std::lock_guard guard(events[i]->mutex);
    if (!events[i]->mark) {
      // Nothing was to signal it yet: a device would wait for ever.
      controls().misused += !events[i]->isSignalled;
      continue;
    }
    if (events[i]->waiter) {
      (void)machine()->driver.clReleaseEvent(events[i]->waiter);
      events[i]->waiter = nullptr;
    }
    const cl_int result = machine()->driver.clEnqueueBarrierWithWaitList(
        list->queue, 1, &events[i]->mark, &events[i]->waiter);
    if (result != CL_SUCCESS) {
      return told(result);
    }
  }
  return told(machine()->driver.clFlush(list->queue));
}

/// Behind all that was appended, and before all that will be.
static ze_result_t fence(ze_command_list_handle_t list, cl_event *made) {
  const cl_int result = machine()->driver.clEnqueueBarrierWithWaitList(
      list->queue, 0, nullptr, made);
  (void)machine()->driver.clFlush(list->queue);
  return told(result);
}

ze_result_t listBarrier(ze_command_list_handle_t list, ze_event_handle_t signal,
                        uint32_t count, ze_event_handle_t *events) {
  if (fails("zeCommandListAppendBarrier")) {
    return failure();
  }
  cl_event made = nullptr;
  ze_result_t result = listWait(list, count, events);
  result = result == ZE_RESULT_SUCCESS ? fence(list, &made) : result;
  if (result == ZE_RESULT_SUCCESS) {
    willSignal(signal, made);
  }
  return result;
}

ze_result_t listCopy(ze_command_list_handle_t list, void *to, const void *from,
                     size_t bytes, ze_event_handle_t signal, uint32_t count,
                     ze_event_handle_t *events) {
  ze_result_t result = listWait(list, count, events);
  cl_event made = nullptr;
  result = result == ZE_RESULT_SUCCESS
               ? told(machine()->add.clEnqueueMemcpyINTEL(
                     list->queue, CL_FALSE, to, from, bytes, 0, nullptr, &made))
               : result;
  if (result == ZE_RESULT_SUCCESS) {
    willSignal(signal, made);
  }
  return result;
}
ze_result_t listFill(ze_command_list_handle_t list, void *to,
                     const void *pattern, size_t width, size_t bytes,
                     ze_event_handle_t signal, uint32_t count,
                     ze_event_handle_t *events) {
  ze_result_t result = listWait(list, count, events);
  cl_event made = nullptr;
  result = result == ZE_RESULT_SUCCESS
               ? told(machine()->add.clEnqueueMemFillINTEL(
                     list->queue, to, pattern, width, bytes, 0, nullptr, &made))
               : result;
  if (result == ZE_RESULT_SUCCESS) {
    willSignal(signal, made);
  }
  return result;
}

namespace {
struct Stamp {
  uint64_t *to;
  cl_event done;
};
} // namespace

ze_result_t listStamp(ze_command_list_handle_t list, uint64_t *to,
                      ze_event_handle_t signal, uint32_t count,
                      ze_event_handle_t *events) {
  ze_result_t result = listWait(list, count, events);
  cl_event reached = nullptr;
  result = result == ZE_RESULT_SUCCESS ? fence(list, &reached) : result;
  if (result != ZE_RESULT_SUCCESS) {
    return result;
  }
  cl_context context = nullptr;
  (void)machine()->driver.clGetEventInfo(
      reached, CL_EVENT_CONTEXT, sizeof(cl_context),
      static_cast<void *>(&context), nullptr);
  cl_int error = CL_SUCCESS;
  cl_event done = machine()->createUserEvent(context, &error);
  (void)machine()->driver.clRetainEvent(done); // the callback's
  auto write = [](cl_event event, cl_int, void *data) {
    const std::unique_ptr<Stamp> stamp(static_cast<Stamp *>(data));
    *stamp->to = ticksNow();
    (void)machine()->setUserEventStatus(stamp->done, CL_COMPLETE);
    (void)machine()->driver.clReleaseEvent(stamp->done);
    (void)machine()->driver.clReleaseEvent(event);
  };
  (void)machine()->driver.clSetEventCallback(reached, CL_COMPLETE, write,
                                             new Stamp{to, done});
  willSignal(signal, done);
  return ZE_RESULT_SUCCESS;
}

ze_result_t listLaunch(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
                       const ze_group_count_t *groups, ze_event_handle_t signal,
                       uint32_t count, ze_event_handle_t *events) {
  if (fails("zeCommandListAppendLaunchKernel")) {
    return failure();
  }
  const size_t counts[3] = {groups->groupCountX, groups->groupCountY,
                            groups->groupCountZ};
  size_t global[3];
  for (int axis = 0; axis < 3; ++axis) {
    global[axis] = counts[axis] * kernel->group[axis];
  }
  // A moment, in which another thread would meet this one.
  std::this_thread::yield();
  ze_result_t result = listWait(list, count, events);
  cl_event made = nullptr;
  result = result == ZE_RESULT_SUCCESS
               ? told(machine()->driver.clEnqueueNDRangeKernel(
                     list->queue, kernel->native, 3, nullptr, global,
                     kernel->group, 0, nullptr, &made))
               : result;
  kernel->user = std::thread::id();
  if (result == ZE_RESULT_SUCCESS) {
    willSignal(signal, made);
  }
  return result;
}

} // namespace tz::intel::test::sim
