//===- ZeSimTables.cpp - the tables that the loader asks a driver for -----===//
//
// What   All of them: the loader takes no driver that lacks one. Most are
//        empty.
// Why    See ZeSim.h.
//===----------------------------------------------------------------------===//
#include "plugins/intel/device/test/ZeSimFunctions.h"

#include <level_zero/ze_ddi.h>
#include <level_zero/zes_ddi.h>
#include <level_zero/zet_ddi.h>

namespace sim = tz::intel::test::sim;

#define EXPORTED extern "C" __attribute__((visibility("default")))
#define EMPTY(name, type)                                                      \
  EXPORTED ze_result_t name(ze_api_version_t, type *) {                        \
    return ZE_RESULT_SUCCESS;                                                  \
  }

EXPORTED ze_result_t zeGetGlobalProcAddrTable(ze_api_version_t,
                                              ze_global_dditable_t *table) {
  table->pfnInit = sim::init;
  return ZE_RESULT_SUCCESS;
}

EXPORTED ze_result_t zeGetDriverProcAddrTable(ze_api_version_t,
                                              ze_driver_dditable_t *table) {
  table->pfnGet = sim::driverGet;
  table->pfnGetApiVersion = sim::driverVersion;
  table->pfnGetProperties = sim::driverProperties;
  return ZE_RESULT_SUCCESS;
}

EXPORTED ze_result_t zeGetDeviceProcAddrTable(ze_api_version_t,
                                              ze_device_dditable_t *table) {
  table->pfnGet = sim::deviceGet;
  table->pfnGetProperties = sim::deviceProperties;
  table->pfnGetComputeProperties = sim::computeProperties;
  table->pfnGetModuleProperties = sim::moduleProperties;
  table->pfnGetMemoryProperties = sim::memoryProperties;
  table->pfnGetCacheProperties = sim::cacheProperties;
  table->pfnGetCommandQueueGroupProperties = sim::queueGroups;
  table->pfnPciGetPropertiesExt = sim::busProperties;
  return ZE_RESULT_SUCCESS;
}

EXPORTED ze_result_t zeGetContextProcAddrTable(ze_api_version_t,
                                               ze_context_dditable_t *table) {
  table->pfnCreate = sim::contextCreate;
  table->pfnDestroy = sim::contextDestroy;
  return ZE_RESULT_SUCCESS;
}

EXPORTED ze_result_t zeGetCommandListProcAddrTable(
    ze_api_version_t, ze_command_list_dditable_t *table) {
  table->pfnCreateImmediate = sim::listCreate;
  table->pfnDestroy = sim::listDestroy;
  table->pfnAppendBarrier = sim::listBarrier;
  table->pfnAppendWaitOnEvents = sim::listWait;
  table->pfnAppendMemoryCopy = sim::listCopy;
  table->pfnAppendMemoryFill = sim::listFill;
  table->pfnAppendWriteGlobalTimestamp = sim::listStamp;
  table->pfnAppendLaunchKernel = sim::listLaunch;
  table->pfnAppendLaunchCooperativeKernel = sim::listLaunch;
  return ZE_RESULT_SUCCESS;
}

EXPORTED ze_result_t
zeGetEventPoolProcAddrTable(ze_api_version_t, ze_event_pool_dditable_t *table) {
  table->pfnCreate = sim::poolCreate;
  table->pfnDestroy = sim::poolDestroy;
  return ZE_RESULT_SUCCESS;
}

EXPORTED ze_result_t zeGetEventProcAddrTable(ze_api_version_t,
                                             ze_event_dditable_t *table) {
  table->pfnCreate = sim::eventCreate;
  table->pfnDestroy = sim::eventDestroy;
  table->pfnHostSignal = sim::eventSignal;
  table->pfnHostSynchronize = sim::eventWait;
  table->pfnQueryStatus = sim::eventQuery;
  table->pfnHostReset = sim::eventReset;
  return ZE_RESULT_SUCCESS;
}

EXPORTED ze_result_t zeGetModuleProcAddrTable(ze_api_version_t,
                                              ze_module_dditable_t *table) {
  table->pfnCreate = sim::moduleCreate;
  table->pfnDestroy = sim::moduleDestroy;
  table->pfnGetGlobalPointer = sim::moduleGlobal;
  return ZE_RESULT_SUCCESS;
}

EXPORTED ze_result_t zeGetModuleBuildLogProcAddrTable(
    ze_api_version_t, ze_module_build_log_dditable_t *table) {
  table->pfnGetString = sim::logText;
  table->pfnDestroy = sim::logDestroy;
  return ZE_RESULT_SUCCESS;
}

EXPORTED ze_result_t zeGetKernelProcAddrTable(ze_api_version_t,
                                              ze_kernel_dditable_t *table) {
  table->pfnCreate = sim::kernelCreate;
  table->pfnDestroy = sim::kernelDestroy;
  table->pfnSetGroupSize = sim::kernelGroup;
  table->pfnSetArgumentValue = sim::kernelArgument;
  table->pfnSetIndirectAccess = sim::kernelIndirect;
  table->pfnSuggestMaxCooperativeGroupCount = sim::kernelGroupsAtOnce;
  table->pfnGetProperties = sim::kernelProperties;
  return ZE_RESULT_SUCCESS;
}

EXPORTED ze_result_t zeGetMemProcAddrTable(ze_api_version_t,
                                           ze_mem_dditable_t *table) {
  table->pfnAllocDevice = sim::allocDevice;
  table->pfnAllocHost = sim::allocHost;
  table->pfnAllocShared = sim::allocShared;
  table->pfnFree = sim::memFree;
  table->pfnFreeExt = sim::memFreeExt;
  table->pfnGetAllocProperties = sim::memProperties;
  table->pfnGetAddressRange = sim::memRange;
  return ZE_RESULT_SUCCESS;
}

EMPTY(zeGetDeviceExpProcAddrTable, ze_device_exp_dditable_t)
EMPTY(zeGetCommandQueueProcAddrTable, ze_command_queue_dditable_t)
EMPTY(zeGetImageProcAddrTable, ze_image_dditable_t)
EMPTY(zeGetImageExpProcAddrTable, ze_image_exp_dditable_t)
EMPTY(zeGetFenceProcAddrTable, ze_fence_dditable_t)
EMPTY(zeGetEventExpProcAddrTable, ze_event_exp_dditable_t)
EMPTY(zeGetKernelExpProcAddrTable, ze_kernel_exp_dditable_t)
EMPTY(zeGetSamplerProcAddrTable, ze_sampler_dditable_t)
EMPTY(zeGetPhysicalMemProcAddrTable, ze_physical_mem_dditable_t)
EMPTY(zeGetVirtualMemProcAddrTable, ze_virtual_mem_dditable_t)
EMPTY(zeGetFabricVertexExpProcAddrTable, ze_fabric_vertex_exp_dditable_t)
EMPTY(zeGetFabricEdgeExpProcAddrTable, ze_fabric_edge_exp_dditable_t)
EMPTY(zetGetDeviceProcAddrTable, zet_device_dditable_t)
EMPTY(zetGetContextProcAddrTable, zet_context_dditable_t)
EMPTY(zetGetCommandListProcAddrTable, zet_command_list_dditable_t)
EMPTY(zetGetModuleProcAddrTable, zet_module_dditable_t)
EMPTY(zetGetKernelProcAddrTable, zet_kernel_dditable_t)
EMPTY(zetGetMetricGroupProcAddrTable, zet_metric_group_dditable_t)
EMPTY(zetGetMetricGroupExpProcAddrTable, zet_metric_group_exp_dditable_t)
EMPTY(zetGetMetricProcAddrTable, zet_metric_dditable_t)
EMPTY(zetGetMetricStreamerProcAddrTable, zet_metric_streamer_dditable_t)
EMPTY(zetGetMetricQueryPoolProcAddrTable, zet_metric_query_pool_dditable_t)
EMPTY(zetGetMetricQueryProcAddrTable, zet_metric_query_dditable_t)
EMPTY(zetGetTracerExpProcAddrTable, zet_tracer_exp_dditable_t)
EMPTY(zetGetDebugProcAddrTable, zet_debug_dditable_t)
EMPTY(zesGetDriverProcAddrTable, zes_driver_dditable_t)
EMPTY(zesGetDeviceProcAddrTable, zes_device_dditable_t)
EMPTY(zesGetSchedulerProcAddrTable, zes_scheduler_dditable_t)
EMPTY(zesGetPerformanceFactorProcAddrTable, zes_performance_factor_dditable_t)
EMPTY(zesGetPowerProcAddrTable, zes_power_dditable_t)
EMPTY(zesGetFrequencyProcAddrTable, zes_frequency_dditable_t)
EMPTY(zesGetEngineProcAddrTable, zes_engine_dditable_t)
EMPTY(zesGetStandbyProcAddrTable, zes_standby_dditable_t)
EMPTY(zesGetFirmwareProcAddrTable, zes_firmware_dditable_t)
EMPTY(zesGetMemoryProcAddrTable, zes_memory_dditable_t)
EMPTY(zesGetFabricPortProcAddrTable, zes_fabric_port_dditable_t)
EMPTY(zesGetTemperatureProcAddrTable, zes_temperature_dditable_t)
EMPTY(zesGetPsuProcAddrTable, zes_psu_dditable_t)
EMPTY(zesGetFanProcAddrTable, zes_fan_dditable_t)
EMPTY(zesGetLedProcAddrTable, zes_led_dditable_t)
EMPTY(zesGetRasProcAddrTable, zes_ras_dditable_t)
EMPTY(zesGetDiagnosticsProcAddrTable, zes_diagnostics_dditable_t)
