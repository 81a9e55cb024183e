# Makes a C++ file that holds the library's Python files as string literals.
#   cmake -DOUTPUT=... -DFILES=a.py;b.py -P EmbedLibrary.cmake
set(code "// Made by core/frontend/library/EmbedLibrary.cmake from core/frontend/library.\n")
string(APPEND code "#include \"core/frontend/library/EmbeddedLibrary.h\"\n\n")
string(APPEND code "namespace tz::frontend {\n\n")
set(rows "")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} text)
  # Brackets and semicolons survive because the text is never used as a list.
  string(APPEND code "static const char ${name}Text[] = R\"tzlibrary(${text})tzlibrary\";\n\n")
  string(APPEND rows "      {\"${name}\", ${name}Text},\n")
endforeach()
string(APPEND code "llvm::ArrayRef<LibraryFile> embeddedLibrary() {\n")
string(APPEND code "  static const LibraryFile files[] = {\n${rows}  };\n")
string(APPEND code "  return files;\n}\n\n} // namespace tz::frontend\n")
file(WRITE ${OUTPUT} "${code}")
