// const int kWritten = 1; /* not code */
const char *pointer = "const int kQuoted = 1;"; // what it points to is constant
inline constexpr int Right[] = {1, 2};
inline constexpr int kLimit = 3;
static const char *const most = "m";
constexpr unsigned MOST_BYTES{4};
constexpr int limitOf(int i) { return i; }
const int &lookUp(int i);
constexpr struct {
  const char *name;
  int value;
} rows[] = {{"a", 1}};
R"(
const int kRaw = 1;
)";
struct Box {
  static constexpr int Size = 1;
  const int kept;
};
inline int countAll() {
  constexpr int enough = 5;
  constexpr int Few = 6;
  constexpr int kMany = 7;
  const int Any = limitOf(kMany);
  return Any;
}
extern const int *const Told, first[], Last;
static const int tz_rows[] = {1};
namespace {
namespace inner {
} // namespace inner
} // namespace
namespace tz::cpu {
namespace inner {
} // namespace inner
} // namespace tz::cpu
namespace mlir { class Type; }
namespace terrazzo::cpu {
namespace inner {
} // namespace inner
} // namespace terrazzo::cpu
