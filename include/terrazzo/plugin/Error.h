//===- terrazzo/plugin/Error.h - from C++ failures to tz_error ------------===//
//
// What   Failure, the exception that carries a TZ_E_* code; makeError(); and
//        guarded(), which runs a function and iterations whatever it throws
//        into a tz_error.
// Why    No exception crosses the boundary. With guarded() around each entry of
//        a table an author cannot forget it.
//
// This SDK header needs only plugin.h and the standard library. For LLVM, see
// terrazzo/plugin/LLVMError.h.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGIN_ERROR_H
#define TERRAZZO_PLUGIN_ERROR_H

#include <terrazzo/plugin.h>

#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tz::plugin {

inline std::string_view view(tz_str s) {
  return s.data ? std::string_view(s.data, s.size) : std::string_view();
}
/// The text must outlive the use.
constexpr tz_str str(std::string_view s) { return tz_str{s.data(), s.size()}; }

/// Thrown by a plugin's own code; becomes a tz_error at the boundary.
class Failure : public std::exception {
public:
  /// flags: TZ_ERR_*.
  Failure(int32_t code, std::string message, int32_t native = 0,
          uint32_t flags = 0)
      : code(code), native(native), flags(flags), message(std::move(message)) {}
  const char *what() const noexcept override { return message.c_str(); }

  int32_t code, native;
  uint32_t flags;
  std::string message;
};

/// A static error for when there is no memory for a better one.
inline tz_error *outOfMemory() noexcept {
  static const char text[] = "out of memory";
  static tz_error error = {sizeof(tz_error),
                           TZ_E_OUT_OF_MEMORY,
                           0,
                           TZ_ERR_STATIC,
                           0,
                           {text, sizeof(text) - 1},
                           nullptr,
                           0,
                           nullptr};
  return &error;
}

/// Owns: the caller, until its release.
inline tz_error *makeError(int32_t code, std::string_view message,
                           int32_t native = 0, uint32_t flags = 0) noexcept {
  struct Owned {
    tz_error error; // first, so that its address is ours
    std::string text;
  };
  try {
    auto *owned = new Owned{{}, std::string(message)};
    owned->error.struct_size = sizeof(tz_error);
    owned->error.code = code;
    owned->error.native_code = native;
    owned->error.flags = flags;
    owned->error.message = str(owned->text);
    owned->error.release = [](tz_error *e) {
      delete reinterpret_cast<Owned *>(e);
    };
    return &owned->error;
  } catch (...) {
    return outOfMemory();
  }
}

/// Runs `body`; what it returns, NULL if that is nothing, an error if it
/// throws.
template <typename Body>
tz_error *guarded(Body &&body) noexcept {
  try {
    if constexpr (std::is_void_v<decltype(body())>) {
      body();
      return nullptr;
    } else {
      return body();
    }
  } catch (const Failure &f) {
    return makeError(f.code, f.message, f.native, f.flags);
  } catch (const std::bad_alloc &) {
    return outOfMemory();
  } catch (const std::exception &e) {
    return makeError(TZ_E_INTERNAL, e.what());
  } catch (...) {
    return makeError(TZ_E_INTERNAL, "unknown exception");
  }
}

} // namespace tz::plugin

#endif
