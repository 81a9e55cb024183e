//===- ClFaultTest.cpp - what is told when something is missing or fails --===//
//
// What   No library, a library that is none, no SPIR-V, sizes that a device has
//        not, a compiler that fails, calls that fail.
// Why    Each is one sentence that says what to do, with the driver's own log.
//===----------------------------------------------------------------------===//
#include "plugins/intel/device/test/ClFixture.h"

namespace tz::intel::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

/// Without a runtime.
struct ClMissing : HalfFixture {
  ClMissing() : HalfFixture(clDeviceApi(), "spirv", spirv()) {}
};

TEST_F(ClMissing, LibraryIsNamed) {
  const Told told = open("opencl", "/no/such/libOpenCL.so.1");
  EXPECT_EQ(told.code, TZ_E_UNAVAILABLE);
  EXPECT_EQ(told.text, "no OpenCL: /no/such/libOpenCL.so.1 not found");
}

TEST_F(ClMissing, FunctionIsNamed) {
  const Told told = open("opencl", "libm.so.6");
  EXPECT_EQ(told.code, TZ_E_UNAVAILABLE);
  EXPECT_EQ(told.text,
            "no OpenCL: libm.so.6 has no function clGetPlatformIDs; it is no "
            "loader of OpenCL 2.1 or newer");
}

struct ClFault : ClFixture {
  void fail(const char *function, int32_t result) {
    shim().failing = function;
    shim().result = result;
  }
};

TEST_F(ClFault, DriverWithoutSpirv) {
  shim().hidesIl = true;
  begin();
  tz_module *none = nullptr;
  const Told told = load(spirv(), &none);
  EXPECT_EQ(told.code, TZ_E_FAILED_PRECONDITION);
  EXPECT_THAT(told.text, StartsWith("the driver of intel:0 ("));
  EXPECT_THAT(told.text, HasSubstr("takes no SPIR-V; install a newer one"));
}

TEST_F(ClFault, DriverOfAnOlderSpirv) {
  shim().hidesIl = true;
  shim().ilVersion = "SPIR-V_1.0 SPIR-V_1.2";
  begin();
  tz_module *none = nullptr;
  const Told told = load(spirv(), &none);
  EXPECT_EQ(told.code, TZ_E_FAILED_PRECONDITION);
  EXPECT_THAT(told.text,
              HasSubstr("lacks what the code needs: SPIR-V 1.3 (its driver "
                        "takes up to 1.2)"));
}

/// The test kernels with sub-groups of another size.
std::string withSubgroupsOf(uint32_t size) {
  std::string code = spirv();
  std::vector<uint32_t> words(code.size() / 4);
  std::memcpy(words.data(), code.data(), code.size());
  for (size_t i = 5; i < words.size(); i += std::max(words[i] >> 16, 1u)) {
    if ((words[i] & 0xffff) == 16 && words[i + 2] == 35) { // OpExecutionMode
      words[i + 3] = size;
    }
  }
  std::memcpy(code.data(), words.data(), code.size());
  return code;
}

TEST_F(ClFault, SubgroupSizeThatTheDeviceHasNot) {
  begin();
  tz_module *none = nullptr;
  const Told told = load(withSubgroupsOf(24), &none);
  EXPECT_EQ(told.code, TZ_E_FAILED_PRECONDITION);
  EXPECT_THAT(told.text, HasSubstr("lacks what the code needs: sub-groups of "
                                   "24 lanes, which kernel 'groups' requires "
                                   "(it has "));
}

TEST_F(ClFault, DeviceWithoutMemoryOfPlainAddresses) {
  begin();
  shim().reset();
  // The real driver has both; here neither is told.
  ClFacts facts = readFacts(device->driver, device->native, device->extensions);
  EXPECT_TRUE(facts.hasUnifiedMemory);
  const_cast<ClFacts &>(device->facts).hasUnifiedMemory = false;
  const_cast<ClFacts &>(device->facts).hasSharedMemory = false;
  tz_dptr out = 0;
  const Told told = calls.allocate(device, TZ_MEM_DEVICE, 16, 0, nullptr, &out);
  EXPECT_EQ(told.code, TZ_E_FAILED_PRECONDITION);
  EXPECT_THAT(told.text,
              HasSubstr("has no memory with plain addresses: its driver has "
                        "neither cl_intel_unified_shared_memory nor shared "
                        "virtual memory"));
}

TEST_F(ClFault, CompilerOfTheDriverTellsItsLog) {
  begin();
  tz_module *none = nullptr;
  std::vector<std::string> log;
  const Told told = load(spirv("call"), &none, &log);
  ASSERT_NE(told.code, TZ_E_OK) << "the driver links what nobody has";
  EXPECT_EQ(told.code, TZ_E_UNSUPPORTED_OP);
  EXPECT_THAT(told.text, StartsWith("cannot load SPIR-V on intel:0 ("));
  EXPECT_THAT(told.text, HasSubstr("CL_BUILD_PROGRAM_FAILURE (-11)"));
  EXPECT_THAT(told.text, HasSubstr("the driver's compiler says: "));
  EXPECT_THAT(log, Contains(HasSubstr("no_such_thing_at_all")));
}

TEST_F(ClFault, EachLineOfALogIsADiagnostic) {
  begin();
  fail("clBuildProgram", CL_BUILD_PROGRAM_FAILURE);
  shim().log = "Compilation started\n\nerror: undefined reference to 'f'\n  in "
               "kernel 'k'\n";
  tz_module *none = nullptr;
  std::vector<std::string> log;
  const Told told = load(spirv(), &none, &log);
  EXPECT_EQ(log, (std::vector<std::string>{"Compilation started",
                                           "error: undefined reference to 'f'",
                                           "  in kernel 'k'"}));
  EXPECT_THAT(told.text, HasSubstr("the driver's compiler says: error: "
                                   "undefined reference to 'f'"));
  EXPECT_EQ(told.native, CL_BUILD_PROGRAM_FAILURE);
}

TEST_F(ClFault, DamagedModule) {
  begin();
  tz_module *none = nullptr;
  EXPECT_EQ(load(spirv().substr(0, 400), &none).code, TZ_E_DATA_LOSS);
  EXPECT_EQ(load("", &none).code, TZ_E_DATA_LOSS);
  const tz_blob other{plugin::str("main"), plugin::str("elf"), {"x", 1}};
  EXPECT_EQ(Told(calls.load(device, &other, 1, nullptr, &none)).text,
            "the artifact has no blob of format 'spirv'");
}

TEST_F(ClFault, WorkGroupOfTheWrongSize) {
  begin();
  tz_kernel *groups = kernel("groups");
  const tz_dptr out = memory(64);
  const Told told = launch(groups, Packed() << out << out << out, 1, 32);
  EXPECT_EQ(told.code, TZ_E_INVALID_ARGUMENT);
  EXPECT_EQ(told.text, "kernel 'groups' was compiled for work-groups of "
                       "64x1x1, the launch asks for 32x1x1");
}

TEST_F(ClFault, CooperativeLaunch) {
  begin();
  const tz_dptr out = memory(64);
  const Packed packed = Packed() << out << int32_t(1);
  tz_launch asked = request(packed, 1, 1);
  asked.flags = TZ_LAUNCH_COOPERATIVE;
  const Told told = api.launch(stream, kernel("count"), &asked);
  EXPECT_EQ(told.code, TZ_E_FAILED_PRECONDITION);
  EXPECT_THAT(told.text, HasSubstr("which OpenCL does not promise"));
}

TEST_F(ClFault, LaunchThatTheDriverRefuses) {
  begin();
  tz_kernel *count = kernel("count");
  const tz_dptr out = memory(64);
  fail("clEnqueueNDRangeKernel", CL_OUT_OF_RESOURCES);
  const Told told = launch(count, Packed() << out << int32_t(1));
  EXPECT_EQ(told.code, TZ_E_RESOURCE_LIMIT);
  EXPECT_EQ(told.native, CL_OUT_OF_RESOURCES);
  EXPECT_THAT(told.text, StartsWith("cannot launch kernel 'count' on intel:0 "
                                    "(1x1x1 work-items a group): "
                                    "CL_OUT_OF_RESOURCES (-5)"));
}

TEST_F(ClFault, FaultOfAKernelNamesIt) {
  begin();
  const tz_dptr out = memory(64);
  ASSERT_EQ(launch(kernel("count"), Packed() << out << int32_t(1)).code,
            TZ_E_OK);
  fail("clFinish", CL_OUT_OF_RESOURCES);
  const Told told = api.stream_sync(stream);
  EXPECT_EQ(told.code, TZ_E_DEVICE_LOST);
  EXPECT_EQ(told.flags, uint32_t(TZ_ERR_STICKY));
  EXPECT_THAT(told.text, HasSubstr("the last kernel on it was 'count'"));
}

TEST_F(ClFault, ContextThatCannotBeMade) {
  const Told made = open();
  ASSERT_EQ(made.code, TZ_E_OK) << made.text;
  device = devices(TZ_DEVICES_REAL).front();
  fail("clCreateContext", CL_DEVICE_NOT_AVAILABLE);
  const Told told = calls.createStream(device, 0, &stream);
  EXPECT_EQ(told.code, TZ_E_UNAVAILABLE);
  EXPECT_EQ(told.flags, uint32_t(TZ_ERR_RETRY));
  EXPECT_THAT(told.text, StartsWith("cannot start work on intel:0 ("));
  // The same call works when the driver does again.
  shim().failing.clear();
  EXPECT_EQ(Told(calls.createStream(device, 0, &stream)).code, TZ_E_OK);
}

} // namespace
} // namespace tz::intel::test
