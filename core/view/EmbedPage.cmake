# Makes a C++ file that holds the page's own files as string literals.
#   cmake -DOUTPUT=... -DFILES=view.html;view.css -P EmbedPage.cmake
set(code "// Made by core/view/EmbedPage.cmake.\n")
string(APPEND code "#include \"core/view/PageFiles.h\"\n\nnamespace tz::view {\n\n")
string(APPEND code "llvm::StringRef pageFile(llvm::StringRef name) {\n")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME)
  file(READ ${file} text)
  string(APPEND code "  if (name == \"${name}\") {\n    return R\"tzpage(${text})tzpage\";\n  }\n")
endforeach()
string(APPEND code "  return {};\n}\n\n} // namespace tz::view\n")
file(WRITE ${OUTPUT} "${code}")
