//===- ReadModule.cpp - reading a module, listing its kernels -------------===//
//
// What   parseModule and what the file says about its kernels: parameters,
//        defaults, configurations, heuristics.
// Why    The driver chooses a kernel, a configuration and a specialisation from
//        this list before anything is elaborated.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/Frontend.h"
#include "core/frontend/builtins/Builtins.h"
#include "core/frontend/elaborate/ConstValues.h"
#include "core/frontend/elaborate/ModuleState.h"
#include "core/frontend/evaluate/BlockAnalysis.h"
#include "core/frontend/evaluate/Suggestions.h"
#include "core/frontend/evaluate/WorkBudget.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Process.h"

using namespace llvm;

namespace tz::frontend {

Module::Module(Surroundings around)
    : hidden(std::make_unique<State>(std::move(around))) {}
Module::~Module() = default;
Module::Module(Module &&) noexcept = default;
Module &Module::operator=(Module &&) noexcept = default;

StringRef Module::path() const { return hidden->main->path; }
const std::vector<KernelInfo> &Module::kernels() const {
  return hidden->kernels;
}

std::string Module::whyNoKernel(StringRef name) const {
  auto it = hidden->main->members.find(name);
  if (it == hidden->main->members.end() ||
      !it->second.value.is(ValueKind::Function)) {
    return "";
  }
  const ReasonObject &why = it->second.value.asFunction()->undecorated;
  return ("'" + name + "' is not a kernel: " +
          (why.loc.isValid() ? why.text : "it has no decorator @triton.jit"))
      .str();
}

const KernelInfo *Module::kernel(StringRef name) const {
  auto it = find_if(hidden->kernels,
                    [&](const KernelInfo &k) { return k.name == name; });
  return it == hidden->kernels.end() ? nullptr : &*it;
}

std::vector<std::shared_ptr<const SourceFile>> Module::sources() const {
  std::vector<std::shared_ptr<const SourceFile>> files = hidden->loader.files();
  erase_if(files, [](const auto &file) {
    return file->path().starts_with("<terrazzo>");
  });
  return files;
}

std::vector<ImportSearch> Module::searches() const {
  std::vector<ImportSearch> all;
  for (const auto &[question, file] : hidden->loader.searches()) {
    const auto &[importer, dots, name] = question;
    all.push_back({importer, dots, name, file});
  }
  return all;
}

const std::vector<HostRead> &Module::hostReads() const {
  return hidden->loader.hostReads();
}

const EnvironmentReads &Module::environment() const {
  return hidden->loader.environmentReads();
}

bool isEnvironment(const EnvironmentReads &reads) {
  return all_of(reads, [](const auto &read) {
    return sys::Process::GetEnv(read.first) == read.second;
  });
}

bool Module::readAll() const { return hidden->loader.readAll(); }

/// The source text of an expression, for annotations.
static std::string annotationText(const ast::Expr *expr) {
  if (!expr) {
    return "";
  }
  if (auto *name = dyn_cast<ast::Name>(expr)) {
    return name->id.str();
  }
  if (auto *attr = dyn_cast<ast::Attribute>(expr)) {
    return annotationText(attr->base) + "." + attr->name.str();
  }
  if (auto *constant = dyn_cast<ast::Constant>(expr)) {
    return constant->text.str();
  }
  return "...";
}

static int smallInt(const Value *value, int fallback) {
  return value && value->is(ValueKind::Int) && value->asInt() > 0 &&
                 value->asInt() < (1 << 20)
             ? int(value->asInt())
             : fallback;
}

static ConfigInfo configInfo(const Value &record) {
  ConfigInfo info;
  const SequenceObject &fields = record.sequence();
  info.numWarps = smallInt(fields.find("num_warps"), info.numWarps);
  info.numStages = smallInt(fields.find("num_stages"), info.numStages);
  info.numCtas = smallInt(fields.find("num_ctas"), info.numCtas);
  // Keywords that Config does not have are told apart with the target's options
  // at hand, as the names of kwargs are.
  for (const char *list : {"kwargs", "others"}) {
    const Value *kwargs = fields.find(list);
    if (!kwargs || !kwargs->is(ValueKind::Dict)) {
      continue;
    }
    for (auto &[key, value] : kwargs->dictionary().entries) {
      auto converted = toConstValue(value);
      if (key.is(ValueKind::String) && converted) {
        info.constexprs[key.asString()] = *converted;
      }
    }
  }
  if (int registers = smallInt(fields.find("maxnreg"), 0)) {
    info.constexprs["maxnreg"] = ConstValue::fromInt(registers);
  }
  return info;
}

/// Whether the option of jit(...) names the parameter or its index.
static bool listed(const Value &options, StringRef option, StringRef name,
                   size_t index) {
  if (!options.is(ValueKind::Dict)) {
    return false;
  }
  Value *list = options.dictionary().find(Value::string(option.str()));
  return list && list->isSequence() &&
         any_of(list->items(), [&](const Value &item) {
           return item.is(ValueKind::String)
                      ? item.asString() == name
                      : item.isIntegral() && item.asInt() == PyInt(index);
         });
}

static KernelInfo kernelInfo(const FunctionObject &function, Evaluator &ev) {
  KernelInfo info;
  info.name = function.name;
  info.loc = function.def->nameLoc;
  for (auto [index, param] : enumerate(function.params())) {
    ParamInfo p;
    p.name = param.name.str();
    p.isConstexpr = isConstexprParameter(param);
    p.annotation = annotationText(param.annotation);
    p.doNotSpecialize =
        listed(function.jitOptions, "do_not_specialize", param.name, index);
    p.doNotSpecializeAlignment =
        listed(function.jitOptions, "do_not_specialize_on_alignment",
               param.name, index);
    if (param.defaultValue) {
      p.defaultValue = toConstValue(ev.defaultOf(function, param));
    }
    info.params.push_back(std::move(p));
  }
  for (const Value &config : function.configs) {
    if (config.is(ValueKind::Record)) {
      info.configs.push_back(configInfo(config));
    }
  }
  info.tuneKey = function.tuneKey;
  for (auto &[name, value] : function.heuristics) {
    info.heuristics.push_back(name);
  }
  return info;
}

Module parseModule(std::string path, std::string text, DiagnosticSink &sink,
                   Surroundings around) {
  Module module(std::move(around));
  WorkBudget budget;
  Module::State &state = module.state();
  Evaluator evaluator(state.loader, languageBuiltins(), sink);
  const HostProgram &host = state.loader.host();
  state.main =
      host
          ? state.loader.addExcerpt(path, std::move(text), host.line(),
                                    host.scope(), evaluator)
          : state.loader.addModule(std::move(path), std::move(text), evaluator);
  std::vector<std::shared_ptr<FunctionObject>> functions;
  for (auto &entry : state.main->members) {
    const Value &value = entry.getValue().value;
    if (value.is(ValueKind::Function)) {
      auto function = value.asFunction();
      if (function->isJit && function->module.lock() == state.main &&
          function->name == entry.getKey()) {
        functions.push_back(std::move(function));
      }
    }
  }
  sort(functions, [](const auto &a, const auto &b) {
    return a->def->nameLoc.line < b->def->nameLoc.line;
  });
  for (const auto &function : functions) {
    if (Binding *options =
            state.loader.ask(*state.main, "@jit", function->loc(), evaluator)) {
      function->jitOptions = options->value;
    }
    state.kernels.push_back(kernelInfo(*function, evaluator));
  }
  // The last step may be the one that was too much.
  evaluator.chargeStep(SourceLoc{state.main->tree->file.get(), 0, 0, 0});
  return module;
}

std::shared_ptr<FunctionObject> findKernel(const Module &module, StringRef name,
                                           DiagnosticSink &sink) {
  const Module::State &state = module.state();
  auto it = state.main->members.find(name);
  if (it != state.main->members.end() &&
      it->second.value.is(ValueKind::Function) &&
      it->second.value.asFunction()->isJit) {
    return it->second.value.asFunction();
  }
  SourceLoc file{state.main->tree->file.get(), 0, 0, 0};
  if (it != state.main->members.end() &&
      it->second.value.is(ValueKind::Function)) {
    auto error =
        sink.error(it->second.loc, "'" + name +
                                       "' is not a kernel: it has no decorator "
                                       "@triton.jit");
    const ReasonObject &why = it->second.value.asFunction()->undecorated;
    if (why.loc.isValid()) {
      error.note(why.loc, why.text);
    }
    return nullptr;
  }
  SmallVector<StringRef> names;
  std::string list;
  for (const KernelInfo &kernel : state.kernels) {
    names.push_back(kernel.name);
    list += (list.empty() ? "" : ", ") + kernel.name;
  }
  auto error = sink.error(file, "no kernel '" + name + "' in this file" +
                                    didYouMean(name, names));
  error.note(list.empty() ? Twine("the file defines no jit function")
                          : "it defines " + Twine(list));
  return nullptr;
}

bool evaluateHeuristics(const Module &module, StringRef kernel,
                        const std::set<std::string> &given,
                        std::map<std::string, ConstValue> &known,
                        DiagnosticSink &sink) {
  auto function = findKernel(module, kernel, sink);
  if (!function) {
    return false;
  }
  Module::State &state = module.state();
  WorkBudget budget;
  Evaluator evaluator(state.loader, languageBuiltins(), sink);
  for (auto &[name, heuristic] : function->heuristics) {
    if (given.count(name)) {
      continue;
    }
    Value arguments = Value::dict();
    for (auto &[key, value] : known) {
      if (auto converted = fromConstValue(value, *state.main, evaluator)) {
        arguments.dictionary().set(Value::string(key), *converted);
      }
    }
    CallArgs args;
    args.add(arguments, function->loc());
    Value result = evaluator.call(heuristic, args, function->loc());
    auto converted = toConstValue(result);
    const bool isParameter =
        any_of(function->params(), [&name = name](const ast::Parameter &param) {
          return param.name == name;
        });
    if (!converted && !isParameter) {
      continue;
    }
    if (!converted) {
      auto error =
          sink.error(function->loc(), "heuristic for '" + name +
                                          "' cannot be evaluated; give "
                                          "the value yourself");
      if (result.is(ValueKind::Unknown)) {
        error.note(result.reason().loc, result.reason().text);
      }
      return false;
    }
    known[name] = *converted;
  }
  // The last step may be the one that was too much.
  return evaluator.chargeStep(function->loc());
}

} // namespace tz::frontend
