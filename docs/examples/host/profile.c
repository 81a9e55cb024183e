/*===- profile.c - a C program that asks what its launches cost
 * -------------===*
 *
 * What   Launches docs/examples/vector_add.py under two scopes, prints the time
 *        of each kernel, and writes add.chrome_trace.
 * Why    The shortest complete use of tz_profile_t:
 *          profile path/to/vector_add.py [target]
 *===----------------------------------------------------------------------===*/
#include <terrazzo/terrazzo.h>

#include <stdio.h>

enum { Elements = 1 << 20, Block = 1024 };

/* Ends main() with the message of the first call that fails. */
#define TRY(call)                                                              \
  do {                                                                         \
    tz_status_t status = (call);                                               \
    if (status) {                                                              \
      fprintf(stderr, "profile: %s\n", tz_status_message(status));             \
      tz_status_release(status);                                               \
      return 1;                                                                \
    }                                                                          \
  } while (0)

static void print(tz_profile_t profile) {
  tz_profile_record records[16];
  size_t given = 0, i = 0;
  for (i = 0; i < 16; ++i) {
    records[i].struct_size = sizeof(records[i]);
  }
  tz_status_release(tz_profile_read(profile, 0, 0, records, 16, &given));
  for (i = 0; i < given; ++i) {
    if (records[i].kind == TZ_PROFILE_KERNEL) {
      printf("%s: %.1f us\n", records[i].name,
             (double)(records[i].end_ns - records[i].begin_ns) / 1e3);
    }
  }
}

int main(int argc, char **argv) {
  tz_session_t session = NULL;
  tz_device_t device = NULL;
  tz_stream_t stream = NULL;
  tz_kernel_t kernel = NULL;
  tz_profile_t profile = NULL;
  tz_kernel_source source = {sizeof(source)};
  tz_profile_options options = {sizeof(options)};
  tz_metric bytes = {sizeof(bytes)};
  int64_t grid[3] = {Elements / Block, 1, 1};
  uint64_t memory = 0;
  const char *scopes[] = {"warm-up", "measured"};
  int i = 0;

  TRY(tz_session_create(NULL, &session));
  TRY(tz_device_open(session, argc > 2 ? argv[2] : "", &device));
  TRY(tz_stream_create(device, &stream));
  source.path = argc > 1 ? argv[1] : "vector_add.py";
  source.function = "add_kernel";
  TRY(tz_kernel_load(session, &source, &kernel));
  TRY(tz_memory_alloc(device, 3 * 4 * (uint64_t)Elements, &memory));

  options.data = TZ_PROFILE_TRACE;
  TRY(tz_profile_start(session, &options, &profile));
  bytes.name = "bytes";
  bytes.kind = TZ_METRIC_INT;
  bytes.i64 = 3 * 4 * (int64_t)Elements;
  for (i = 0; i < 2; ++i) {
    tz_arg args[5];
    args[0] = tz_pointer(memory, TZ_TYPE_F32);
    args[1] = tz_pointer(memory + 4 * (uint64_t)Elements, TZ_TYPE_F32);
    args[2] = tz_pointer(memory + 8 * (uint64_t)Elements, TZ_TYPE_F32);
    args[3] = tz_i32(Elements);
    args[4] = tz_i32(Block);
    TRY(tz_profile_enter_scope(scopes[i]));
    TRY(tz_profile_add_metric(&bytes));
    TRY(tz_kernel_launch(kernel, stream, grid, args, 5));
    TRY(tz_profile_exit_scope(scopes[i]));
  }
  TRY(tz_stream_sync(stream));
  TRY(tz_profile_flush(profile));
  print(profile);
  printf("%s", tz_profile_note(profile));
  TRY(tz_profile_write(profile, 0, "", "add.chrome_trace"));

  tz_profile_destroy(profile);
  TRY(tz_memory_free(device, memory));
  tz_kernel_destroy(kernel);
  tz_stream_destroy(stream);
  tz_session_destroy(session);
  return 0;
}
