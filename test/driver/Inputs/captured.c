/* captured KERNEL.py N LARGEST: launches gain() over N elements, of which the
 * last is LARGEST; more than 100 fails. Each launch is made twice. */
#include <stdio.h>
#include <stdlib.h>
#include <terrazzo/terrazzo.h>

static int tell(tz_status_t status) {
  if (!status) {
    return 0;
  }
  printf("captured: %s\n", tz_status_message(status));
  tz_status_release(status);
  return 1;
}

int main(int argc, char **argv) {
  enum { Block = 16, Columns = 4 };
  const int32_t n = atoi(argv[2]);
  const int32_t programs = (n + Block - 1) / Block;
  tz_session_t session = NULL;
  tz_device_t device = NULL;
  tz_stream_t stream = NULL;
  tz_kernel_t kernel = NULL;
  uint64_t x = 0, rows = 0;
  float *content = calloc((size_t)n, sizeof(float));
  float *out = calloc((size_t)n, sizeof(float)); /* nobody is told of it */
  const tz_named_arg block = {"BLOCK", tz_i32(Block)};
  const tz_named_arg warps = {"num_warps", tz_i32(2)};
  const tz_kernel_source source = {.struct_size = sizeof(source),
                                   .path = argv[1],
                                   .function = "gain",
                                   .constants = &block,
                                   .num_constants = 1,
                                   .options = &warps,
                                   .num_options = 1};
  const int64_t grid[3] = {programs, 1, 1};
  for (int32_t i = 0; i < n; ++i) {
    content[i] = (float)i * 0.25f;
  }
  content[n - 1] = (float)atof(argv[3]);
  int failed = tell(tz_session_create(NULL, &session)) ||
               tell(tz_device_open(session, "cpu", &device)) ||
               tell(tz_stream_create(device, &stream)) ||
               tell(tz_kernel_load(session, &source, &kernel)) ||
               tell(tz_memory_alloc(device, (uint64_t)n * 4, &x)) ||
               tell(tz_memory_alloc(device, (uint64_t)programs * Columns * 4,
                                    &rows)) ||
               tell(tz_copy_in(stream, x, content, (uint64_t)n * 4)) ||
               tell(tz_fill(stream, rows, (uint64_t)programs * Columns * 4,
                            0x3f800000, 4));
  if (argc > 4) {
    const tz_memory_range told = {(uint64_t)(uintptr_t)out, (uint64_t)n * 4,
                                  "out"};
    failed = failed || tell(tz_stream_know_memory(stream, &told, 1));
  }
  tz_descriptor described = {.struct_size = sizeof(described),
                             .data = rows,
                             .element = TZ_TYPE_F32,
                             .rank = 2,
                             .shape = {programs, Columns},
                             .strides = {Columns, 1},
                             .block = {1, Columns}};
  const tz_arg items[] = {tz_f32(100), tz_f32(2)};
  const char *const names[] = {"limit", "factor"};
  const tz_tuple tuple = {sizeof(tuple), items, 2, names};
  const tz_arg args[] = {
      tz_pointer(x, TZ_TYPE_F32),
      tz_descriptor_arg(&described),
      tz_pointer((uint64_t)(uintptr_t)out, TZ_TYPE_F32),
      tz_tuple_arg(&tuple),
      tz_i32(n),
      tz_i32(7),
  };
  for (int i = 0; i < 2 && !failed; ++i) {
    failed = tell(tz_kernel_launch(kernel, stream, grid, args, 6)) ||
             tell(tz_stream_sync(stream));
  }
  printf("out[1] = %g\n", out[1]);
  tz_kernel_destroy(kernel);
  tz_stream_destroy(stream);
  if (x) {
    (void)tell(tz_memory_free(device, x));
  }
  if (rows) {
    (void)tell(tz_memory_free(device, rows));
  }
  tz_session_destroy(session);
  free(content);
  free(out);
  return failed;
}
