//===- HalfFixture.h - a device half over its table -----------------------===//
//
// What   An error object as code and text; a platform, a device and a stream;
//        the test kernels; launches with packed arguments.
// Why    Halves over different drivers answer the same table, so they are asked
//        the same way.
//
// The tests of this folder are compiled for each half. TZ_TEST_FIXTURE is a
// header with tz::halves::HalfUnderTest, a HalfFixture that has besides
//   void begin()              a platform, its first device, a stream
//   Told open()               the platform alone
//   void watchCalls()         every call of the driver may fail (FaultyCalls.h)
//   static int objectsLeft()  of the driver's, once the platform is gone
//   static int sharedUses()   two threads in one object of the driver's
//   static constexpr int32_t Pace     steps of a loop are divided by it
// Its kernels are those of plugins/intel/device/test/kernels.ll.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_TEST_HALVES_HALFFIXTURE_H
#define TERRAZZO_TEST_HALVES_HALFFIXTURE_H

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "test/unit/abi/TableCalls.h"

#include <terrazzo/plugin/Error.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

namespace tz::halves {

/// What an error object said; released.
struct Told {
  int32_t code = TZ_E_OK, native = 0;
  uint32_t flags = 0;
  std::string text;

  Told(tz_error *error) {
    if (error) {
      code = error->code;
      native = error->native_code;
      flags = error->flags;
      text.assign(error->message.data, error->message.size);
      if (error->release) {
        error->release(error);
      }
    }
  }
};

inline std::string bytesOf(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// OpModuleProcessed with this text.
inline std::vector<uint32_t> noteOf(std::string text) {
  text.append(4 - text.size() % 4, '\0');
  std::vector<uint32_t> note(1 + text.size() / 4, 330);
  std::memcpy(note.data() + 1, text.data(), text.size());
  return note;
}

/// The module with a note, before its first type or decoration.
inline std::string noted(std::string module, const std::string &text) {
  constexpr uint32_t firstType = 19, lastType = 39, decoration = 71;
  size_t at = 20; // behind the header
  uint32_t word = 0;
  for (; at < module.size(); at += size_t(4) * (word >> 16)) {
    std::memcpy(&word, module.data() + at, sizeof(word));
    const uint32_t opcode = word & 0xffff;
    if (opcode == decoration || (opcode >= firstType && opcode <= lastType)) {
      break;
    }
  }
  std::vector<uint32_t> note = noteOf(text);
  note.front() |= uint32_t(note.size()) << 16;
  return module.insert(at, reinterpret_cast<const char *>(note.data()),
                       4 * note.size());
}

/// Arguments one behind the other, each aligned to its size.
class Packed {
public:
  template <typename T>
  Packed &operator<<(T value) {
    const size_t at = (bytes.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    bytes.resize(at + sizeof(T));
    std::memcpy(bytes.data() + at, &value, sizeof(T));
    return *this;
  }
  const void *data() const { return bytes.data(); }
  size_t size() const { return bytes.size(); }

private:
  std::vector<unsigned char> bytes;
};

/// A table, a platform made with options, and its first device.
class HalfFixture : public testing::Test {
protected:
  /// format: of the blob with the kernels, whose bytes `code` are.
  HalfFixture(const tz_device_api &api, std::string format, std::string code)
      : api(api), calls{api}, format(std::move(format)), code(std::move(code)) {
  }

  Told open(const std::string &key, const std::string &value) {
    tz_kv option{};
    option.key = plugin::str(key);
    option.kind = TZ_KV_STR;
    option.str = plugin::str(value);
    return calls.create(nullptr, &option, 1, &platform);
  }
  std::vector<tz_device *> devices(uint32_t which) {
    tz_device *const *list = nullptr;
    size_t count = 0;
    const Told told = api.devices(platform, which, &list, &count);
    EXPECT_EQ(told.code, TZ_E_OK) << told.text;
    return {list, list + count};
  }
  void TearDown() override {
    if (stream) {
      api.stream_destroy(stream);
    }
    if (module) {
      api.module_unload(module);
    }
    if (platform) {
      api.destroy(platform);
    }
  }

  tz_dptr memory(uint64_t bytes, uint32_t kind = TZ_MEM_DEVICE) {
    tz_dptr out = 0;
    const Told told = calls.allocate(device, kind, bytes, 0, nullptr, &out);
    EXPECT_EQ(told.code, TZ_E_OK) << told.text;
    return out;
  }
  template <typename T>
  tz_dptr upload(const std::vector<T> &values) {
    const tz_dptr to = memory(values.size() * sizeof(T));
    const Told told =
        api.copy(stream, to, reinterpret_cast<tz_dptr>(values.data()),
                 values.size() * sizeof(T), TZ_COPY_HOST_TO_DEVICE);
    EXPECT_EQ(told.code, TZ_E_OK) << told.text;
    sync();
    return to;
  }
  template <typename T>
  std::vector<T> download(tz_dptr from, size_t count) {
    std::vector<T> values(count);
    const Told told = api.copy(stream, reinterpret_cast<tz_dptr>(values.data()),
                               from, count * sizeof(T), TZ_COPY_DEVICE_TO_HOST);
    EXPECT_EQ(told.code, TZ_E_OK) << told.text;
    sync();
    return values;
  }
  void sync() {
    const Told told = api.stream_sync(stream);
    EXPECT_EQ(told.code, TZ_E_OK) << told.text;
  }
  Told load(const std::string &code, tz_module **out,
            std::vector<std::string> *log = nullptr) {
    const tz_blob blob{
        plugin::str("main"), plugin::str(format), {code.data(), code.size()}};
    tz_module_desc desc{sizeof(desc), nullptr, &blob, 1, log, nullptr};
    if (log) {
      desc.on_diagnostic = [](void *to, const tz_diagnostic *said) {
        static_cast<std::vector<std::string> *>(to)->emplace_back(
            plugin::view(said->message));
      };
    }
    return api.module_load(device, &desc, out);
  }
  tz_kernel *kernel(std::string_view name) {
    if (!module) {
      const Told told = load(code, &module);
      EXPECT_EQ(told.code, TZ_E_OK) << told.text;
    }
    tz_kernel *out = nullptr;
    const Told told = api.kernel_get(module, plugin::str(name), &out);
    EXPECT_EQ(told.code, TZ_E_OK) << told.text;
    return out;
  }
  static tz_launch request(const Packed &packed, uint32_t grid,
                           uint32_t block) {
    tz_launch launch{};
    launch.struct_size = sizeof(launch);
    for (int axis = 0; axis < 3; ++axis) {
      launch.grid[axis] = axis ? 1 : grid;
      launch.block[axis] = axis ? 1 : block;
      launch.cluster[axis] = 1;
    }
    launch.args = packed.data();
    launch.args_size = packed.size();
    return launch;
  }
  Told launch(tz_kernel *kernel, const Packed &packed, uint32_t grid = 1,
              uint32_t block = 1) {
    const tz_launch asked = request(packed, grid, block);
    return api.launch(stream, kernel, &asked);
  }

  const tz_device_api &api;
  const tz::test::TableCalls calls;
  const std::string format, code;
  tz_platform *platform = nullptr;
  tz_device *device = nullptr;
  tz_stream *stream = nullptr;
  tz_module *module = nullptr;
};

} // namespace tz::halves

#endif
