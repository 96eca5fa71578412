# SPDX-License-Identifier: Apache-2.0
# Built-in plugins take the same road as anybody's: conoscope_add_plugin() and nothing else of the
# host. They are put (and installed) into one folder, the last of the search path.
set(CONOSCOPE_PLUGIN_DIR ${PROJECT_BINARY_DIR}/lib/conoscope/plugins)
set(CONOSCOPE_LEVEL_DIR ${CMAKE_INSTALL_LIBDIR}/conoscope)
if(CONOSCOPE_LEVELS)
  string(APPEND CONOSCOPE_LEVEL_DIR /${CONOSCOPE_MARCH})
endif()

# conoscope_builtin_plugin(<name> SOURCES <file>... [LIBRARIES <target>...] [PACKAGE <component>])
# PACKAGE: of a plugin with heavy libraries, for a Debian package of its own.
function(conoscope_builtin_plugin name)
  cmake_parse_arguments(ARG "" "PACKAGE" "" ${ARGN})
  if(NOT ARG_PACKAGE)
    set(ARG_PACKAGE conoscope)
  endif()
  conoscope_add_plugin(${name} ${ARG_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CONOSCOPE_PLUGIN_DIR})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  set(folder plugins)
  if(CONOSCOPE_LEVELS AND NOT ARG_PACKAGE STREQUAL conoscope)
    set(folder shared_plugins)  # of wider levels, too, which are built without them
  endif()
  install(TARGETS ${name} LIBRARY DESTINATION ${CONOSCOPE_LEVEL_DIR}/${folder}
          COMPONENT ${ARG_PACKAGE})
  set_property(GLOBAL APPEND PROPERTY CONOSCOPE_BUILTIN_PLUGINS ${name})
endfunction()

# conoscope_without(<line> [OFF]): what is not built, and why. OFF: as was asked for.
function(conoscope_without line)
  if(NOT CONOSCOPE_LEAVE_OUT AND NOT "OFF" IN_LIST ARGN)
    message(FATAL_ERROR "Nothing is to be left out (CONOSCOPE_LEAVE_OUT=OFF): ${line}")
  endif()
  message(STATUS "Left out: ${line}")
endfunction()

# The same of a plugin: `conoscope plugin list` says it, too.
function(conoscope_left_out line)
  conoscope_without(${line} ${ARGN})
  set_property(GLOBAL APPEND_STRING PROPERTY CONOSCOPE_LEFT_OUT "${line}\n")
endfunction()

# After all plugins: writes what was left out to where the command finds it.
function(conoscope_write_left_out)
  get_property(lines GLOBAL PROPERTY CONOSCOPE_LEFT_OUT)
  set(file ${PROJECT_BINARY_DIR}/share/conoscope/left_out.txt)
  file(WRITE ${file} "${lines}")
  install(FILES ${file} DESTINATION ${CMAKE_INSTALL_DATADIR}/conoscope COMPONENT conoscope)
endfunction()
