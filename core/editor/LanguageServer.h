//===- LanguageServer.h - the methods of the protocol -----------*- C++ -*-===//
//
// What   A server of the Language Server Protocol for files of kernels: opens
//        and changes documents, publishes messages, answers what a name is and
//        where it comes from.
// Why    What is wrong with a kernel is known before it is launched.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_EDITOR_LANGUAGESERVER_H
#define TERRAZZO_CORE_EDITOR_LANGUAGESERVER_H

#include "core/editor/FileAnalysis.h"
#include "core/editor/MessageStream.h"

namespace tz::editor {

class LanguageServer {
public:
  LanguageServer(driver::Driver &driver, MessageStream &stream,
                 std::string version)
      : driver(driver), stream(stream), version(std::move(version)) {}

  /// Until `exit` or the end of the input. The exit status: 1 if the client
  /// ended without `shutdown`.
  int run();

private:
  struct OpenFile {
    std::string path;
    std::unique_ptr<TextPositions> text;
    FileAnalysis analysis;
    int64_t number = 0; ///< the client's version of the text
    bool isChanged = true;
  };
  struct Failure {
    int code;
    std::string message;
  };
  using Answer = std::variant<llvm::json::Value, Failure>;
  using Params = llvm::json::Object;

  void handle(const llvm::json::Value &message);
  Answer request(llvm::StringRef method, const Params &params);
  void notification(llvm::StringRef method, const Params &params);

  llvm::json::Value initialize(const Params &params);
  void readSettings(const llvm::json::Value *settings);
  void open(const Params &params);
  void change(const Params &params);
  void close(const Params &params);
  Answer hover(const Params &params);
  Answer definition(const Params &params);
  Answer inlayHints(const Params &params);
  Answer symbols(const Params &params);

  void analyseChanged();
  void publish(const std::string &uri, const OpenFile &file);
  void send(llvm::json::Object message);
  OpenFile *fileOf(const Params &params, std::string &uri);
  /// The position of a request as line and byte; none if it is not one.
  static bool positionOf(const Params &params, const OpenFile &file,
                         size_t &line, size_t &byte);
  /// The last place where a name is set before a position, in the function
  /// around it.
  static const NamedValue *valueOf(const OpenFile &file, llvm::StringRef name,
                                   size_t line);
  llvm::json::Object location(const std::string &uri, const OpenFile &file,
                              const FilePlace &place) const;

  driver::Driver &driver;
  MessageStream &stream;
  const std::string version;
  std::map<std::string, OpenFile> files; ///< by URI
  std::vector<std::string> roots;
  KernelSettings settings;
  bool isInitialized = false, isShutDown = false, isAtEnd = false;
};

} // namespace tz::editor

#endif
