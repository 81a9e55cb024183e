//===- MessageStream.h - messages of an editor over two streams -*- C++ -*-===//
//
// What   Messages of JSON-RPC with a header "Content-Length: N", as the
// Language
//        Server Protocol has them.
// Why    What an editor sends may be cut, too long or no JSON at all; the
// server
//        answers that, and goes on with the next message.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_EDITOR_MESSAGESTREAM_H
#define TERRAZZO_CORE_EDITOR_MESSAGESTREAM_H

#include "llvm/Support/JSON.h"

#include <optional>
#include <string>

namespace tz::editor {

class MessageStream {
public:
  /// Longer messages are read and dropped, and so are those nested deeper.
  static constexpr size_t MaxBytes = size_t(64) << 20;
  static constexpr int MaxDepth = 128;

  /// File descriptors, which it does not close.
  MessageStream(int input, int output) : input(input), output(output) {}

  struct Message {
    llvm::json::Value value = nullptr;
    std::string problem; ///< not empty: there is no value
  };
  /// Waits for the next message; nothing at the end of the input.
  std::optional<Message> read();
  /// Has something come that was not read yet?
  bool hasMore();
  /// False once nobody reads any more.
  bool write(const llvm::json::Value &message);

private:
  bool fill();
  std::optional<std::string> readLine();

  int input, output;
  std::string buffer; // read, but not handed out
  size_t at = 0;
};

} // namespace tz::editor

#endif
