/*===- host.c - a program that uses the installed package -----------------===*
 *
 * What   Lists the plugins and moves four bytes through the null device.
 * Why    The package is right when a stranger's project builds and runs with
 * it.
 *===----------------------------------------------------------------------===*/
#include <terrazzo/terrazzo.h>

#include <stdio.h>

static int failed(tz_status_t status) {
  if (!status) {
    return 0;
  }
  fprintf(stderr, "%s\n", tz_status_message(status));
  tz_status_release(status);
  return 1;
}

int main(void) {
  tz_session_t session = 0;
  tz_device_t device = 0;
  tz_stream_t stream = 0;
  uint64_t memory = 0;
  char text[4] = "";
  size_t i;
  if (failed(tz_session_create(0, &session))) {
    return 1;
  }
  for (i = 0; i < tz_session_plugin_count(session); ++i) {
    tz_plugin_line line = {sizeof(line), 0, 0, 0, 0, 0, 0, 0, 0};
    if (failed(tz_session_plugin(session, i, &line))) {
      return 1;
    }
    printf("%s %s %s state=%u %s\n", line.name, line.version, line.path,
           line.state, line.reason);
  }
  if (failed(tz_device_open(session, "null", &device)) ||
      failed(tz_stream_create(device, &stream)) ||
      failed(tz_memory_alloc(device, 4, &memory)) ||
      failed(tz_copy_in(stream, memory, "abc", 4)) ||
      failed(tz_copy_out(stream, text, memory, 4)) ||
      failed(tz_stream_sync(stream)) ||
      failed(tz_memory_free(device, memory))) {
    return 1;
  }
  printf("moved %s\n", text);
  tz_stream_destroy(stream);
  tz_session_destroy(session);
  return text[0] == 'a' ? 0 : 1;
}
