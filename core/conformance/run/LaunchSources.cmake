# Writes OUTPUT: one hash of the names and contents of FILES, below ROOT, and of
# the build's FLAGS.
set(all "${FLAGS}\n")
foreach(file IN LISTS FILES)
  file(SHA256 ${file} hash)
  file(RELATIVE_PATH name ${ROOT} ${file})
  string(APPEND all "${name} ${hash}\n")
endforeach()
string(SHA256 hash "${all}")
file(WRITE ${OUTPUT} "namespace tz::tool {\nextern const char *const LaunchSources;\nconst char *const LaunchSources = \"${hash}\";\n} // namespace tz::tool\n")
