//===- LanguageServer.cpp - the methods of the protocol -------------------===//
//
// What   See LanguageServer.h.
// Why    See LanguageServer.h.
//===----------------------------------------------------------------------===//
#include "core/editor/LanguageServer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace tz::editor {

using namespace llvm::json;
using llvm::StringRef;

namespace {
/// Of JSON-RPC and of the protocol.
constexpr int ParseFailed = -32700, InvalidRequest = -32600,
              MethodNotFound = -32601, InvalidParams = -32602,
              NotInitialized = -32002;
} // namespace

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

static std::string pathOf(StringRef uri) {
  uri.consume_front("file://");
  std::string path;
  for (size_t i = 0; i < uri.size(); ++i) {
    unsigned value = 0;
    if (uri[i] == '%' && i + 2 < uri.size() &&
        !uri.substr(i + 1, 2).getAsInteger(16, value)) {
      path += char(value);
      i += 2;
    } else {
      path += uri[i];
    }
  }
  return path;
}

static std::string uriOf(StringRef path) {
  std::string uri = "file://";
  for (char c : path) {
    uri += llvm::isAlnum(c) || StringRef("/-._~").contains(c)
               ? std::string(1, c)
               : "%" + llvm::toHex(StringRef(&c, 1));
  }
  return uri;
}

void LanguageServer::send(Object message) {
  message["jsonrpc"] = "2.0";
  isAtEnd |= !stream.write(Value(std::move(message)));
}

int LanguageServer::run() {
  while (!isAtEnd) {
    if (!stream.hasMore()) {
      analyseChanged(); // once for all changes that wait
    }
    std::optional<MessageStream::Message> message = stream.read();
    if (!message) {
      break;
    }
    if (message->problem.empty()) {
      handle(message->value);
    } else {
      send(Object{{"id", nullptr},
                  {"error", Object{{"code", ParseFailed},
                                   {"message", fixUTF8(message->problem)}}}});
    }
  }
  return isShutDown ? 0 : 1;
}

void LanguageServer::handle(const Value &message) {
  const Object *all = message.getAsObject();
  const Value *id = all ? all->get("id") : nullptr;
  const bool hasId = id && (id->getAsInteger() || id->getAsString());
  std::optional<StringRef> method =
      all ? all->getString("method") : std::nullopt;
  if (!method) {
    if (!all || !(all->get("result") || all->get("error"))) {
      send(Object{
          {"id", hasId ? *id : Value(nullptr)},
          {"error", Object{{"code", InvalidRequest},
                           {"message", "a request has a 'method', a text"}}}});
    }
    return;
  }
  static const Object none;
  const Object *given = all->getObject("params");
  const Object &params = given ? *given : none;
  if (!hasId) {
    notification(*method, params);
    return;
  }
  Answer answer = isInitialized || *method == "initialize"
                      ? request(*method, params)
                      : Failure{NotInitialized, "'initialize' comes first"};
  if (const auto *failure = std::get_if<Failure>(&answer)) {
    send(Object{{"id", *id},
                {"error", Object{{"code", failure->code},
                                 {"message", failure->message}}}});
  } else {
    send(Object{{"id", *id}, {"result", std::get<Value>(std::move(answer))}});
  }
}

LanguageServer::Answer LanguageServer::request(StringRef method,
                                               const Params &params) {
  if (method == "initialize") {
    return initialize(params);
  }
  if (method == "shutdown") {
    isShutDown = true;
    return Value(nullptr);
  }
  if (isShutDown) {
    return Failure{InvalidRequest, "the server is shut down"};
  }
  analyseChanged(); // what is asked is asked of the text that was sent
  if (method == "textDocument/hover") {
    return hover(params);
  }
  if (method == "textDocument/definition") {
    return definition(params);
  }
  if (method == "textDocument/inlayHint") {
    return inlayHints(params);
  }
  if (method == "textDocument/documentSymbol") {
    return symbols(params);
  }
  return Failure{MethodNotFound, "there is no method '" + method.str() + "'"};
}

void LanguageServer::notification(StringRef method, const Params &params) {
  if (method == "exit") {
    isAtEnd = true;
  } else if (!isInitialized || isShutDown) {
    return;
  } else if (method == "textDocument/didOpen") {
    open(params);
  } else if (method == "textDocument/didChange") {
    change(params);
  } else if (method == "textDocument/didClose") {
    close(params);
  } else if (method == "workspace/didChangeConfiguration") {
    readSettings(params.get("settings"));
  }
}

Value LanguageServer::initialize(const Params &params) {
  isInitialized = true;
  if (const Array *folders = params.getArray("workspaceFolders")) {
    for (const Value &folder : *folders) {
      if (const Object *one = folder.getAsObject()) {
        if (std::optional<StringRef> uri = one->getString("uri")) {
          roots.push_back(pathOf(*uri));
        }
      }
    }
  } else if (std::optional<StringRef> uri = params.getString("rootUri")) {
    roots.push_back(pathOf(*uri));
  }
  readSettings(params.get("initializationOptions"));
  return Object{
      {"capabilities",
       Object{{"positionEncoding", "utf-16"},
              {"textDocumentSync", Object{{"openClose", true}, {"change", 1}}},
              {"hoverProvider", true},
              {"definitionProvider", true},
              {"documentSymbolProvider", true},
              {"inlayHintProvider", true}}},
      {"serverInfo", Object{{"name", "tz lsp"}, {"version", version}}}};
}

/// {"terrazzo": {"kernels": {NAME: WORDS}, "importRoots": [FOLDER]}}, also
/// without the outer name.
void LanguageServer::readSettings(const Value *given) {
  const Object *all = given ? given->getAsObject() : nullptr;
  if (!all) {
    return;
  }
  if (const Object *inner = all->getObject("terrazzo")) {
    all = inner;
  }
  if (const Object *kernels = all->getObject("kernels")) {
    settings.clear();
    for (const auto &[name, words] : *kernels) {
      if (std::optional<StringRef> text = words.getAsString()) {
        settings[name.str()] = text->str();
      }
    }
  }
  if (const Array *folders = all->getArray("importRoots")) {
    for (const Value &folder : *folders) {
      if (std::optional<StringRef> text = folder.getAsString()) {
        roots.push_back(text->str());
      }
    }
  }
  for (auto &[uri, file] : files) {
    file.isChanged = true;
  }
}

//===----------------------------------------------------------------------===//
// Documents
//===----------------------------------------------------------------------===//

void LanguageServer::open(const Params &params) {
  const Object *document = params.getObject("textDocument");
  std::optional<StringRef> uri =
      document ? document->getString("uri") : std::nullopt;
  std::optional<StringRef> text =
      document ? document->getString("text") : std::nullopt;
  if (!uri || !text) {
    return;
  }
  OpenFile &file = files[uri->str()];
  file.path = pathOf(*uri);
  file.text = std::make_unique<TextPositions>(text->str());
  file.number = document->getInteger("version").value_or(0);
  file.isChanged = true;
}

void LanguageServer::change(const Params &params) {
  std::string uri;
  OpenFile *file = fileOf(params, uri);
  const Array *changes = params.getArray("contentChanges");
  if (!file || !changes || changes->empty()) {
    return;
  }
  const Object *last = changes->back().getAsObject();
  std::optional<StringRef> text = last ? last->getString("text") : std::nullopt;
  if (!text || last->get("range")) {
    return; // the whole text was asked for
  }
  file->text = std::make_unique<TextPositions>(text->str());
  file->number = params.getObject("textDocument")
                     ->getInteger("version")
                     .value_or(file->number);
  file->isChanged = true;
}

void LanguageServer::close(const Params &params) {
  std::string uri;
  if (OpenFile *file = fileOf(params, uri)) {
    file->analysis = FileAnalysis();
    publish(uri, *file); // no messages are left
    files.erase(uri);
  }
}

LanguageServer::OpenFile *LanguageServer::fileOf(const Params &params,
                                                 std::string &uri) {
  const Object *document = params.getObject("textDocument");
  if (std::optional<StringRef> named =
          document ? document->getString("uri") : std::nullopt) {
    uri = named->str();
  }
  auto found = files.find(uri);
  return found == files.end() ? nullptr : &found->second;
}

void LanguageServer::analyseChanged() {
  for (auto &[uri, file] : files) {
    if (file.isChanged) {
      file.analysis = analyse(driver, file.path, *file.text, roots, settings);
      file.isChanged = false;
      publish(uri, file);
    }
  }
}

Object LanguageServer::location(const std::string &uri, const OpenFile &file,
                                const FilePlace &place) const {
  if (place.path.empty()) {
    return Object{
        {"uri", uri},
        {"range", file.text->range(place.line, place.begin, place.end)}};
  }
  auto position = [&](size_t byte) {
    return Object{{"line", int64_t(place.line)}, {"character", int64_t(byte)}};
  };
  return Object{{"uri", uriOf(place.path)},
                {"range", Object{{"start", position(place.begin)},
                                 {"end", position(place.end)}}}};
}

void LanguageServer::publish(const std::string &uri, const OpenFile &file) {
  Array messages;
  for (const FileMessage &one : file.analysis.messages) {
    Array notes;
    for (const auto &[place, text] : one.notes) {
      if (!StringRef(place.path).starts_with("<")) {
        notes.push_back(Object{{"location", location(uri, file, place)},
                               {"message", fixUTF8(text)}});
      }
    }
    Object made{{"range", file.text->range(one.place.line, one.place.begin,
                                           one.place.end)},
                {"severity", int64_t(one.kind)},
                {"source", "tz"},
                {"message", fixUTF8(one.text)}};
    if (!one.code.empty()) {
      made["code"] = one.code;
    }
    if (!notes.empty()) {
      made["relatedInformation"] = std::move(notes);
    }
    messages.push_back(std::move(made));
  }
  send(Object{{"method", "textDocument/publishDiagnostics"},
              {"params", Object{{"uri", uri},
                                {"version", file.number},
                                {"diagnostics", std::move(messages)}}}});
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

bool LanguageServer::positionOf(const Params &params, const OpenFile &file,
                                size_t &line, size_t &byte) {
  const Object *position = params.getObject("position");
  std::optional<int64_t> row =
      position ? position->getInteger("line") : std::nullopt;
  std::optional<int64_t> column =
      position ? position->getInteger("character") : std::nullopt;
  if (!row || !column || *row < 0 || *column < 0) {
    return false;
  }
  line = size_t(*row);
  byte = file.text->byteOf(line, size_t(*column));
  return true;
}

/// First and last line of the function around a line.
static std::pair<size_t, size_t> functionAround(const TextPositions &text,
                                                size_t line) {
  auto isOuter = [&](size_t number) {
    StringRef one = text.line(number);
    return !one.empty() && !llvm::isSpace(one[0]) && one[0] != '#' &&
           one[0] != ')';
  };
  size_t first = std::min(line, text.lineCount());
  while (first > 0 &&
         !(isOuter(first) && text.line(first).starts_with("def "))) {
    --first;
  }
  size_t last = first + 1;
  while (last < text.lineCount() && !isOuter(last)) {
    ++last;
  }
  return {first, last};
}

const NamedValue *LanguageServer::valueOf(const OpenFile &file, StringRef name,
                                          size_t line) {
  auto [first, last] = functionAround(*file.text, line);
  const NamedValue *before = nullptr, *after = nullptr;
  for (const NamedValue &value : file.analysis.names) {
    if (value.name != name || value.place.line < first ||
        value.place.line >= last) {
      continue;
    }
    if (value.place.line <= line) {
      before =
          !before || value.place.line >= before->place.line ? &value : before;
    } else if (!after) {
      after = &value;
    }
  }
  return before ? before : after;
}

static Value markdown(const std::string &code, const std::string &more) {
  return Object{
      {"contents", Object{{"kind", "markdown"},
                          {"value", "```python\n" + code + "\n```" +
                                        (more.empty() ? "" : "\n" + more)}}}};
}

LanguageServer::Answer LanguageServer::hover(const Params &params) {
  std::string uri;
  OpenFile *file = fileOf(params, uri);
  size_t line = 0, byte = 0;
  if (!file || !positionOf(params, *file, line, byte)) {
    return Failure{InvalidParams,
                   "hover wants an open document and a position"};
  }
  const NameAt name = file->text->nameAt(line, byte);
  if (name.text.empty()) {
    return Value(nullptr);
  }
  Object range = file->text->range(line, name.begin, name.end);
  auto answer = [&](const std::string &code, const std::string &more) {
    Value made = markdown(code, more);
    (*made.getAsObject())["range"] = std::move(range);
    return made;
  };
  const bool isMember =
      name.begin > 0 && file->text->line(line)[name.begin - 1] == '.';
  const NamedValue *value =
      isMember ? nullptr : valueOf(*file, name.text, line);
  if (value) {
    return answer(value->name + (value->isConstant ? " = " : ": ") +
                      value->type,
                  "in kernel " + value->kernel);
  }
  // A call: what stands where its dotted name begins.
  size_t begin = name.begin;
  const StringRef text = file->text->line(line);
  while (begin > 0 &&
         (isNameLetter(text[begin - 1]) || text[begin - 1] == '.')) {
    --begin;
  }
  if (text.drop_front(name.end).ltrim().starts_with("(")) {
    for (const TypedPlace &result : llvm::reverse(file->analysis.results)) {
      if (result.line == line && result.byte == begin) {
        return answer(
            text.slice(begin, name.end).str() + "(...) -> " + result.type, "");
      }
    }
  }
  for (const FunctionPlace &function : file->analysis.functions) {
    if (function.name == name.text) {
      return answer(function.signature, "");
    }
  }
  return Value(nullptr);
}

/// The parameter of the function around a line, if the name is one.
static std::optional<FilePlace> parameterAt(const TextPositions &text,
                                            StringRef name, size_t line) {
  for (size_t at = functionAround(text, line).first; at < text.lineCount();
       ++at) {
    const StringRef one = text.line(at).split('#').first;
    for (size_t found = 0; (found = one.find(name, found)) != StringRef::npos;
         ++found) {
      const NameAt whole = text.nameAt(at, found);
      if (whole.text == name && whole.begin == found &&
          !one.take_front(found).rtrim().ends_with("def")) {
        return FilePlace{"", at, whole.begin, whole.end};
      }
    }
    if (one.rtrim().ends_with(":")) {
      break; // the end of the parameters
    }
  }
  return std::nullopt;
}

LanguageServer::Answer LanguageServer::definition(const Params &params) {
  std::string uri;
  OpenFile *file = fileOf(params, uri);
  size_t line = 0, byte = 0;
  if (!file || !positionOf(params, *file, line, byte)) {
    return Failure{InvalidParams,
                   "definition wants an open document and a position"};
  }
  const NameAt name = file->text->nameAt(line, byte);
  if (name.text.empty()) {
    return Value(nullptr);
  }
  const bool isMember =
      name.begin > 0 && file->text->line(line)[name.begin - 1] == '.';
  if (!isMember) {
    // Where it was set before this line; else as a parameter.
    const NamedValue *set = valueOf(*file, name.text, line ? line - 1 : 0);
    if (set && set->place.line < line) {
      FilePlace place = set->place;
      const StringRef text = file->text->line(place.line);
      for (size_t at = 0; (at = text.find(name.text, at)) != StringRef::npos;
           ++at) {
        const NameAt whole = file->text->nameAt(place.line, at);
        if (whole.text == name.text) {
          place.begin = whole.begin;
          place.end = whole.end;
          break;
        }
      }
      return Value(location(uri, *file, place));
    }
    if (std::optional<FilePlace> parameter =
            parameterAt(*file->text, name.text, line)) {
      return Value(location(uri, *file, *parameter));
    }
  }
  for (const FunctionPlace &function : file->analysis.functions) {
    if (function.name == name.text) {
      return Value(location(uri, *file, function.place));
    }
  }
  return Value(nullptr);
}

LanguageServer::Answer LanguageServer::inlayHints(const Params &params) {
  std::string uri;
  OpenFile *file = fileOf(params, uri);
  if (!file) {
    return Failure{InvalidParams, "inlayHint wants an open document"};
  }
  size_t first = 0, last = file->text->lineCount();
  if (const Object *range = params.getObject("range")) {
    const Object *start = range->getObject("start"),
                 *end = range->getObject("end");
    first = start ? size_t(start->getInteger("line").value_or(0)) : first;
    last = end ? size_t(end->getInteger("line").value_or(int64_t(last)) + 1)
               : last;
  }
  Array hints;
  std::set<std::pair<size_t, std::string>> seen;
  for (const NamedValue &value : file->analysis.names) {
    const size_t line = value.place.line;
    if (value.isConstant || line < first || line >= last ||
        !seen.emplace(line, value.name).second) {
      continue;
    }
    // `name = ...` alone: not the names of calls and loops.
    const StringRef text = file->text->line(line);
    const size_t begin = text.size() - text.ltrim().size();
    const NameAt name = file->text->nameAt(line, begin);
    StringRef rest = text.drop_front(name.end).ltrim();
    if (name.text != value.name || !rest.consume_front("=") ||
        rest.starts_with("=")) {
      continue;
    }
    hints.push_back(Object{
        {"position",
         Object{{"line", int64_t(line)},
                {"character", int64_t(file->text->unitsOf(line, name.end))}}},
        {"label", ": " + value.type},
        {"kind", 1}});
  }
  return Value(std::move(hints));
}

LanguageServer::Answer LanguageServer::symbols(const Params &params) {
  std::string uri;
  OpenFile *file = fileOf(params, uri);
  if (!file) {
    return Failure{InvalidParams, "documentSymbol wants an open document"};
  }
  constexpr int function = 12;
  Array all;
  for (const FunctionPlace &one : file->analysis.functions) {
    if (one.place.path.empty()) {
      Object range =
          file->text->range(one.place.line, one.place.begin, one.place.end);
      all.push_back(Object{{"name", one.name},
                           {"kind", function},
                           {"range", Object(range)},
                           {"selectionRange", std::move(range)}});
    }
  }
  return Value(std::move(all));
}

} // namespace tz::editor
