//===- terrazzo/terrazzo.hpp - the embedding API for C++ ------------------===//
//
// What   Header-only RAII over terrazzo.h: handles that clean up, errors as
//        exceptions, typed buffers, and a launch that reads like a call.
// Why    The promise is the C interface; this file compiles into the program,
//        so it needs no ABI of its own. C++17.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_TERRAZZO_HPP
#define TERRAZZO_TERRAZZO_HPP

#include <terrazzo/terrazzo.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tz {

/// What went wrong; code() is a TZ_E_*.
class Error : public std::runtime_error {
public:
  explicit Error(tz_status_t status)
      : std::runtime_error(tz_status_message(status)),
        codeValue(tz_status_code(status)) {
    tz_status_release(status);
  }
  /// A mistake that is found before the library is called.
  Error(int32_t code, const std::string &message)
      : std::runtime_error(message), codeValue(code) {}
  int32_t code() const noexcept { return codeValue; }

private:
  int32_t codeValue;
};

inline void check(tz_status_t status) {
  if (status) {
    throw Error(status);
  }
}

namespace detail {

template <auto Destroy>
struct Deleter {
  template <typename T>
  void operator()(T *handle) const {
    Destroy(handle);
  }
};
template <typename Handle, auto Destroy>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Deleter<Destroy>>;

/// TZ_TYPE_* of a C++ type. Specialise it for a half type of your own.
template <typename T, typename = void>
struct TypeOf;
template <typename T>
struct TypeOf<T, std::enable_if_t<std::is_integral_v<T> &&
                                  !std::is_same_v<std::remove_cv_t<T>, bool>>> {
  static constexpr uint32_t log = sizeof(T) == 1   ? 0
                                  : sizeof(T) == 2 ? 1
                                  : sizeof(T) == 4 ? 2
                                                   : 3;
  static constexpr uint32_t value =
      (std::is_signed_v<T> ? TZ_TYPE_I8 : TZ_TYPE_U8) + log;
};
template <>
struct TypeOf<bool> {
  static constexpr uint32_t value = TZ_TYPE_I1;
};
template <>
struct TypeOf<float> {
  static constexpr uint32_t value = TZ_TYPE_F32;
};
template <>
struct TypeOf<double> {
  static constexpr uint32_t value = TZ_TYPE_F64;
};

} // namespace detail

class Session;
class Stream;

/// Belongs to its session; copies are cheap.
class Device {
public:
  tz_device_facts facts() const {
    tz_device_facts f{};
    f.struct_size = sizeof(f);
    check(tz_device_describe(handle, &f));
    return f;
  }
  std::string name() const { return facts().name; }
  tz_device_t get() const { return handle; }

private:
  friend class Session;
  explicit Device(tz_device_t d) : handle(d) {}
  tz_device_t handle;
};

class Event;

/// One thread at a time.
class Stream {
public:
  explicit Stream(const Device &device) {
    tz_stream_t made = nullptr;
    check(tz_stream_create(device.get(), &made));
    handle.reset(made);
  }
  /// Over a stream of the device's own interface, which stays the caller's and
  /// outlives this.
  static Stream wrap(const Device &device, void *native) {
    tz_stream_t made = nullptr;
    check(tz_stream_wrap(device.get(), native, &made));
    return Stream(made);
  }
  /// What is enqueued from now on begins after the event.
  inline void wait(const Event &event);
  /// Prints appear and device asserts are thrown here.
  void sync() { check(tz_stream_sync(handle.get())); }
  /// Here, too, of launches that have ended; does not wait.
  void poll() { check(tz_stream_poll(handle.get())); }
  /// From another thread: ends the launch or sync() that one waits in.
  void cancel() { check(tz_stream_cancel(handle.get())); }
  /// Limits each launch and sync(): TZ_E_TIMEOUT. Zero: no limit.
  void setTimeout(std::chrono::nanoseconds limit) {
    check(tz_stream_set_timeout(handle.get(), uint64_t(limit.count())));
  }
  /// Calls fn() when the work that the stream has now is done, also if it
  /// failed. The call may come on any thread. fn() must not call Terrazzo or
  /// the driver, must not block and must not throw.
  void callBack(std::function<void()> fn) {
    auto held = std::make_unique<std::function<void()>>(std::move(fn));
    check(tz_stream_call_back(
        handle.get(),
        [](void *user, int32_t) {
          std::unique_ptr<std::function<void()>> own(
              static_cast<std::function<void()> *>(user));
          (*own)();
        },
        held.get()));
    (void)held.release(); // the call owns it
  }
  tz_stream_t get() const { return handle.get(); }

private:
  explicit Stream(tz_stream_t made) : handle(made) {}
  detail::Owned<tz_stream_t, tz_stream_destroy> handle;
};

/// A point in a stream's work. One thread at a time.
class Event {
public:
  explicit Event(const Device &device) {
    tz_event_t made = nullptr;
    check(tz_event_create(device.get(), &made));
    handle.reset(made);
  }
  /// The point is the end of what the stream has been given so far.
  void record(Stream &stream) {
    check(tz_event_record(handle.get(), stream.get()));
  }
  bool isDone() const {
    int32_t done = 0;
    check(tz_event_query(handle.get(), &done));
    return done != 0;
  }
  /// Throws an Error of TZ_E_TIMEOUT after `timeoutNs`.
  void sync(uint64_t timeoutNs = UINT64_MAX) const {
    check(tz_event_sync(handle.get(), timeoutNs));
  }
  /// Nanoseconds from `start` to this one; both are done.
  uint64_t elapsedSince(const Event &start) const {
    uint64_t ns = 0;
    check(tz_event_elapsed_ns(start.get(), handle.get(), &ns));
    return ns;
  }
  tz_event_t get() const { return handle.get(); }

private:
  detail::Owned<tz_event_t, tz_event_destroy> handle;
};

inline void Stream::wait(const Event &event) {
  check(tz_stream_wait(handle.get(), event.get()));
}

/// Device memory for `size` elements of T.
template <typename T>
class Buffer {
public:
  Buffer(const Device &device, size_t size)
      : device(device.get()), count(size) {
    check(tz_memory_alloc(this->device, size * sizeof(T), &memory));
  }
  Buffer(Buffer &&other) noexcept
      : device(other.device), memory(std::exchange(other.memory, 0)),
        count(std::exchange(other.count, 0)) {}
  Buffer &operator=(Buffer &&other) noexcept {
    std::swap(device, other.device);
    std::swap(memory, other.memory);
    std::swap(count, other.count);
    return *this;
  }
  ~Buffer() {
    if (memory) {
      tz_status_release(tz_memory_free(device, memory));
    }
  }

  size_t size() const { return count; }
  uint64_t address() const { return memory; }
  /// Asynchronous; `from` stays valid until the stream has passed.
  void copyFrom(Stream &stream, const T *from, size_t n) {
    check(tz_copy_in(stream.get(), memory, from, bounded(n)));
  }
  void copyTo(Stream &stream, T *to, size_t n) const {
    check(tz_copy_out(stream.get(), to, memory, bounded(n)));
  }
  void copyFrom(Stream &stream, const std::vector<T> &from) {
    copyFrom(stream, from.data(), from.size());
  }
  /// Waits for the stream.
  std::vector<T> toVector(Stream &stream) const {
    std::vector<T> result(count);
    copyTo(stream, result.data(), count);
    stream.sync();
    return result;
  }

private:
  size_t bounded(size_t n) const {
    if (n > count) {
      throw Error(TZ_E_OUT_OF_RANGE, "copy of " + std::to_string(n) +
                                         " elements; the buffer has " +
                                         std::to_string(count));
    }
    return n * sizeof(T);
  }
  tz_device_t device;
  uint64_t memory = 0;
  size_t count;
};

/// A tensor of which the kernel takes blocks; a dense one unless strides say
/// otherwise. See tz_descriptor.
class Descriptor {
public:
  template <typename T>
  Descriptor(const Buffer<T> &buffer, const std::vector<int64_t> &shape,
             const std::vector<uint32_t> &block,
             const std::vector<int64_t> &strides = {},
             uint32_t padding = TZ_PADDING_ZERO)
      : Descriptor(buffer.address(), detail::TypeOf<T>::value, shape, block,
                   strides, padding) {}
  /// Of any memory of the device and type TZ_TYPE_*.
  Descriptor(uint64_t address, uint32_t element,
             const std::vector<int64_t> &shape,
             const std::vector<uint32_t> &block,
             const std::vector<int64_t> &strides = {},
             uint32_t padding = TZ_PADDING_ZERO)
      : held() {
    if (shape.size() != block.size() ||
        (!strides.empty() && strides.size() != shape.size())) {
      throw Error(TZ_E_INVALID_ARGUMENT,
                  "shape, block and strides of a descriptor differ in length");
    }
    held.struct_size = sizeof(held);
    held.data = address;
    held.element = element;
    held.rank = uint32_t(shape.size());
    held.padding = padding;
    int64_t dense = 1;
    for (size_t d = std::min<size_t>(shape.size(), TZ_DESCRIPTOR_MAX_RANK);
         d-- > 0;) {
      held.shape[d] = shape[d];
      held.block[d] = block[d];
      held.strides[d] = strides.empty() ? dense : strides[d];
      dense *= shape[d];
    }
  }
  const tz_descriptor &get() const { return held; }

private:
  tz_descriptor held;
};

class Tuple;

/// One argument of a launch: numbers, bools, buffers, strings, nullptr = None,
/// descriptors and tuples. It must not outlive what it is made from.
struct Argument : tz_arg {
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  Argument(T v) : tz_arg() {
    type = detail::TypeOf<T>::value;
    if constexpr (std::is_same_v<T, bool>) {
      bits = v ? 1 : 0;
    } else if constexpr (std::is_floating_point_v<T>) {
      std::memcpy(&bits, &v, sizeof(v));
    } else {
      bits = std::is_signed_v<T> ? uint64_t(int64_t(v)) : uint64_t(v);
    }
  }
  template <typename T>
  Argument(const Buffer<T> &b)
      : tz_arg(tz_pointer(b.address(), detail::TypeOf<T>::value)) {}
  /// The text must outlive the call.
  Argument(const char *text) : tz_arg(tz_string(text)) {}
  Argument(std::nullptr_t) : tz_arg(tz_none()) {}
  Argument(const Descriptor &d) : tz_arg(tz_descriptor_arg(&d.get())) {}
  inline Argument(const Tuple &t);
  Argument(const tz_arg &a) : tz_arg(a) {}
};

/// A value that the compiler knows, as tl.constexpr.
inline Argument constant(const Argument &value) { return tz_constexpr(value); }

/// A constant or option by name; an item of a named tuple.
struct Named : tz_named_arg {
  Named(const char *name, const Argument &value) : tz_named_arg{name, value} {}
};

/// Tuple{x, 3, constant(16)}, Tuple{Named("x", x), Named("n", 3)}. Refers to
/// the descriptors and tuples it is made from.
class Tuple {
public:
  Tuple(std::initializer_list<Argument> list)
      : items(list.begin(), list.end()) {
    point();
  }
  Tuple(std::initializer_list<Named> list) {
    for (const Named &item : list) {
      items.push_back(item.value);
      names.push_back(item.name);
    }
    point();
  }
  Tuple(const Tuple &) = delete;
  Tuple &operator=(const Tuple &) = delete;
  const tz_tuple &get() const { return held; }

private:
  void point() {
    held.struct_size = sizeof(held);
    held.items = items.data();
    held.num_items = items.size();
    held.names = names.empty() ? nullptr : names.data();
  }
  std::vector<tz_arg> items;
  std::vector<const char *> names;
  tz_tuple held{};
};

inline Argument::Argument(const Tuple &t) : tz_arg(tz_tuple_arg(&t.get())) {}

struct Grid {
  int64_t x = 1, y = 1, z = 1;
};

/// kernel(stream, {rows}, y, x, n, 1024): as Triton's kernel[grid](y, x, ...).
class Kernel {
public:
  template <typename... Args>
  void operator()(Stream &stream, Grid grid, const Args &...args) const {
    const std::array<tz_arg, sizeof...(Args)> list{Argument(args)...};
    const int64_t axes[3] = {grid.x, grid.y, grid.z};
    check(tz_kernel_launch(handle.get(), stream.get(), axes, list.data(),
                           list.size()));
  }
  /// Compiles and loads what such a launch would.
  template <typename... Args>
  void prepare(const Device &device, const Args &...args) const {
    const std::array<tz_arg, sizeof...(Args)> list{Argument(args)...};
    check(tz_kernel_prepare(handle.get(), device.get(), list.data(),
                            list.size()));
  }
  /// Writes the code of such a launch to a file, which Session::kernel takes
  /// where there is no compiler.
  template <typename... Args>
  void save(const Device &device, const std::string &path,
            const Args &...args) const {
    const std::array<tz_arg, sizeof...(Args)> list{Argument(args)...};
    check(tz_kernel_save(handle.get(), device.get(), list.data(), list.size(),
                         path.c_str()));
  }
  tz_kernel_t get() const { return handle.get(); }

private:
  friend class Session;
  explicit Kernel(tz_kernel_t k) : handle(k) {}
  detail::Owned<tz_kernel_t, tz_kernel_destroy> handle;
};

/// What surrounds a kernel file when Python runs it.
struct Imports {
  std::vector<std::string> roots; // folders of packages
  /// "package.module.name" and an expression.
  std::vector<std::pair<std::string, std::string>> globals;
};

/// Threads of the program's own, on which kernels run on devices of the host;
/// see tz_executor.
struct Executor {
  /// Sees to it that `task` is called `count` times, each time on any thread,
  /// now or later, through this object or copies of it. An exception ends the
  /// launch: with the code of an Error, else with TZ_E_INTERNAL.
  using Run =
      std::function<void(uint32_t count, const std::function<void()> &task)>;

  uint32_t threads = 1; ///< that work on one launch, the launching one included
  Run run;              ///< from any thread, several at once
  bool isConcurrent = false; ///< TZ_EXECUTOR_CONCURRENT
};

/// Outlives what it made.
class Session {
public:
  Session() : Session(nullptr) {}
  explicit Session(const tz_session_options &options) : Session(&options) {}
  /// `executor.run` is destroyed with the session, or if there is none.
  Session(tz_session_options options, Executor executor) {
    auto held = std::make_unique<Executor>(std::move(executor));
    const tz_executor table{
        sizeof(tz_executor),
        held->threads,
        held->isConcurrent ? uint32_t(TZ_EXECUTOR_CONCURRENT) : 0u,
        held.get(),
        held->run ? runTasks : nullptr,
        destroyExecutor};
    options.struct_size = sizeof(options);
    options.executor = &table;
    tz_session_t made = nullptr;
    check(tz_session_create(&options, &made));
    handle.reset(made);
    (void)held.release(); // the session's
  }

  /// "cpu", "cpu:1", "cpu:x86-64-v3", "auto" ... (tz_device_open); empty:
  /// TERRAZZO_TARGET, else "auto".
  Device device(const std::string &target = "") const {
    tz_device_t made = nullptr;
    check(tz_device_open(handle.get(), target.c_str(), &made));
    return Device(made);
  }
  /// A .py file with @triton.jit functions, tile IR, or an artifact.
  Kernel kernel(const std::string &path, const std::string &function = "",
                std::initializer_list<Named> constants = {},
                std::initializer_list<Named> options = {},
                const Imports &imports = {}) const {
    std::vector<tz_named_arg> c(constants.begin(), constants.end()),
        o(options.begin(), options.end());
    tz_kernel_source source{};
    source.struct_size = sizeof(source);
    source.path = path.c_str();
    source.function = function.empty() ? nullptr : function.c_str();
    source.constants = c.data();
    source.num_constants = c.size();
    source.options = o.data();
    source.num_options = o.size();
    std::vector<const char *> roots;
    for (const std::string &root : imports.roots) {
      roots.push_back(root.c_str());
    }
    std::vector<tz_global> globals;
    for (const auto &[name, expression] : imports.globals) {
      globals.push_back({name.c_str(), expression.c_str()});
    }
    source.import_roots = roots.data();
    source.num_import_roots = roots.size();
    source.globals = globals.data();
    source.num_globals = globals.size();
    tz_kernel_t made = nullptr;
    check(tz_kernel_load(handle.get(), &source, &made));
    return Kernel(made);
  }
  tz_session_t get() const { return handle.get(); }

private:
  static int32_t runTasks(void *ctx, uint32_t count, void (*task)(void *data),
                          void *data) {
    try {
      static_cast<Executor *>(ctx)->run(count, [task, data] { task(data); });
      return TZ_E_OK;
    } catch (const Error &error) {
      return error.code();
    } catch (...) {
      return TZ_E_INTERNAL;
    }
  }
  static void destroyExecutor(void *ctx) {
    delete static_cast<Executor *>(ctx);
  }
  explicit Session(const tz_session_options *options) {
    tz_session_t made = nullptr;
    check(tz_session_create(options, &made));
    handle.reset(made);
  }
  detail::Owned<tz_session_t, tz_session_destroy> handle;
};

/// What a session's launches cost, by scopes. Ends before its session.
class Profile {
public:
  /// data: TZ_PROFILE_TREE or TZ_PROFILE_TRACE.
  explicit Profile(const Session &session, uint32_t data = TZ_PROFILE_TREE) {
    tz_profile_options options{};
    options.struct_size = sizeof(options);
    options.data = data;
    tz_profile_t made = nullptr;
    check(tz_profile_start(session.get(), &options, &made));
    handle.reset(made);
  }
  void pause() { check(tz_profile_pause(handle.get())); }
  void resume() { check(tz_profile_resume(handle.get())); }
  /// Waits for what devices have to say of launches that were made.
  void flush() { check(tz_profile_flush(handle.get())); }
  /// Why times are less exact than they could be, or records are missing.
  std::string note() const { return tz_profile_note(handle.get()); }
  /// The last phase as text; "" is the profile's own format. Call flush()
  /// before.
  std::string content(const std::string &format = "") const {
    const char *bytes = nullptr;
    size_t size = 0;
    check(tz_profile_content(handle.get(), tz_profile_phase(handle.get()),
                             format.c_str(), &bytes, &size));
    return std::string(bytes, size);
  }
  void write(const std::string &path, const std::string &format = "") const {
    check(tz_profile_write(handle.get(), tz_profile_phase(handle.get()),
                           format.c_str(), path.c_str()));
  }
  tz_profile_t get() const { return handle.get(); }

private:
  detail::Owned<tz_profile_t, tz_profile_destroy> handle;
};

/// A name for what this thread launches while it lives.
class ProfileScope {
public:
  explicit ProfileScope(const std::string &name) {
    check(tz_profile_enter_scope(name.c_str()));
  }
  ~ProfileScope() { tz_status_release(tz_profile_exit_scope(nullptr)); }
  ProfileScope(const ProfileScope &) = delete;
  ProfileScope &operator=(const ProfileScope &) = delete;
};

} // namespace tz

#endif
