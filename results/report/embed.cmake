# SPDX-License-Identifier: Apache-2.0
# cmake -DFILES=a.js|b.css -DMODULES=node_modules -DOUTPUT=embedded.cc -P embed.cmake
# Turns files into one C++ source, through the assembler, and with them the licences of all modules.
string(REPLACE "|" ";" files "${FILES}")
list(REMOVE_ITEM files "")
if(MODULES)
  file(GLOB texts ${MODULES}/*/LICEN[CS]E* ${MODULES}/@*/*/LICEN[CS]E*)
  set(hashes)
  foreach(text IN LISTS texts)
    file(SHA256 ${text} hash)
    get_filename_component(module ${text} DIRECTORY)
    file(RELATIVE_PATH module ${MODULES} ${module})
    list(APPEND hashes ${hash})
    list(APPEND modules_${hash} ${module})
    set(text_${hash} ${text})
  endforeach()
  list(REMOVE_DUPLICATES hashes)
  set(licences)
  foreach(hash IN LISTS hashes)
    file(READ ${text_${hash}} text)
    list(JOIN modules_${hash} ", " modules)
    string(APPEND licences "== ${modules}\n\n${text}\n\n")
  endforeach()
  get_filename_component(folder ${OUTPUT} DIRECTORY)
  file(WRITE ${folder}/licences.txt "${licences}")
  list(APPEND files ${folder}/licences.txt)
endif()

set(symbols)
set(entries)
set(number 0)
foreach(file IN LISTS files)
  get_filename_component(name ${file} NAME)
  file(SHA256 ${file} hash)
  set(symbol conoscope_report_${number})
  string(APPEND symbols "asm(
    \".pushsection .rodata\\n.global ${symbol}\\n.hidden ${symbol}\\n${symbol}:\\n\"
    \".incbin \\\"${file}\\\"\\n\"
    \".global ${symbol}_end\\n.hidden ${symbol}_end\\n${symbol}_end:\\n.byte 0\\n.popsection\");
extern \"C\" const char ${symbol}[], ${symbol}_end[];
")
  string(APPEND entries "      {\"${name}\", {${symbol}, static_cast<std::size_t>(${symbol}_end - ${symbol})}, \"${hash}\"},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUTPUT} "// Made by embed.cmake.
#include \"results/report/embedded.h\"

#include <cstddef>

${symbols}
namespace conoscope::results {

std::span<const EmbeddedFile> embedded_files() {
  static const EmbeddedFile files[] = {
${entries}  };
  return files;
}

}  // namespace conoscope::results
")
