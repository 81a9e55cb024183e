//===- ConformCommand.cpp - tz conform ------------------------------------===//
//
// What   Chooses cases of the conformance suite, has them run on a target in
//        child processes, judges by the list of known failures, reports.
// Why    One command proves a target, in the tree or out of it: `tz conform
//        --target mine --json report.json`.
//===----------------------------------------------------------------------===//
#include "core/arguments/Values.h"
#include "core/conformance/Batches.h"
#include "core/conformance/Coverage.h"
#include "core/conformance/KnownFailures.h"
#include "core/conformance/Proofs.h"
#include "core/conformance/Report.h"
#include "core/conformance/random/Random.h"
#include "core/conformance/run/CaseJob.h"
#include "core/conformance/run/CaseShrink.h"
#include "core/conformance/run/CaseWorker.h"
#include "core/driver/vendor/VendorCompiler.h"
#include "core/interpreter/Tolerances.h"
#include "core/terminal/Terminal.h"
#include "core/tools/tz/Commands.h"
#include "runtime/session/RuntimeSession.h"

#include "terrazzo/optimizer/Features.h"

#include "llvm/Support/Regex.h"
#include "llvm/Support/xxhash.h"

#include <CLI/CLI.hpp>
#include <ctime>
#include <unistd.h>

namespace tz::tool {

using namespace conformance;
using runtime::Result;
using runtime::Status;

namespace {

struct ConformOptions {
  std::string target, filter, level = "full", json, knownFailures;
  std::vector<std::string> caseFiles;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  double timeout = 60;
  uint64_t random = 0, seed = 1; // how many random kernels, from which seed
  uint64_t sample = 0;           // so many of the cases, by the seed
  std::string shard;             // I/N: the I-th of N parts of the cases
  unsigned shrinks = 3;          // failures of them to make small
  std::string save = ".";
  std::string proofs; // folder of what passed before; empty: none
  bool tolerances = false, failsFast = false;
  bool lists = false, table = false, shows = false, isWorker = false;
  bool compilesOnly = false;
};

/// R17: sanitizers run the smoke level.
constexpr size_t SmokeLimit = 120;

constexpr double SecondsPerShrink = 120;

class Conform {
public:
  explicit Conform(const ConformOptions &options) : options(options) {}
  int run();

private:
  int load();
  int loadRandom();
  int choose();
  int chooseShard();
  int show() const;
  int showTable() const;
  int runCases();
  int openProofs();
  void keep(const Outcome &outcome);
  void tellOfProofs() const;
  int readKnownFailures(const std::string &path);
  int finish(std::vector<Outcome> outcomes, double seconds);
  void shrinkFailures(const std::vector<Outcome> &outcomes,
                      const BatchOptions &batches);

  const ConformOptions &options;
  Suite suite;
  std::vector<const Case *> chosen;
  RunFacts facts;
  KnownFailures known;
  std::optional<Proofs> proofs;
  size_t unkept = 0; ///< proofs that could not be written
  size_t unread = 0; ///< that were of no use
};

} // namespace

/// Random kernels instead of the suite.
int Conform::loadRandom() {
  suite.families.emplace_back("random", "kernels made at random");
  for (uint64_t i = 0; i < options.random; ++i) {
    std::string name = "random/" + std::to_string(options.seed + i);
    std::optional<Case> made = randomCase(name);
    if (!made) {
      return reportError("no kernel for '" + name + "'");
    }
    suite.cases.push_back(std::move(*made));
  }
  return 0;
}

int Conform::load() {
  if (options.random) {
    return loadRandom();
  }
  std::optional<SuiteError> error = addEmbeddedCases(suite);
  for (const std::string &path : options.caseFiles) {
    Result<std::string> text = readFile(path);
    if (!text) {
      return reportError(text.status().message());
    }
    SourceLookup sources;
    for (const EmbeddedFile &one : embeddedSources()) {
      sources.emplace(one.name, one.text);
    }
    if (!error) {
      error = addCases(suite, path, *text, sources);
    }
  }
  if (error) {
    std::fprintf(stderr, "%s\n", error->text().c_str());
    return 1;
  }
  std::set<std::string_view> names;
  for (const Case &one : suite.cases) {
    if (!names.insert(one.name).second) {
      return reportError("the case '" + one.name + "' is there twice");
    }
    for (const std::string &need : one.needs) {
      if (!optimizer::isFeature(need)) {
        return reportError("the case '" + one.name + "' needs an " +
                               driver::unknownFeature(need),
                           "the names are in docs/guide/writing-a-plugin.md");
      }
    }
  }
  return 0;
}

int Conform::choose() {
  llvm::Regex filter(options.filter.empty() ? "." : options.filter);
  std::string problem;
  if (!filter.isValid(problem)) {
    return reportError("--filter '" + options.filter + "': " + problem);
  }
  for (const Case &one : suite.cases) {
    chosen.push_back(&one);
  }
  if (options.level == "smoke") {
    chosen = chooseSmoke(chosen, SmokeLimit);
  }
  std::erase_if(chosen,
                [&](const Case *one) { return !filter.match(one->name); });
  if (chosen.empty()) {
    return reportError("no case matches '" + options.filter + "'",
                       "see 'tz conform --list'");
  }
  if (options.sample && options.sample < chosen.size()) {
    // By name, so that a new case changes little of what others get.
    auto rank = [&](const Case *one) {
      return llvm::xxh3_64bits(std::to_string(options.seed) + one->name);
    };
    std::vector<uint64_t> ranks;
    for (const Case *one : chosen) {
      ranks.push_back(rank(one));
    }
    auto last = ranks.begin() + ptrdiff_t(options.sample - 1);
    std::nth_element(ranks.begin(), last, ranks.end());
    std::erase_if(chosen, [&](const Case *one) { return rank(one) > *last; });
  }
  return options.shard.empty() ? 0 : chooseShard();
}

/// By name as well: a case stays in its part, whatever cases are added. Parts
/// that ran at different commits therefore make up the whole.
int Conform::chooseShard() {
  const auto [part, parts] = llvm::StringRef(options.shard).split('/');
  uint64_t which = 0, count = 0;
  if (part.getAsInteger(10, which) || parts.getAsInteger(10, count) ||
      which == 0 || which > count) {
    return reportError("--shard '" + options.shard +
                           "' is no part of the cases",
                       "the third of 40 parts is --shard 3/40");
  }
  std::erase_if(chosen, [&](const Case *one) {
    return llvm::xxh3_64bits(one->name) % count != which - 1;
  });
  return chosen.empty()
             ? reportError("no case lies in shard " + options.shard,
                           "there are more parts than cases; take fewer")
             : 0;
}

int Conform::show() const {
  for (const Case *one : chosen) {
    if (!options.shows) {
      std::printf("%s\n", one->name.c_str());
      continue;
    }
    std::printf("# %s\n%s\n# %s\n", one->name.c_str(), one->source.c_str(),
                runCommand(*one, "kernel.py").c_str());
    for (const std::string &text : one->expected) {
      std::printf("# expects %s\n", text.c_str());
    }
    if (!one->assertion.empty()) {
      std::printf("# expects the assertion '%s'\n", one->assertion.c_str());
    }
  }
  return 0;
}

int Conform::showTable() const {
  std::printf("%s", coverageTable(suite).c_str());
  runtime::SessionOptions made;
  made.useCompiler = made.useCache = false;
  runtime::Session session(made);
  driver::Driver driver(session.registry(), nullptr);
  size_t refusals = 0;
  for (const CoverageRow &row : suite.coverage) {
    refusals += row.refused.size();
  }
  std::vector<std::string> empty = emptyCells(
      suite, [&](const Case &one) { return isAccepted(driver, one); });
  for (const std::string &line : empty) {
    std::printf("empty: %s\n", line.c_str());
  }
  std::printf(
      "%zu empty cells; %zu cells that the language refuses were tried\n",
      empty.size(), refusals);
  return empty.empty() ? 0 : 1;
}

static int showTolerances() {
  std::printf("Units in the last place that a target may be off; what is not "
              "here is exact\nor correctly rounded.\n\n");
  for (const interpreter::UlpRow &row : interpreter::ulpTable()) {
    std::printf("%-8s %4g", row.function, row.ulps);
    if (row.perMagnitude != 0) {
      std::printf(" + %g |x|", row.perMagnitude);
    }
    std::printf("  %s\n", row.reason);
  }
  std::printf("\nWhat an input precision of a dot adds to each product, "
              "relatively.\n\n");
  for (const interpreter::PrecisionRow &row : interpreter::precisionTable()) {
    std::printf("%-8s %9.3g  %s\n", row.name, row.relative, row.reason);
  }
  return 0;
}

int Conform::readKnownFailures(const std::string &path) {
  Result<std::string> text = readFile(path);
  if (!text) {
    return reportError(text.status().message());
  }
  if (std::optional<SuiteError> error = known.read(path, *text)) {
    std::fprintf(stderr, "%s\n", error->text().c_str());
    return 1;
  }
  return 0;
}

static std::string today() {
  char text[16];
  time_t now = time(nullptr);
  tm parts{};
  gmtime_r(&now, &parts);
  strftime(text, sizeof(text), "%Y-%m-%d", &parts);
  return text;
}

/// A folder that cannot be used is told before hours of work.
int Conform::openProofs() {
  if (options.target == "interp") {
    return reportError("--proofs keeps what code did on a device; 'interp' "
                       "makes no code");
  }
  const int error = runtime::makeFolders(options.proofs);
  if (error || access(options.proofs.c_str(), R_OK | W_OK | X_OK) != 0) {
    return reportError("--proofs '" + options.proofs +
                       "': " + runtime::describeError(error ? error : errno));
  }
  proofs.emplace(options.proofs);
  return 0;
}

void Conform::keep(const Outcome &outcome) {
  if (proofs) {
    unkept += !proofs->keep(outcome);
  }
}

/// What was not as it should be; one line each.
void Conform::tellOfProofs() const {
  if (unread) {
    std::fprintf(stderr,
                 "note: %zu records in '%s' were damaged or of another format; "
                 "their cases ran\n",
                 unread, options.proofs.c_str());
  }
  if (unkept) {
    std::fprintf(stderr, "note: %zu records could not be written to '%s'\n",
                 unkept, options.proofs.c_str());
  }
}

int Conform::runCases() {
  facts.target = options.target;
  if (!options.proofs.empty()) {
    if (int status = openProofs()) {
      return status;
    }
  }
  std::string knownPath = options.knownFailures;
  if (options.target != "interp") {
    runtime::SessionOptions made;
    made.useCompiler = made.useCache = false;
    made.plugins.wantsCompiler = true;
    runtime::Session session(made);
    Result<runtime::ResolvedTarget> target =
        session.registry().resolve(options.target, !options.compilesOnly);
    if (!target) {
      return reportError(target.status().message());
    }
    // Beside the manifest: cpu.json has cpu.known_failures.txt.
    for (const runtime::PluginListing &line : session.registry().listing()) {
      std::filesystem::path beside(line.path);
      beside.replace_extension(".known_failures.txt");
      if (line.state == runtime::PluginListing::Usable &&
          line.name == target->plugin->name() && knownPath.empty() &&
          std::filesystem::exists(beside)) {
        knownPath = beside;
      }
    }
  }
  // A list of known failures is about the results of the suite.
  if (!knownPath.empty() && knownPath != "none" && !options.random &&
      !options.compilesOnly) {
    if (int status = readKnownFailures(knownPath)) {
      return status;
    }
  }
  BatchOptions batches;
  std::error_code ignored;
  batches.command = {
      std::filesystem::read_symlink("/proc/self/exe", ignored).string(),
      "conform", "--worker", "--target", options.target};
  for (const std::string &path : options.caseFiles) {
    batches.command.push_back("--cases");
    batches.command.push_back(path);
  }
  if (options.compilesOnly) {
    batches.command.emplace_back("--compile-only");
  }
  if (proofs) {
    batches.command.emplace_back("--proofs");
    batches.command.push_back(options.proofs);
  }
  batches.onBadProofs = [&](size_t count) { unread += count; };
  batches.jobs = options.jobs;
  batches.secondsPerCase = options.timeout;
  batches.stopsAtFirst = options.failsFast;
  batches.onTarget = [&](const llvm::json::Object &hello) {
    facts.target = hello.getString("target").value_or("").str();
    facts.device = hello.getString("device").value_or("").str();
    facts.driver = hello.getString("driver").value_or("").str();
  };
  size_t done = 0;
  bool isTerminal = isatty(STDERR_FILENO);
  batches.onOutcome = [&](const Outcome &outcome) {
    keep(outcome);
    if (isTerminal && (++done % 10 == 0 || done == chosen.size())) {
      std::fprintf(stderr, "\r%zu of %zu cases\x1b[K%s", done, chosen.size(),
                   done == chosen.size() ? "\r\x1b[K" : "");
    }
  };
  std::vector<std::string> names;
  for (const Case *one : chosen) {
    names.push_back(one->name);
  }
  auto start = std::chrono::steady_clock::now();
  std::vector<Outcome> outcomes = runBatches(names, batches);
  int status = finish(outcomes, std::chrono::duration<double>(
                                    std::chrono::steady_clock::now() - start)
                                    .count());
  if (options.random) {
    shrinkFailures(outcomes, batches);
  }
  return status;
}

/// Makes the first failures of random kernels small.
void Conform::shrinkFailures(const std::vector<Outcome> &outcomes,
                             const BatchOptions &batches) {
  unsigned left = options.shrinks;
  for (const Outcome &outcome : outcomes) {
    if (!outcome.isBad() || left == 0) {
      continue;
    }
    --left;
    Shrunk shrunk = shrink(outcome, batches, SecondsPerShrink);
    Result<std::string> path =
        writeShrunk(shrunk, options.target, options.save);
    if (!path) {
      reportError(path.status().message());
      return;
    }
    std::printf("\n%s, shrunk (%zu kernels tried) to %s:\n%s",
                outcome.name.c_str(), shrunk.tried, path->c_str(),
                readFile(*path)->c_str());
  }
}

int Conform::finish(std::vector<Outcome> outcomes, double seconds) {
  std::vector<std::string> all;
  for (const Case &one : suite.cases) {
    all.push_back(one.name);
  }
  std::vector<std::string> unmatched = known.apply(outcomes, all, today());
  facts.version = tz_version();
  facts.level = options.level;
  facts.filter = options.filter;
  facts.sample = options.sample;
  facts.shard = options.shard;
  facts.seed = options.seed;
  facts.date = today();
  facts.seconds = seconds;
  facts.suiteCases = suite.cases.size();
  std::printf("conformance of %s (%s), %s level, %zu of %zu cases\n\n%s",
              styled(Style::Bold, facts.target).c_str(), facts.device.c_str(),
              facts.level.c_str(), chosen.size(), suite.cases.size(),
              textReport(suite, chosen, outcomes).c_str());
  for (const std::string &line : unmatched) {
    std::printf("\n%s\n", line.c_str());
  }
  Totals totals = totalsOf(outcomes);
  bool isGood = totals.failed == 0 && unmatched.empty() && totals.passed > 0;
  std::string proved = proofs ? " (" + std::to_string(totals.proved) +
                                    " of them by earlier runs of the same code)"
                              : std::string();
  std::printf("\n%s: %zu passed%s, %zu failed, %zu known failures, %zu skipped "
              "in %.1f s\n",
              styled(isGood ? Style::Good : Style::Bad,
                     isGood ? "conforms" : "does not conform")
                  .c_str(),
              totals.passed, proved.c_str(), totals.failed, totals.known,
              totals.skipped, seconds);
  tellOfProofs();
  if (!options.json.empty()) {
    Status s = writeFile(options.json, jsonReport(facts, chosen, outcomes));
    if (!s.ok()) {
      return reportError(s.message());
    }
  }
  return isGood ? 0 : 1;
}

int Conform::run() {
  if (int status = load()) {
    return status;
  }
  if (options.isWorker) {
    return runConformWorker(suite, options.target, options.compilesOnly,
                            options.proofs);
  }
  if (options.tolerances) {
    return showTolerances();
  }
  if (options.table) {
    return showTable();
  }
  if (int status = choose()) {
    return status;
  }
  return options.lists || options.shows ? show() : runCases();
}

static constexpr const char *Footer = R"help(Examples
  tz conform --target cpu                     the whole suite
  tz conform --target interp --level smoke    at most 120 cases, all families
  tz conform --target mine --json report.json a report to publish
  tz conform --target mine:new --compile-only code for a machine that is not here
  tz conform --list --filter '^reduce/.*/f16' names of cases
  tz conform --show --filter '^sort/sort/i8/full$'  kernel and tz run command
  tz conform --target mine --random 300       random kernels, --seed to go on
  tz conform --table                          op x type: how many cases
  tz conform --target mine --cases more.cases own cases beside the suite's

Known failures of a plugin stand beside its manifest (mine.json:
mine.known_failures.txt): PATTERN until YYYY-MM-DD LINK sentence. What passes
though it is listed fails the run.

Exit status: 0 conforms, 1 a failure or an error, 2 usage.)help";

void addConformCommand(CLI::App &app, int &status) {
  CLI::App *command = app.add_subcommand(
      "conform", "Run the conformance suite on a target; report");
  auto o = std::make_shared<ConformOptions>();
  command->add_option("--target", o->target,
                      "cpu, cpu:0, interp ... (default: TERRAZZO_TARGET, else "
                      "the best there is)");
  command->add_option("--filter", o->filter,
                      "Only cases whose name matches this regular expression");
  command->add_option("--level", o->level, "smoke or full")
      ->check(CLI::IsMember({"smoke", "full"}));
  command->add_option("--json", o->json, "Write the report to this file");
  command->add_option("--cases", o->caseFiles, "More case files")
      ->take_all()
      ->allow_extra_args(false);
  command->add_option("--known-failures", o->knownFailures,
                      "List of known failures; none = without a list");
  command->add_option("-j,--jobs", o->jobs, "Child processes at a time")
      ->check(CLI::Range(1, 256));
  command->add_option("--timeout", o->timeout, "Seconds a case may take (60)")
      ->check(CLI::Range(0.1, 86400.0));
  command->add_flag("--compile-only", o->compilesOnly,
                    "Only compile, without a device; warnings of the target's "
                    "compiler and spilled registers fail a case");
  command->add_flag("--fail-fast", o->failsFast,
                    "Skip what is left after the first failure");
  command
      ->add_option("--random", o->random,
                   "Run so many random kernels instead of the suite")
      ->check(CLI::Range(1, 100000000));
  command
      ->add_option("--sample", o->sample,
                   "Only so many of the cases, chosen by --seed")
      ->check(CLI::Range(1, 100000000));
  command->add_option("--shard", o->shard,
                      "I/N: only the I-th of N parts of the cases; the parts "
                      "together are all of them");
  command->add_option("--seed", o->seed,
                      "Of the first random kernel, or of the sample (1)");
  command->add_option("--shrink", o->shrinks,
                      "Make so many failing random kernels small (3)");
  command->add_option("--save", o->save,
                      "Folder for shrunk kernels: random-SEED.py (.)");
  command
      ->add_option("--proofs", o->proofs,
                   "Folder of what passed before: a case whose code, inputs, "
                   "expectation and device are the same is not run again, and "
                   "counted apart; what passes now is kept there")
      ->excludes("--compile-only");
  command->add_flag("--list", o->lists, "Print the names of the cases");
  command->add_flag("--show", o->shows,
                    "Print the kernels and how tz run runs them");
  command->add_flag("--table", o->table,
                    "Print the coverage table; fails on an empty cell");
  command->add_flag("--tolerances", o->tolerances,
                    "Print how far results may be off, and why");
  command->add_flag("--worker", o->isWorker)->group("");
  command->footer(Footer);
  command->callback([o, &status] { status = Conform(*o).run(); });
}

} // namespace tz::tool
