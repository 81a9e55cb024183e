/*===- slots.h - a table with a function that nobody calls -----------------===*/
typedef struct tz_compiler_api {
  size_t struct_size;
  tz_error *(TZ_CALL *compile)(tz_compiler *, const tz_compile_request *,
                               tz_artifact **out);
  /* compiles nothing: */
  tz_error *(TZ_CALL *guess)(tz_compiler *, uint64_t *out);
} tz_compiler_api;

typedef struct tz_host {
  size_t struct_size;
  void(TZ_CALL *log)(void *ctx, uint32_t level, tz_str component, tz_str msg);
  int32_t(TZ_CALL *execute)(void *ctx, uint32_t count,
                            void(TZ_CALL *task)(void *data), void *data);
} tz_host;
