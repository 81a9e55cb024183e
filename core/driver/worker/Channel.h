//===- Channel.h - what compile worker and host say to each other ---------===//
//
// What   Frames over a local socket, and the requests and answers in them.
// Why    Both ends are ours and of one build, so the form has no version; but a
//        worker may die in the middle of a word, so every length is checked.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_DRIVER_WORKER_CHANNEL_H
#define TERRAZZO_CORE_DRIVER_WORKER_CHANNEL_H

#include "core/driver/cache/CacheEntry.h"
#include "runtime/session/CompilerService.h"

#include <chrono>

namespace tz::driver {

/// A request is Compile or Check; the answers are any number of Diagnostic and
/// one of Artifact (of Compile), Passed (of Check) or Failed.
enum class Word : uint32_t {
  Compile = 1,
  Check,
  Diagnostic,
  Artifact,
  Passed,
  Failed
};

struct Frame {
  Word word = Word::Failed;
  std::string content;
};

using Clock = std::chrono::steady_clock;

/// One end of the socket; not closed by this class.
class Channel {
public:
  enum class Outcome { Fine, Closed, Late, Interrupted };
  /// `interrupt`: what ends a wait; null: nothing.
  explicit Channel(int socket, const runtime::Interrupt *interrupt = nullptr)
      : socket(socket), interrupt(interrupt) {}
  /// Of an outcome Interrupted: its TZ_E_* code.
  int32_t interruption() const { return code; }

  /// Without a deadline it waits for ever.
  Outcome send(const Frame &frame, std::optional<Clock::time_point> deadline);
  Outcome receive(Frame &frame, std::optional<Clock::time_point> deadline);

private:
  Outcome wait(short events, std::optional<Clock::time_point> deadline);
  Outcome transfer(char *data, size_t size, bool sends,
                   std::optional<Clock::time_point> deadline);

  int socket;
  const runtime::Interrupt *interrupt;
  int32_t code = TZ_E_OK;
};

/// What a vendor's compiler reads of a job, and the IR.
std::string packRequest(const runtime::CompileJob &job, std::string_view ir);
bool unpackRequest(std::string_view text, runtime::CompileJob &job,
                   std::string &ir);
std::string packMessage(const VendorMessage &message);
bool unpackMessage(std::string_view text, VendorMessage &message);
std::string packStatus(const runtime::Status &status);
bool unpackStatus(std::string_view text, runtime::Status &status);

} // namespace tz::driver

#endif
