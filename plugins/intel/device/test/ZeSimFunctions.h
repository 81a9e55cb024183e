//===- ZeSimFunctions.h - what the loader's tables are filled with --------===//
//
// What   The functions of the driver of the tests, by file.
// Why    ZeSimTables.cpp gives them to the loader.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_INTEL_DEVICE_TEST_ZESIMFUNCTIONS_H
#define TERRAZZO_PLUGINS_INTEL_DEVICE_TEST_ZESIMFUNCTIONS_H

#include "plugins/intel/device/test/ZeSim.h"

namespace tz::intel::test::sim {

ze_result_t init(ze_init_flags_t);
ze_result_t driverGet(uint32_t *count, ze_driver_handle_t *out);
ze_result_t driverVersion(ze_driver_handle_t, ze_api_version_t *out);
ze_result_t driverProperties(ze_driver_handle_t, ze_driver_properties_t *out);
ze_result_t deviceGet(ze_driver_handle_t, uint32_t *count,
                      ze_device_handle_t *out);
ze_result_t deviceProperties(ze_device_handle_t, ze_device_properties_t *out);
ze_result_t computeProperties(ze_device_handle_t,
                              ze_device_compute_properties_t *out);
ze_result_t moduleProperties(ze_device_handle_t,
                             ze_device_module_properties_t *out);
ze_result_t memoryProperties(ze_device_handle_t, uint32_t *count,
                             ze_device_memory_properties_t *out);
ze_result_t cacheProperties(ze_device_handle_t, uint32_t *count,
                            ze_device_cache_properties_t *out);
ze_result_t queueGroups(ze_device_handle_t, uint32_t *count,
                        ze_command_queue_group_properties_t *out);
ze_result_t busProperties(ze_device_handle_t, ze_pci_ext_properties_t *out);
ze_result_t contextCreate(ze_driver_handle_t, const ze_context_desc_t *,
                          ze_context_handle_t *out);
ze_result_t contextDestroy(ze_context_handle_t context);
ze_result_t allocDevice(ze_context_handle_t context,
                        const ze_device_mem_alloc_desc_t *, size_t bytes,
                        size_t, ze_device_handle_t, void **out);
ze_result_t allocHost(ze_context_handle_t context,
                      const ze_host_mem_alloc_desc_t *, size_t bytes, size_t,
                      void **out);
ze_result_t allocShared(ze_context_handle_t context,
                        const ze_device_mem_alloc_desc_t *,
                        const ze_host_mem_alloc_desc_t *, size_t bytes, size_t,
                        ze_device_handle_t, void **out);
ze_result_t memFree(ze_context_handle_t context, void *memory);
ze_result_t memFreeExt(ze_context_handle_t context,
                       const ze_memory_free_ext_desc_t *, void *memory);
ze_result_t memProperties(ze_context_handle_t context, const void *memory,
                          ze_memory_allocation_properties_t *out,
                          ze_device_handle_t *device);
ze_result_t memRange(ze_context_handle_t context, const void *memory,
                     void **base, size_t *bytes);
ze_result_t poolCreate(ze_context_handle_t, const ze_event_pool_desc_t *,
                       uint32_t, ze_device_handle_t *,
                       ze_event_pool_handle_t *out);
ze_result_t poolDestroy(ze_event_pool_handle_t pool);
ze_result_t eventCreate(ze_event_pool_handle_t, const ze_event_desc_t *,
                        ze_event_handle_t *out);
ze_result_t eventDestroy(ze_event_handle_t event);
ze_result_t eventSignal(ze_event_handle_t event);
ze_result_t eventQuery(ze_event_handle_t event);
ze_result_t eventReset(ze_event_handle_t event);
ze_result_t eventWait(ze_event_handle_t event, uint64_t timeoutNs);
ze_result_t listCreate(ze_context_handle_t context, ze_device_handle_t,
                       const ze_command_queue_desc_t *desc,
                       ze_command_list_handle_t *out);
ze_result_t listDestroy(ze_command_list_handle_t list);
ze_result_t listWait(ze_command_list_handle_t list, uint32_t count,
                     ze_event_handle_t *events);
ze_result_t listBarrier(ze_command_list_handle_t list, ze_event_handle_t signal,
                        uint32_t count, ze_event_handle_t *events);
ze_result_t listCopy(ze_command_list_handle_t list, void *to, const void *from,
                     size_t bytes, ze_event_handle_t signal, uint32_t count,
                     ze_event_handle_t *events);
ze_result_t listFill(ze_command_list_handle_t list, void *to,
                     const void *pattern, size_t width, size_t bytes,
                     ze_event_handle_t signal, uint32_t count,
                     ze_event_handle_t *events);
ze_result_t listStamp(ze_command_list_handle_t list, uint64_t *to,
                      ze_event_handle_t signal, uint32_t count,
                      ze_event_handle_t *events);
ze_result_t listLaunch(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
                       const ze_group_count_t *groups, ze_event_handle_t signal,
                       uint32_t count, ze_event_handle_t *events);
ze_result_t moduleCreate(ze_context_handle_t context, ze_device_handle_t,
                         const ze_module_desc_t *desc, ze_module_handle_t *out,
                         ze_module_build_log_handle_t *log);
ze_result_t moduleDestroy(ze_module_handle_t module);
ze_result_t logText(ze_module_build_log_handle_t log, size_t *bytes, char *out);
ze_result_t logDestroy(ze_module_build_log_handle_t log);
ze_result_t moduleGlobal(ze_module_handle_t module, const char *name,
                         size_t *bytes, void **out);
ze_result_t kernelCreate(ze_module_handle_t module,
                         const ze_kernel_desc_t *desc, ze_kernel_handle_t *out);
ze_result_t kernelDestroy(ze_kernel_handle_t kernel);
ze_result_t kernelGroup(ze_kernel_handle_t kernel, uint32_t x, uint32_t y,
                        uint32_t z);
ze_result_t kernelArgument(ze_kernel_handle_t kernel, uint32_t number,
                           size_t bytes, const void *value);
ze_result_t kernelIndirect(ze_kernel_handle_t kernel,
                           ze_kernel_indirect_access_flags_t);
ze_result_t kernelGroupsAtOnce(ze_kernel_handle_t kernel, uint32_t *out);
ze_result_t kernelProperties(ze_kernel_handle_t kernel,
                             ze_kernel_properties_t *out);

} // namespace tz::intel::test::sim

#endif
