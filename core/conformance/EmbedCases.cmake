# Makes a C++ file that holds case files and example kernels as string literals.
#   cmake -DOUTPUT=... -DCASES=a.cases;b.cases -DSOURCES=x.py -P EmbedCases.cmake
set(code "// Made by core/conformance/EmbedCases.cmake.\n")
string(APPEND code "#include \"core/conformance/Suite.h\"\n\nnamespace tz::conformance {\n\n")
foreach(list IN ITEMS CASES SOURCES)
  string(APPEND code "static const EmbeddedFile ${list}[] = {\n")
  foreach(file IN LISTS ${list})
    get_filename_component(name ${file} NAME)
    file(READ ${file} text)
    # A literal has a limit of 64 KiB in the standard; adjacent ones are joined.
    string(APPEND code "  {\"${name}\", R\"tzcases(${text})tzcases\"},\n")
  endforeach()
  string(APPEND code "};\n")
endforeach()
string(APPEND code "
const std::vector<EmbeddedFile> &embeddedCases() {
  static const std::vector<EmbeddedFile> files(std::begin(CASES), std::end(CASES));
  return files;
}
const std::vector<EmbeddedFile> &embeddedSources() {
  static const std::vector<EmbeddedFile> files(std::begin(SOURCES), std::end(SOURCES));
  return files;
}

} // namespace tz::conformance\n")
file(WRITE ${OUTPUT} "${code}")
