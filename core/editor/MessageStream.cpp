//===- MessageStream.cpp - messages of an editor over two streams ---------===//
//
// What   See MessageStream.h.
// Why    See MessageStream.h.
//===----------------------------------------------------------------------===//
#include "core/editor/MessageStream.h"

#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <poll.h>
#include <unistd.h>

namespace tz::editor {

bool MessageStream::fill() {
  if (at > 0) {
    buffer.erase(0, at);
    at = 0;
  }
  char bytes[1 << 16];
  ssize_t count;
  do {
    count = ::read(input, bytes, sizeof(bytes));
  } while (count < 0 && errno == EINTR);
  if (count <= 0) {
    return false;
  }
  buffer.append(bytes, size_t(count));
  return true;
}

bool MessageStream::hasMore() {
  if (at < buffer.size()) {
    return true;
  }
  pollfd one{input, POLLIN, 0};
  return poll(&one, 1, 0) > 0;
}

/// Up to a newline, which is not part of it; a line without an end is cut.
std::optional<std::string> MessageStream::readLine() {
  constexpr size_t most = 4096;
  size_t end;
  while ((end = buffer.find('\n', at)) == std::string::npos &&
         buffer.size() - at < most) {
    if (!fill()) {
      return std::nullopt;
    }
  }
  end = std::min(end, buffer.size());
  std::string line = buffer.substr(at, end - at);
  at = std::min(end + 1, buffer.size());
  while (!line.empty() && line.back() == '\r') {
    line.pop_back();
  }
  return line;
}

/// llvm::json reads a text by recursion.
static bool isDeep(llvm::StringRef text) {
  int depth = 0;
  bool isText = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (isText) {
      i += c == '\\' ? 1 : 0;
      isText = c != '"';
      continue;
    }
    isText = c == '"';
    depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
    if (depth > MessageStream::MaxDepth) {
      return true;
    }
  }
  return false;
}

std::optional<MessageStream::Message> MessageStream::read() {
  std::optional<size_t> length;
  bool isWrong = false;
  while (true) {
    std::optional<std::string> line = readLine();
    if (!line) {
      return std::nullopt;
    }
    if (line->empty()) {
      if (length || isWrong) {
        break;
      }
      continue; // between messages
    }
    llvm::StringRef text = *line;
    if (text.consume_front_insensitive("content-length:")) {
      size_t bytes = 0;
      isWrong = text.trim().getAsInteger(10, bytes);
      length = isWrong ? std::nullopt : std::optional(bytes);
    } else if (!text.contains(':')) {
      isWrong = true;
    }
  }
  if (!length) {
    return Message{nullptr, "a message begins with 'Content-Length: N'"};
  }
  std::string body;
  size_t missing = *length;
  while (missing > 0) {
    const size_t count = std::min(missing, buffer.size() - at);
    if (*length <= MaxBytes) {
      body.append(buffer, at, count);
    }
    at += count;
    missing -= count;
    if (missing > 0 && !fill()) {
      return std::nullopt;
    }
  }
  if (*length > MaxBytes) {
    return Message{nullptr, "the message is longer than " +
                                std::to_string(MaxBytes) + " bytes"};
  }
  if (isDeep(body)) {
    return Message{nullptr, "the message is nested too deep"};
  }
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(body);
  if (!value) {
    return Message{nullptr, llvm::toString(value.takeError())};
  }
  return Message{std::move(*value), ""};
}

bool MessageStream::write(const llvm::json::Value &message) {
  std::string body;
  llvm::raw_string_ostream(body) << message;
  const std::string all =
      "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  for (size_t done = 0; done < all.size();) {
    const ssize_t count = ::write(output, all.data() + done, all.size() - done);
    if (count < 0 && errno != EINTR) {
      return false;
    }
    done += count > 0 ? size_t(count) : 0;
  }
  return true;
}

} // namespace tz::editor
