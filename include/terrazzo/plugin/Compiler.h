//===- terrazzo/plugin/Compiler.h - a compiler half as a class ------------===//
//
// What   Derive from Compiler; compilerTable<Yours>() is the table that
//        get_interface("tz.compiler/1") answers.
// Why    Strings, ownership, struct sizes and exceptions are dealt with here,
//        once.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGIN_COMPILER_H
#define TERRAZZO_PLUGIN_COMPILER_H

#include <terrazzo/plugin/Artifact.h>
#include <terrazzo/plugin/Entry.h>
#include <terrazzo/plugin/Structs.h>

#include <map>
#include <mutex>
#include <span>

namespace tz::plugin {

/// A request as the plugin's header knows it: fields that an older host lacks
/// are zero. Pointers live until compile() returns.
struct Request : tz_compile_request {
  explicit Request(const tz_compile_request &from)
      : tz_compile_request(whole(&from)) {}
  const tz_kv *option(std::string_view key) const {
    for (size_t i = 0; i < num_options; ++i) {
      if (view(options[i].key) == key) {
        return &options[i];
      }
    }
    return nullptr;
  }
  int64_t integer(std::string_view key, int64_t otherwise) const {
    const tz_kv *kv = option(key);
    bool number = kv && (kv->kind == TZ_KV_I64 || kv->kind == TZ_KV_BOOL);
    return number ? kv->i64 : otherwise;
  }
  bool wants(std::string_view blob) const {
    for (std::string_view rest = view(emit); !rest.empty();) {
      size_t end = std::min(rest.find(','), rest.size());
      if (rest.substr(0, end) == blob) {
        return true;
      }
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return false;
  }
  /// Adds a text for people if the request asks for it.
  void emitText(Artifact &artifact, std::string_view blob,
                std::string text) const {
    if (wants(blob)) {
      artifact.blobs.push_back({std::string(blob), "text", std::move(text)});
    }
  }
  void report(uint32_t severity, std::string_view message,
              std::string_view file = {}, uint32_t line = 0,
              uint32_t col = 0) const {
    if (!on_diagnostic) {
      return;
    }
    tz_diagnostic d{};
    d.struct_size = sizeof(d);
    d.severity = severity;
    d.message = str(message);
    d.file = str(file);
    d.line = line;
    d.col = col;
    on_diagnostic(diag_ctx, &d);
  }
};

/// One line of list_options.
struct Option {
  std::string name, help;
  uint32_t kind = TZ_KV_I64;
  int64_t minimum = 0, maximum = 0, value = 0;
  std::string choices, choice;

  static Option integer(std::string name, int64_t minimum, int64_t maximum,
                        int64_t value, std::string help) {
    return {std::move(name), std::move(help), TZ_KV_I64, minimum,
            maximum,         value,           {},        {}};
  }
  static Option boolean(std::string name, bool value, std::string help) {
    return {std::move(name), std::move(help), TZ_KV_BOOL, 0, 1, value, {}, {}};
  }
  /// One of the numbers of `choices`, "128,256".
  static Option oneOf(std::string name, std::string choices, int64_t value,
                      std::string help) {
    return {std::move(name), std::move(help), TZ_KV_I64,          INT64_MIN,
            INT64_MAX,       value,           std::move(choices), {}};
  }
  /// choices: "row,column", or empty for any text.
  static Option text(std::string name, std::string choices, std::string choice,
                     std::string help) {
    return {std::move(name),    std::move(help),  TZ_KV_STR, 0, 0, 0,
            std::move(choices), std::move(choice)};
  }
};

/// Functions throw Failure (or anything) to fail. Called from any thread,
/// concurrently; with TZ_PLUGIN_SERIAL_COMPILER no two calls run at once in the
/// process.
///
/// A derived class may also have these public functions; the table's slot is
/// NULL without them:
///   void check(const Request &)
///     reports each op and type that the target has not, then throws
///     TZ_E_UNSUPPORTED_OP; compiles nothing.
///   std::vector<Option> options(std::string_view target)
///     asked once for each target.
class Compiler {
public:
  explicit Compiler(const tz_host *host) : host(host) {}
  virtual ~Compiler() = default;
  Compiler(const Compiler &) = delete;

  /// Ids, the default first. Asked once.
  virtual std::vector<std::string> targets() = 0;
  /// Throws TZ_E_NOT_FOUND for an id that is not served. What the description
  /// points to lives as long as the compiler.
  virtual tz_target_desc describe(std::string_view target) = 0;
  virtual Artifact compile(const Request &request) = 0;
  /// All that influences the artifact and is not in the request.
  virtual std::string fingerprint(const Request &) { return {}; }

  /// What describe() and compile() throw for an id that is not served.
  Failure unknownTarget(std::string_view target) {
    std::string known;
    const std::vector<std::string> ids = targets();
    for (const std::string &id : ids) {
      known += (known.empty() ? "" : ", ") + id;
    }
    return Failure(TZ_E_NOT_FOUND,
                   "unknown target '" + std::string(target) +
                       (ids.size() == 1 ? "'; there is " : "'; there are ") +
                       known);
  }
  /// Whether nobody waits for this compilation any more: poll it between
  /// passes.
  bool isCancelled(const Request &request) const {
    return host && TZ_HAS_FN(host, tz_host, is_cancelled) &&
           host->is_cancelled(host->ctx, request.request_id) != 0;
  }

  const tz_host *host;
};

namespace detail {

/// A target's options with the C structs over them.
struct OptionList {
  explicit OptionList(std::vector<Option> from) : options(std::move(from)) {
    infos.reserve(options.size());
    for (const Option &o : options) {
      infos.push_back({sizeof(tz_option_info), str(o.name), str(o.help), o.kind,
                       0, o.minimum, o.maximum, o.value, str(o.choices),
                       str(o.choice)});
      list.push_back(&infos.back());
    }
  }
  OptionList(const OptionList &) = delete;

  std::vector<Option> options;
  std::vector<tz_option_info> infos;
  std::vector<const tz_option_info *> list;
};

struct CompilerBox {
  std::unique_ptr<Compiler> compiler;
  std::vector<std::string> ids;
  std::vector<tz_str> idViews;
  std::mutex lock; // of options
  std::map<std::string, OptionList, std::less<>> options;
};
inline CompilerBox &box(tz_compiler *c) {
  return *reinterpret_cast<CompilerBox *>(c);
}

/// 32 bytes out of any text: FNV-1a with four different starts. It only has to
/// differ when the text differs; the host hashes it again.
inline void digest(std::string_view text, uint8_t out[32]) {
  for (uint64_t lane = 0; lane < 4; ++lane) {
    uint64_t h = 0xcbf29ce484222325u ^ (lane * 0x9e3779b97f4a7c15u);
    for (unsigned char c : text) {
      h = (h ^ c) * 0x100000001b3u;
    }
    std::memcpy(out + 8 * lane, &h, 8);
  }
}

template <typename T>
struct CompilerFunctions {
  static tz_error *create(const tz_create_desc *desc, tz_compiler **out) {
    return guarded([&] {
      auto made = std::make_unique<CompilerBox>();
      made->compiler = std::make_unique<T>(whole(desc).host);
      made->ids = made->compiler->targets();
      for (const std::string &id : made->ids) {
        made->idViews.push_back(str(id));
      }
      *out = reinterpret_cast<tz_compiler *>(made.release());
    });
  }
  static void destroy(tz_compiler *c) { delete &box(c); }
  static tz_error *listTargets(tz_compiler *c, const tz_str **ids, size_t *n) {
    *ids = box(c).idViews.data();
    *n = box(c).idViews.size();
    return nullptr;
  }
  static tz_error *describe(tz_compiler *c, tz_str target,
                            tz_target_desc *out) {
    return guarded(
        [&] { writeOut(out, box(c).compiler->describe(view(target))); });
  }
  static tz_error *fingerprint(tz_compiler *c, const tz_compile_request *r,
                               uint8_t out[32]) {
    return guarded(
        [&] { digest(box(c).compiler->fingerprint(Request(*r)), out); });
  }
  static tz_error *compile(tz_compiler *c, const tz_compile_request *r,
                           tz_artifact **out) {
    return guarded(
        [&] { *out = box(c).compiler->compile(Request(*r)).release(); });
  }
  static tz_error *check(tz_compiler *c, const tz_compile_request *r) {
    return guarded([&] { own(c).check(Request(*r)); });
  }
  static tz_error *listOptions(tz_compiler *c, tz_str target,
                               const tz_option_info *const **out, size_t *n) {
    return guarded([&] {
      std::lock_guard guard(box(c).lock);
      auto &known = box(c).options;
      auto it = known.find(view(target));
      if (it == known.end()) {
        std::string name(view(target));
        it = known.try_emplace(name, own(c).options(name)).first;
      }
      *out = it->second.list.data();
      *n = it->second.list.size();
    });
  }

private:
  static T &own(tz_compiler *c) { return static_cast<T &>(*box(c).compiler); }
};

} // namespace detail

template <typename T>
const tz_compiler_api *compilerTable() {
  using F = detail::CompilerFunctions<T>;
  static const tz_compiler_api table = [] {
    tz_compiler_api t{};
    t.struct_size = sizeof(t);
    t.create = F::create;
    t.destroy = F::destroy;
    t.list_targets = F::listTargets;
    t.describe_target = F::describe;
    t.fingerprint = F::fingerprint;
    t.compile = F::compile;
    if constexpr (requires { &T::check; }) {
      t.check = F::check;
    }
    if constexpr (requires { &T::options; }) {
      t.list_options = F::listOptions;
    }
    return t;
  }();
  return &table;
}

} // namespace tz::plugin

#endif
