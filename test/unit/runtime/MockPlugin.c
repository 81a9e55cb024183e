/*===- MockPlugin.c - plugins with one fault each --------------------------===*
 *
 * What   Compiled once per fault (MOCK_...): the smallest plugin in plain C
 * that is right in everything but that. Why    Each way in which a plugin can
 * be wrong has one clear sentence; and the header is used from C here, as
 * vendors do.
 *===----------------------------------------------------------------------===*/
#include <terrazzo/plugin.h>

#include <string.h>

#define TEXT(s) {(s), sizeof(s) - 1}

static tz_error failure = {sizeof(tz_error),
                           TZ_E_UNAVAILABLE,
                           11,
                           TZ_ERR_STATIC,
                           0,
                           TEXT("the mock has no device today"),
                           0,
                           0,
                           0};

static tz_error *create(const tz_create_desc *desc, tz_compiler **out) {
#ifdef MOCK_CREATE_FAILS
  return &failure;
#else
  static int object;
  (void)failure;
  *out = (tz_compiler *)&object;
  return 0;
#endif
}
static void destroy(tz_compiler *c) {}
static tz_error *targets(tz_compiler *c, const tz_str **ids, size_t *n) {
  static const tz_str list[] = {TEXT("mock:any")};
#ifdef MOCK_ABSURD_COUNT
  *n = (size_t)1 << 40;
#else
  *n = 1;
#endif
  *ids = list;
  return 0;
}
static tz_error *describe(tz_compiler *c, tz_str target, tz_target_desc *out) {
  return &failure;
}
__attribute__((unused)) static tz_error *
compile(tz_compiler *c, const tz_compile_request *r, tz_artifact **out) {
  return &failure;
}

#ifdef MOCK_NEWER
/* A later header's table: a function more. */
static const struct {
  tz_compiler_api known;
  void (*later)(void);
} newer = {{
#else
static const tz_compiler_api api =
    {
#endif
#ifdef MOCK_SHORT_TABLE
               TZ_SIZE_UPTO(tz_compiler_api, destroy),
#elif defined(MOCK_OLD_TABLE)
        TZ_SIZE_UPTO(tz_compiler_api, compile),
#elif defined(MOCK_NEWER)
sizeof(tz_compiler_api) + sizeof(void *),
#else
sizeof(tz_compiler_api),
#endif
               create, destroy, targets, describe, 0, 0,
#ifdef MOCK_NO_COMPILE
               0,
#else
        compile,
#endif
#ifdef MOCK_NEWER
               0}
#else
        /* After `compile` in a table that says it ends there: never to be read.
         */
        (tz_error *(*)(tz_compiler *, tz_str, const tz_option_info *const **,
                       size_t *))(void *)8}
#endif
#ifdef MOCK_NEWER
           ,
           0};
#define api newer.known
#else
;
#endif

static const void *interface(const char *id) {
#ifdef MOCK_NO_TABLE
  return strcmp(id, "x.other/1") == 0 ? &api : 0;
#else
  return strcmp(id, "tz.compiler/1") == 0 ? &api : 0;
#endif
}

#ifdef MOCK_NO_GET_INTERFACE
#define MOCK_INTERFACE (0 ? interface : 0)
#else
#define MOCK_INTERFACE interface
#endif

static const tz_plugin plugin = {
#ifdef MOCK_SHORT_STRUCT
    16,
#else
    sizeof(tz_plugin),
#endif
#ifdef MOCK_BAD_MAGIC
    7,
#else
    TZ_PLUGIN_MAGIC,
#endif
#ifdef MOCK_MAJOR
    TZ_ABI_MAJOR + 5,
#else
    TZ_ABI_MAJOR,
#endif
#if defined(MOCK_OLD)
    TZ_ABI_OLDEST_MINOR - 1,
#elif defined(MOCK_NEEDS_NEWER) || defined(MOCK_NEWER)
    TZ_ABI_MINOR + 1,
#else
    TZ_ABI_MINOR,
#endif
#ifdef MOCK_NEEDS_NEWER
    TZ_ABI_MINOR + 1,
#elif defined(MOCK_OLD)
    0,
#else
    TZ_ABI_TARGET_MINOR,
#endif
#ifdef MOCK_NAME
    TEXT("other"),
#else
    TEXT("mock"),
#endif
    TEXT("test"),
#ifdef MOCK_VERSION
    TEXT("9.9"),
#else
    TEXT("1.0"),
#endif
    TEXT("build"),
#ifdef MOCK_SANITIZER
    TZ_SANITIZER_TAG + 1,
#else
    TZ_SANITIZER_TAG,
#endif
    0,
    MOCK_INTERFACE};

#ifdef MOCK_OTHER_SYMBOL
__attribute__((visibility("default")))
const tz_plugin *tz_plugin_query_v7(const tz_query *q) {
  return &plugin;
}
#elif defined(MOCK_NO_SYMBOL)
__attribute__((visibility("default")))
const tz_plugin *nothing_to_see(const tz_query *q) {
  return &plugin;
}
#else
const tz_plugin *tz_plugin_query_v0(const tz_query *q) {
#ifdef MOCK_DECLINES
  return q->abi_major == 12345 ? &plugin : 0;
#else
  return &plugin;
#endif
}
#endif
