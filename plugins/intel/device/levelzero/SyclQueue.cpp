//===- SyclQueue.cpp - what a queue of SYCL stands for --------------------===//
//
// What   The Level Zero objects of a sycl::queue, asked of the SYCL runtime
// that
//        the program has loaded.
// Why    PyTorch and others hand out queues of SYCL. The runtime's interface is
//        C++ without headers of ours. libsycl.so.9 exports the functions under
//        these names; a runtime without them is refused by name.
//===----------------------------------------------------------------------===//
#include "plugins/intel/device/levelzero/ZeDevice.h"

#include <cstring>
#include <dlfcn.h>

namespace tz::intel {

namespace {

/// A class of SYCL as it lies in memory: a shared pointer to what it stands
/// for. Functions return it where the caller says, as for every class that has
/// a destructor.
struct SyclObject {
  std::shared_ptr<void> stands;
};

/// sycl::backend::ext_oneapi_level_zero
constexpr char LevelZeroBackend = 2;

struct Functions {
  SyclObject (*context)(const void *queue) = nullptr;
  SyclObject (*device)(const void *queue) = nullptr;
  uintptr_t (*nativeContext)(const void *context) = nullptr;
  uintptr_t (*nativeDevice)(const void *device) = nullptr;
  uintptr_t (*nativeQueue)(const void *queue, int32_t *isList) = nullptr;
  char (*backend)(const void *queue) = nullptr;
  bool (*isInOrder)(const void *queue) = nullptr;
};

template <typename Pointer>
void resolve(void *library, Pointer &pointer, const char *symbol) {
  void *address = dlsym(library, symbol);
  if (!address) {
    throw Failure(TZ_E_UNAVAILABLE,
                  std::string("the SYCL runtime of this program has no "
                              "function ") +
                      symbol + "; Terrazzo knows libsycl.so.7 to libsycl.so.9");
  }
  std::memcpy(&pointer, &address, sizeof(address));
}

Functions load() {
  void *library = nullptr;
  // Only one that is there already can have made the queue.
  for (const char *name : {"libsycl.so.9", "libsycl.so.8", "libsycl.so.7"}) {
    library = library ? library : dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
  }
  if (!library) {
    throw Failure(TZ_E_UNAVAILABLE,
                  "this program has loaded no SYCL runtime (libsycl.so.7 to "
                  "libsycl.so.9), so it has no queues of SYCL");
  }
  Functions found;
  resolve(library, found.context, "_ZNK4sycl3_V15queue11get_contextEv");
  resolve(library, found.device, "_ZNK4sycl3_V15queue10get_deviceEv");
  resolve(library, found.nativeContext, "_ZNK4sycl3_V17context9getNativeEv");
  resolve(library, found.nativeDevice, "_ZNK4sycl3_V16device9getNativeEv");
  resolve(library, found.nativeQueue, "_ZNK4sycl3_V15queue9getNativeERi");
  resolve(library, found.backend, "_ZNK4sycl3_V15queue11get_backendEv");
  resolve(library, found.isInOrder, "_ZNK4sycl3_V15queue11is_in_orderEv");
  return found;
}

template <typename Handle>
Handle handleOf(uintptr_t number) {
  return reinterpret_cast<Handle>(number);
}

} // namespace

ZeForeign readSyclQueue(void *queue) {
  if (!queue) {
    throw Failure(TZ_E_INVALID_ARGUMENT,
                  "the SYCL queue is null; it is a sycl::queue *");
  }
  const Functions sycl = load();
  if (sycl.backend(queue) != LevelZeroBackend) {
    throw Failure(TZ_E_INVALID_ARGUMENT,
                  "the SYCL queue is of another backend than Level Zero; "
                  "ONEAPI_DEVICE_SELECTOR=level_zero:gpu chooses it");
  }
  if (!sycl.isInOrder(queue)) {
    throw Failure(TZ_E_INVALID_ARGUMENT,
                  "the SYCL queue runs its commands out of order; a stream "
                  "needs one with sycl::property::queue::in_order");
  }
  const SyclObject context = sycl.context(queue), device = sycl.device(queue);
  int32_t isList = 0;
  const uintptr_t native = sycl.nativeQueue(queue, &isList);
  if (!isList) {
    throw Failure(TZ_E_FAILED_PRECONDITION,
                  "the SYCL queue is no immediate command list; set "
                  "SYCL_UR_USE_LEVEL_ZERO_V2=1, or "
                  "UR_L0_USE_IMMEDIATE_COMMANDLISTS=1, before the program "
                  "starts");
  }
  return {handleOf<ze_context_handle_t>(sycl.nativeContext(&context)),
          handleOf<ze_device_handle_t>(sycl.nativeDevice(&device)),
          handleOf<ze_command_list_handle_t>(native)};
}

} // namespace tz::intel
