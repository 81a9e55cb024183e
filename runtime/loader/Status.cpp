//===- Status.cpp - what went wrong, as a value ---------------------------===//
//
// What   Code names and the reading of a plugin's error object.
// Why    An error object comes from a stranger: sizes and codes are checked
//        here and nowhere else.
//===----------------------------------------------------------------------===//
#include "runtime/loader/Status.h"

namespace tz::runtime {

Status Status::in(std::string_view where) && {
  if (!ok()) {
    text = std::string(where) + ": " + text;
  }
  return std::move(*this);
}

bool Status::isTransient() const {
  for (const auto &[key, value] : facts) {
    if (key == "transient") {
      return true;
    }
  }
  return codeValue == TZ_E_OUT_OF_MEMORY;
}

const std::string *Status::fact(std::string_view key) const {
  for (const auto &[name, value] : facts) {
    if (name == key) {
      return &value;
    }
  }
  return nullptr;
}

const char *codeName(int32_t code) {
  switch (code) {
  case TZ_E_OK:
    return "TZ_E_OK";
  case TZ_E_CANCELLED:
    return "TZ_E_CANCELLED";
  case TZ_E_INVALID_ARGUMENT:
    return "TZ_E_INVALID_ARGUMENT";
  case TZ_E_TIMEOUT:
    return "TZ_E_TIMEOUT";
  case TZ_E_NOT_FOUND:
    return "TZ_E_NOT_FOUND";
  case TZ_E_OUT_OF_MEMORY:
    return "TZ_E_OUT_OF_MEMORY";
  case TZ_E_FAILED_PRECONDITION:
    return "TZ_E_FAILED_PRECONDITION";
  case TZ_E_OUT_OF_RANGE:
    return "TZ_E_OUT_OF_RANGE";
  case TZ_E_UNIMPLEMENTED:
    return "TZ_E_UNIMPLEMENTED";
  case TZ_E_INTERNAL:
    return "TZ_E_INTERNAL";
  case TZ_E_UNAVAILABLE:
    return "TZ_E_UNAVAILABLE";
  case TZ_E_DATA_LOSS:
    return "TZ_E_DATA_LOSS";
  case TZ_E_IR_VERSION:
    return "TZ_E_IR_VERSION";
  case TZ_E_UNSUPPORTED_OP:
    return "TZ_E_UNSUPPORTED_OP";
  case TZ_E_RESOURCE_LIMIT:
    return "TZ_E_RESOURCE_LIMIT";
  case TZ_E_DEVICE_LOST:
    return "TZ_E_DEVICE_LOST";
  case TZ_E_ASSERTION:
    return "TZ_E_ASSERTION";
  case TZ_E_FAULT:
    return "TZ_E_FAULT";
  default:
    return "TZ_E_UNKNOWN";
  }
}

static std::string valueText(const tz_kv &kv) {
  switch (kv.kind) {
  case TZ_KV_I64:
    return std::to_string(kv.i64);
  case TZ_KV_F64:
    return std::to_string(kv.f64);
  case TZ_KV_BOOL:
    return kv.i64 ? "true" : "false";
  case TZ_KV_STR:
    return std::string(view(kv.str));
  default:
    return {};
  }
}

Status takeError(tz_error *error, std::string_view who) {
  if (!error) {
    return Status::success();
  }
  // Success may not be disguised as an error object.
  int32_t code = TZ_HAS(error, tz_error, code) ? error->code : TZ_E_UNKNOWN;
  if (code == TZ_E_OK) {
    code = TZ_E_UNKNOWN;
  }
  std::string message(who);
  if (TZ_HAS(error, tz_error, message) && error->message.size) {
    message += message.empty() ? "" : ": ";
    message += view(error->message);
  } else {
    message += message.empty() ? "" : ": ";
    message += std::string("failed without a message (") + codeName(code) + ")";
  }
  Status status(code, std::move(message));
  if (TZ_HAS(error, tz_error, native_code) && error->native_code) {
    status.with("native_code", std::to_string(error->native_code));
  }
  if (TZ_HAS(error, tz_error, num_payload) && error->payload) {
    for (size_t i = 0; i < error->num_payload && i < 64; ++i) {
      status.with(std::string(view(error->payload[i].key)),
                  valueText(error->payload[i]));
    }
  }
  if (TZ_HAS(error, tz_error, flags) && (error->flags & TZ_ERR_STICKY)) {
    status.with("sticky", "true");
  }
  if (TZ_HAS(error, tz_error, flags) && (error->flags & TZ_ERR_RETRY)) {
    status.with("transient", "true");
  }
  if (TZ_HAS_FN(error, tz_error, release)) {
    error->release(error);
  }
  return status;
}

} // namespace tz::runtime
