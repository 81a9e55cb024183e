//===- Ptxas.h - one run of ptxas -------------------------------*- C++ -*-===//
//
// What   Starts ptxas, which may be before there is a text for it, gives it the
//        text and waits for its code.
// Why    Three quarters of what ptxas takes for a small kernel are its own
//        start: it fills tables before it opens its input. That time passes
//        while the text is made.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_BACKENDS_NVIDIA_COMPILER_ASSEMBLE_PTXAS_H
#define TERRAZZO_BACKENDS_NVIDIA_COMPILER_ASSEMBLE_PTXAS_H

#include "llvm/ADT/StringRef.h"

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <sys/types.h>
#include <thread>
#include <vector>

namespace tz::nvidia {

/// One ptxas at work; it and its files end with the object.
///
/// Without a text its input is a named pipe, whose opening it waits in. give()
/// puts a file with the text in the pipe's place, then writes the same through
/// the pipe: whoever opens the input later, or again, finds the file.
class Ptxas {
public:
  /// That it may take for one text. One that nobody waits for any more, since
  /// this process was killed, ends after as much processor time.
  static constexpr unsigned MostSeconds = 120;

  /// How it ended.
  struct End {
    bool isLate = false;
    std::optional<int> status; // as waitpid says; none: somebody else waited
    std::string code, log;
  };

  /// Both throw TZ_E_UNAVAILABLE if it cannot be started.
  Ptxas(const std::string &program, llvm::StringRef cpu);
  Ptxas(const std::string &program, llvm::StringRef cpu,
        const std::string &text);
  ~Ptxas();
  Ptxas(const Ptxas &) = delete;

  /// The text, to one that has none; once.
  void give(std::string text);
  /// Whether it was started without a text.
  bool isAhead() const { return ahead; }
  bool isRunning();
  End finish(std::chrono::steady_clock::time_point deadline);

private:
  struct Folder { // removed with what is in it
    Folder();
    ~Folder();
    std::string file(const char *name) const { return path + "/" + name; }
    std::string path;
  };
  void start(const std::string &program, llvm::StringRef cpu);
  void writeText(const std::string &text);
  void pass();

  const Folder folder;
  const bool ahead;
  std::string text;
  size_t passed = 0; // bytes that went through the pipe
  int pipe = -1;
  pid_t process = -1;
};

/// Starts processes before they are needed, in a thread of its own: to start
/// one takes a while, too.
class PtxasStarter {
public:
  PtxasStarter(std::string program, std::string cpu)
      : program(std::move(program)), cpu(std::move(cpu)) {}
  ~PtxasStarter();

  /// So many shall wait for a text, from `after` now.
  void want(size_t count, std::chrono::milliseconds after);
  /// One that waits, or a new one. Throws as Ptxas does.
  std::unique_ptr<Ptxas> take();

private:
  void run();

  const std::string program, cpu;
  std::mutex lock;
  std::condition_variable changed;
  std::vector<std::unique_ptr<Ptxas>> waiting;
  size_t wanted = 0;
  bool isStarting = false, ends = false;
  std::chrono::steady_clock::time_point due;
  std::thread thread; // since something was wanted
};

} // namespace tz::nvidia

#endif // TERRAZZO_BACKENDS_NVIDIA_COMPILER_ASSEMBLE_PTXAS_H
