# SPDX-License-Identifier: Apache-2.0
# conoscope_add_plugin(<name> SOURCES <file>... [LIBRARIES <target>...])
#
# A shared library <name>.so that conoscope can load: one exported symbol, the sdk's headers, no lib
# prefix. Flags that change floating-point results for the whole process are refused: merely loading
# a library linked with -Ofast or -ffast-math turns on flush-to-zero in its host.
function(conoscope_add_plugin name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS OR NOT ARG_SOURCES)
    message(FATAL_ERROR "conoscope_add_plugin(${name}): expected SOURCES <file>... [LIBRARIES <target>...]")
  endif()
  add_library(${name} MODULE ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE conoscope::sdk ${ARG_LIBRARIES})
  set_target_properties(${name} PROPERTIES PREFIX "" SUFFIX ".so"
    CXX_VISIBILITY_PRESET hidden C_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_compile_options(${name} PRIVATE -ffp-contract=off)
  target_link_options(${name} PRIVATE LINKER:--version-script=${CMAKE_CURRENT_FUNCTION_LIST_DIR}/plugin.map)

  string(TOUPPER "${CMAKE_BUILD_TYPE}" config)
  get_directory_property(directory_options COMPILE_OPTIONS)
  set(flags ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${config}} ${CMAKE_MODULE_LINKER_FLAGS}
            ${directory_options})
  if("${flags}" MATCHES "-Ofast|-ffast-math|-funsafe-math-optimizations")
    message(FATAL_ERROR "conoscope_add_plugin(${name}): the flags contain '${CMAKE_MATCH_0}', which "
                        "changes floating-point results for the whole process; remove it")
  endif()
endfunction()
