//===- Channel.cpp - what compile worker and host say to each other -------===//
//
// What   See Channel.h.
// Why    See Channel.h.
//===----------------------------------------------------------------------===//
#include "core/driver/worker/Channel.h"

#include "runtime/file/ByteWriter.h"

#include <cerrno>
#include <poll.h>
#include <sys/socket.h>

namespace tz::driver {

using namespace runtime;

namespace {

/// No artifact is larger.
constexpr uint64_t MaxFrame = uint64_t(1) << 32;
constexpr size_t FirstPart = size_t(1) << 20;

struct Header {
  uint32_t word = 0, rsvd = 0;
  uint64_t size = 0;
};

/// Whole numbers, texts behind their lengths.
class Packer {
public:
  template <typename T>
  Packer &number(T value) {
    out.fixed(value);
    return *this;
  }
  Packer &text(std::string_view value) {
    out.fixedString(value);
    return *this;
  }
  std::string finish() { return std::move(out.bytes); }

private:
  ByteWriter out;
};

struct Unpacker {
  std::string_view in;
  bool fine = true;

  template <typename T>
  T number() {
    T value{};
    if (in.size() < sizeof(T)) {
      fine = false;
      return value;
    }
    std::memcpy(&value, in.data(), sizeof(T));
    in.remove_prefix(sizeof(T));
    return value;
  }
  std::string text() {
    auto size = number<uint64_t>();
    if (!fine || size > in.size()) {
      fine = false;
      return {};
    }
    std::string value(in.substr(0, size));
    in.remove_prefix(size);
    return value;
  }
  /// Of a list whose items take `least` bytes or more.
  uint64_t count(size_t least) {
    auto n = number<uint64_t>();
    fine = fine && n <= in.size() / least;
    return fine ? n : 0;
  }
  bool done() const { return fine && in.empty(); }
};

} // namespace

Channel::Outcome Channel::wait(short events,
                               std::optional<Clock::time_point> deadline) {
  while (true) {
    int milliseconds = -1;
    if (deadline) {
      auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline -
                                                               Clock::now());
      if (left.count() <= 0) {
        return Outcome::Late;
      }
      milliseconds = int(std::min<int64_t>(left.count(), 1 << 30));
    }
    const int interval = int(Interrupt::Interval.count());
    if (interrupt && (milliseconds < 0 || milliseconds > interval)) {
      milliseconds = interval;
    }
    pollfd one{socket, events, 0};
    int ready = poll(&one, 1, milliseconds);
    if (ready > 0) {
      return Outcome::Fine;
    }
    if (interrupt && (code = interrupt->code())) {
      return Outcome::Interrupted;
    }
    if (ready < 0 && errno != EINTR) {
      return Outcome::Closed;
    }
  }
}

Channel::Outcome Channel::transfer(char *data, size_t size, bool sends,
                                   std::optional<Clock::time_point> deadline) {
  while (size) {
    if (Outcome ready = wait(sends ? POLLOUT : POLLIN, deadline);
        ready != Outcome::Fine) {
      return ready;
    }
    ssize_t count =
        sends ? ::send(socket, data, size, MSG_NOSIGNAL | MSG_DONTWAIT)
              : ::recv(socket, data, size, MSG_DONTWAIT);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) {
      continue;
    }
    if (count <= 0) {
      return Outcome::Closed;
    }
    data += count;
    size -= size_t(count);
  }
  return Outcome::Fine;
}

Channel::Outcome Channel::send(const Frame &frame,
                               std::optional<Clock::time_point> deadline) {
  Header header;
  header.word = uint32_t(frame.word);
  header.size = frame.content.size();
  Outcome outcome = transfer(reinterpret_cast<char *>(&header), sizeof(header),
                             true, deadline);
  // Sending only reads.
  return outcome == Outcome::Fine
             ? transfer(const_cast<char *>(frame.content.data()),
                        frame.content.size(), true, deadline)
             : outcome;
}

Channel::Outcome Channel::receive(Frame &frame,
                                  std::optional<Clock::time_point> deadline) {
  Header header;
  Outcome outcome = transfer(reinterpret_cast<char *>(&header), sizeof(header),
                             false, deadline);
  if (outcome != Outcome::Fine) {
    return outcome;
  }
  if (header.word < uint32_t(Word::Compile) ||
      header.word > uint32_t(Word::Failed) || header.size > MaxFrame) {
    return Outcome::Closed;
  }
  frame.word = Word(header.word);
  frame.content.clear();
  // Room for what has come, not for what is announced: the other end may have
  // gone wild.
  while (frame.content.size() < header.size) {
    const size_t held = frame.content.size(),
                 part = std::min<uint64_t>(header.size - held,
                                           std::max(held, FirstPart));
    frame.content.resize(held + part);
    outcome = transfer(frame.content.data() + held, part, false, deadline);
    if (outcome != Outcome::Fine) {
      return outcome;
    }
  }
  return Outcome::Fine;
}

std::string packRequest(const CompileJob &job, std::string_view ir) {
  Packer p;
  p.text(job.plugin).text(job.target).number(uint64_t(job.emit.size()));
  for (const std::string &one : job.emit) {
    p.text(one);
  }
  p.number(uint64_t(job.options.size()));
  for (const KeyValue &option : job.options) {
    p.text(option.key).number(option.kind).number(option.i64);
    p.number(option.f64).text(option.str);
  }
  p.text(ir);
  return p.finish();
}

bool unpackRequest(std::string_view text, CompileJob &job, std::string &ir) {
  Unpacker u{text};
  job.plugin = u.text();
  job.target = u.text();
  for (uint64_t n = u.count(8); n-- && u.fine;) {
    job.emit.push_back(u.text());
  }
  for (uint64_t n = u.count(32); n-- && u.fine;) {
    KeyValue option;
    option.key = u.text();
    option.kind = u.number<decltype(option.kind)>();
    option.i64 = u.number<decltype(option.i64)>();
    option.f64 = u.number<decltype(option.f64)>();
    option.str = u.text();
    job.options.push_back(std::move(option));
  }
  ir = u.text();
  return u.done();
}

std::string packMessage(const VendorMessage &message) {
  Packer p;
  p.number(message.severity).text(message.text).text(message.place.file);
  p.number(message.place.line).number(message.place.column);
  return p.finish();
}

bool unpackMessage(std::string_view text, VendorMessage &message) {
  Unpacker u{text};
  message.severity = u.number<uint32_t>();
  message.text = u.text();
  message.place.file = u.text();
  message.place.line = u.number<decltype(message.place.line)>();
  message.place.column = u.number<decltype(message.place.column)>();
  return u.done();
}

std::string packStatus(const Status &status) {
  Packer p;
  p.number(status.code()).text(status.message());
  p.number(uint64_t(status.payload().size()));
  for (const auto &[key, value] : status.payload()) {
    p.text(key).text(value);
  }
  return p.finish();
}

bool unpackStatus(std::string_view text, Status &status) {
  Unpacker u{text};
  auto code = u.number<int32_t>();
  Status made(code, u.text());
  for (uint64_t n = u.count(16); n-- && u.fine;) {
    std::string key = u.text();
    made.with(std::move(key), u.text());
  }
  status = std::move(made);
  return u.done() && code != TZ_E_OK;
}

} // namespace tz::driver
