//===- CaptureFile.cpp - a launch as one file -----------------------------===//
//
// What   See CaptureFile.h.
// Why    See CaptureFile.h.
//===----------------------------------------------------------------------===//
#include "runtime/capture/CaptureFile.h"

#include "runtime/file/File.h"
#include "runtime/launch/PlanEvaluator.h"
#include "runtime/loader/Json.h"
#include "runtime/profile/DocumentWriter.h"

#include <charconv>

namespace tz::runtime {

static constexpr std::string_view Mark = "TZCAPT", Version = "1\n";
static constexpr size_t Alignment = 64;

static size_t aligned(size_t size) {
  return (size + Alignment - 1) / Alignment * Alignment;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// JSON has no integers of 64 bits that every reader keeps.
static std::string hexadecimal(uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof(text), "0x%llx", (unsigned long long)value);
  return text;
}

static std::string exactly(double value) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.17g", value);
  return text;
}

namespace {
class DescriptionWriter {
public:
  explicit DescriptionWriter(const TextSink &sink) : to(false, sink) {}

  void write(const CapturedLaunch &launch);
  bool finish() { return to.finish(); }
  /// What lies behind the description, in order.
  std::vector<std::string_view> parts;

private:
  void member(std::string_view key, std::string text) {
    to.key(key);
    to.value(std::move(text));
  }
  void member(std::string_view key, int64_t value) {
    to.key(key);
    to.value(value);
  }
  void part(std::string_view key, std::string_view content) {
    member(key, int64_t(at));
    parts.push_back(content);
    at += aligned(content.size());
  }
  void write(const KeyValue &option);
  void write(const CapturedArgument &argument);
  void write(const CapturedArray &array);

  DocumentWriter to;
  size_t at = 0;
};
} // namespace

void DescriptionWriter::write(const KeyValue &option) {
  to.beginObject(3);
  member("name", option.key);
  member("kind", int64_t(option.kind));
  member("value", option.kind == TZ_KV_STR   ? option.str
                  : option.kind == TZ_KV_F64 ? exactly(option.f64)
                                             : std::to_string(option.i64));
  to.end();
}

void DescriptionWriter::write(const CapturedArgument &argument) {
  const bool isPointer = argument.type == TZ_TYPE_PTR;
  to.beginObject(isPointer ? 5 : 3);
  member("name", argument.name);
  member("type", int64_t(argument.type));
  if (isPointer) {
    member("element", int64_t(argument.element));
    member("array", argument.array);
  }
  member(isPointer ? "distance" : "bits", hexadecimal(argument.bits));
  to.end();
}

void DescriptionWriter::write(const CapturedArray &array) {
  to.beginObject(array.hasContent ? 5 : 11);
  member("name", array.name);
  member("element", int64_t(array.element));
  member("address", hexadecimal(array.address));
  member("bytes", int64_t(array.bytes));
  if (array.hasContent) {
    part("content", array.content);
  } else {
    const ArrayStatistics &of = array.statistics;
    member("finite", int64_t(of.finite));
    member("nan", int64_t(of.nan));
    member("infinite", int64_t(of.infinite));
    member("least", exactly(of.least));
    member("most", exactly(of.most));
    member("mean", exactly(of.mean));
    member("deviation", exactly(of.deviation));
  }
  to.end();
}

void DescriptionWriter::write(const CapturedLaunch &launch) {
  to.beginObject(14);
  member("kernel", launch.kernel);
  member("source", launch.source);
  member("reason", launch.reason);
  member("version", launch.version);
  member("target", launch.target);
  member("device", launch.device);
  member("driver", launch.driver);
  to.key("grid");
  to.value(std::vector<int64_t>(launch.grid.begin(), launch.grid.end()));
  auto list = [&](std::string_view key, const auto &items) {
    to.key(key);
    to.beginArray(items.size());
    for (const auto &item : items) {
      write(item);
    }
    to.end();
  };
  list("options", launch.options);
  list("arguments", launch.arguments);
  member("form", std::string(launch.isArtifact ? "artifact" : "tile"));
  member("code_bytes", int64_t(launch.code.size()));
  part("code", launch.code);
  list("arrays", launch.arrays);
  to.end();
}

Status writeCapture(const std::string &path, const CapturedLaunch &launch) {
  std::string description;
  TextSink sink = [&](std::string_view text) {
    description += text;
    return true;
  };
  DescriptionWriter writer(sink);
  writer.write(launch);
  (void)writer.finish();
  std::string head = std::string(Mark) + std::string(Version) +
                     std::to_string(description.size()) + "\n" + description;
  head.resize(aligned(head.size()));
  static constexpr char Zeros[Alignment] = {};
  std::vector<std::string_view> parts = {head};
  for (std::string_view part : writer.parts) {
    parts.push_back(part);
    parts.emplace_back(Zeros, aligned(part.size()) - part.size());
  }
  const std::string whole = absolutePath(path), folder = parentFolder(whole);
  Descriptor open(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const int error =
      open ? replaceFileAt(open.get(), whole.substr(whole.rfind('/') + 1),
                           parts, 0600)
           : errno;
  return error ? Status(TZ_E_UNAVAILABLE,
                        path + " cannot be written: " + describeError(error))
               : Status();
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

bool isCapture(std::string_view bytes) { return bytes.starts_with(Mark); }

static Status damaged(std::string_view what) {
  return Status(TZ_E_DATA_LOSS,
                "the captured launch is damaged: " + std::string(what));
}

namespace {
/// Members of an object; the first that is not as it must be is told by
/// status().
class Members {
public:
  Members(const JsonValue &object, Status &status)
      : object(object), failure(status) {}

  const JsonValue *find(std::string_view key, JsonValue::Kind kind) {
    const JsonValue *found =
        object.is(JsonValue::Object) ? object.find(key) : nullptr;
    if (!found || !found->is(kind)) {
      fail(key);
      return nullptr;
    }
    return found;
  }
  std::string text(std::string_view key) {
    const JsonValue *found = find(key, JsonValue::String);
    return found ? found->text : std::string();
  }
  int64_t integer(std::string_view key) {
    const JsonValue *found = find(key, JsonValue::Integer);
    return found ? found->integer : 0;
  }
  uint64_t bits(std::string_view key) {
    const std::string value = text(key);
    uint64_t result = 0;
    const char *end = value.data() + value.size();
    if (value.size() < 3 ||
        std::from_chars(value.data() + 2, end, result, 16).ptr != end) {
      fail(key);
    }
    return result;
  }
  double number(std::string_view key) {
    const std::string value = text(key);
    char *end = nullptr;
    const double result = std::strtod(value.c_str(), &end);
    if (value.empty() || *end) {
      fail(key);
    }
    return result;
  }
  bool has(std::string_view key) const {
    return object.is(JsonValue::Object) && object.find(key);
  }
  void fail(std::string_view key) {
    if (failure.ok()) {
      failure = damaged("'" + std::string(key) + "'");
    }
  }

private:
  const JsonValue &object;
  Status &failure;
};
} // namespace

/// The part of so many bytes that lies so far behind the description.
static std::string partOf(std::string_view behind, int64_t at, int64_t size,
                          std::string_view key, Members &members) {
  if (at < 0 || size < 0 || uint64_t(at) > behind.size() ||
      uint64_t(size) > behind.size() - uint64_t(at)) {
    members.fail(key);
    return {};
  }
  return std::string(behind.substr(size_t(at), size_t(size)));
}

static KeyValue readOption(const JsonValue &value, Status &status) {
  Members in(value, status);
  KeyValue option;
  option.key = in.text("name");
  option.kind = uint32_t(in.integer("kind"));
  switch (option.kind) {
  case TZ_KV_STR:
    option.str = in.text("value");
    break;
  case TZ_KV_F64:
    option.f64 = in.number("value");
    break;
  case TZ_KV_I64:
  case TZ_KV_BOOL:
    option.i64 = int64_t(std::strtoll(in.text("value").c_str(), nullptr, 10));
    break;
  default:
    in.fail("kind");
  }
  return option;
}

static CapturedArgument readArgument(const JsonValue &value, size_t numArrays,
                                     Status &status) {
  Members in(value, status);
  CapturedArgument argument;
  argument.name = in.text("name");
  argument.type = uint32_t(in.integer("type"));
  if (argument.type == TZ_TYPE_PTR) {
    argument.element = uint32_t(in.integer("element"));
    argument.array = in.integer("array");
    if (argument.array < CapturedArgument::Unknown ||
        argument.array >= int64_t(numArrays)) {
      in.fail("array");
    }
    argument.bits = in.bits("distance");
  } else {
    if (typeSize(argument.type) == 0) {
      in.fail("type");
    }
    argument.bits = in.bits("bits");
  }
  return argument;
}

static CapturedArray readArray(const JsonValue &value, std::string_view behind,
                               Status &status) {
  Members in(value, status);
  CapturedArray array;
  array.name = in.text("name");
  array.element = uint32_t(in.integer("element"));
  array.address = in.bits("address");
  array.bytes = uint64_t(in.integer("bytes"));
  if (array.bytes > uint64_t(1) << 40) {
    in.fail("bytes");
  }
  array.hasContent = in.has("content");
  if (array.hasContent) {
    array.content = partOf(behind, in.integer("content"), int64_t(array.bytes),
                           "content", in);
    return array;
  }
  ArrayStatistics &of = array.statistics;
  of.finite = uint64_t(in.integer("finite"));
  of.nan = uint64_t(in.integer("nan"));
  of.infinite = uint64_t(in.integer("infinite"));
  of.least = in.number("least");
  of.most = in.number("most");
  of.mean = in.number("mean");
  of.deviation = in.number("deviation");
  return array;
}

static Status readDescription(const JsonValue &value, std::string_view behind,
                              CapturedLaunch &launch) {
  Status status;
  Members in(value, status);
  for (auto [key, to] : {std::pair("kernel", &launch.kernel),
                         {"source", &launch.source},
                         {"reason", &launch.reason},
                         {"version", &launch.version},
                         {"target", &launch.target},
                         {"device", &launch.device},
                         {"driver", &launch.driver}}) {
    *to = in.text(key);
  }
  if (const JsonValue *grid = in.find("grid", JsonValue::Array)) {
    for (size_t axis = 0; axis < 3; ++axis) {
      if (grid->items.size() != 3 ||
          !grid->items[axis].is(JsonValue::Integer)) {
        in.fail("grid");
        break;
      }
      launch.grid[axis] = grid->items[axis].integer;
    }
  }
  const std::string form = in.text("form");
  launch.isArtifact = form == "artifact";
  if (!launch.isArtifact && form != "tile") {
    in.fail("form");
  }
  launch.code =
      partOf(behind, in.integer("code"), in.integer("code_bytes"), "code", in);
  auto each = [&](std::string_view key, auto read) {
    if (const JsonValue *list = in.find(key, JsonValue::Array)) {
      for (const JsonValue &item : list->items) {
        if (status.ok()) {
          read(item);
        }
      }
    }
  };
  each("options", [&](const JsonValue &item) {
    launch.options.push_back(readOption(item, status));
  });
  each("arrays", [&](const JsonValue &item) {
    launch.arrays.push_back(readArray(item, behind, status));
  });
  each("arguments", [&](const JsonValue &item) {
    launch.arguments.push_back(
        readArgument(item, launch.arrays.size(), status));
  });
  return status;
}

Result<CapturedLaunch> readCapture(std::string_view bytes) {
  if (!isCapture(bytes)) {
    return Status(TZ_E_DATA_LOSS, "this is no captured launch");
  }
  bytes.remove_prefix(Mark.size());
  if (!bytes.starts_with(Version)) {
    return Status(TZ_E_IR_VERSION,
                  "the captured launch is of another version than this "
                  "program reads (1)");
  }
  std::string_view rest = bytes.substr(Version.size());
  size_t size = 0;
  auto [end, error] =
      std::from_chars(rest.data(), rest.data() + rest.size(), size, 10);
  rest.remove_prefix(size_t(end - rest.data()));
  if (error != std::errc() || !rest.starts_with('\n') ||
      size > rest.size() - 1) {
    return damaged("its size");
  }
  const std::string_view description = rest.substr(1, size);
  constexpr int maxDepth = 8;
  Result<JsonValue> value = parseJson(description, maxDepth);
  if (!value) {
    return damaged(value.status().message());
  }
  const std::string_view whole(bytes.data() - Mark.size(),
                               bytes.size() + Mark.size());
  const size_t head = aligned(size_t(description.end() - whole.begin()));
  CapturedLaunch launch;
  Status status = readDescription(
      *value, whole.substr(std::min(head, whole.size())), launch);
  return status.ok() ? Result<CapturedLaunch>(std::move(launch))
                     : Result<CapturedLaunch>(std::move(status));
}

} // namespace tz::runtime
