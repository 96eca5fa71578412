# SPDX-License-Identifier: Apache-2.0
# Parses the large headers once, not once for each of 400 sources: half of a build from nothing.
# What a target links with decides what it gets, so that no list of targets has to be kept. One
# carrier compiles each set for all targets whose flags agree. The sets hold no header of the project's
# code, so that editing one never compiles everything again.
#
# With Eigen's headers goes the promise that its products' inner loops are compiled elsewhere, once:
# eigen_kernels.h.
#
# Precompiled headers hide a missing #include: the presets dev and clang go without.

# conoscope_links(<target> <library> <out>): do the library's flags reach the target's sources?
function(conoscope_links target library out)
  set(${out} FALSE PARENT_SCOPE)
  set(seen)
  get_target_property(open ${target} LINK_LIBRARIES)
  while(open)
    list(POP_FRONT open next)
    if(next STREQUAL library)
      set(${out} TRUE PARENT_SCOPE)
      return()
    elseif(TARGET ${next} AND NOT next IN_LIST seen)
      list(APPEND seen ${next})
      get_target_property(libraries ${next} INTERFACE_LINK_LIBRARIES)
      if(libraries)
        list(FILTER libraries EXCLUDE REGEX "LINK_ONLY")
        list(APPEND open ${libraries})
      endif()
    endif()
  endwhile()
endfunction()

# conoscope_precompile(<name> [PIE] [LIBRARIES <library>...] HEADERS <header>...)
function(conoscope_precompile name)
  cmake_parse_arguments(ARG "PIE" "" "LIBRARIES;HEADERS" ${ARGN})
  set(source ${PROJECT_BINARY_DIR}/precompiled/${name}.cc)
  file(CONFIGURE OUTPUT ${source} CONTENT "// Only the headers matter.\n")
  add_library(precompiled_${name} OBJECT ${source})
  target_link_libraries(precompiled_${name} PRIVATE ${ARG_LIBRARIES})
  target_precompile_headers(precompiled_${name} PRIVATE ${ARG_HEADERS})
  if(ARG_PIE)  # as executables are compiled
    set_target_properties(precompiled_${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(precompiled_${name} PRIVATE -fPIE)
  endif()
endfunction()

function(conoscope_targets folder out)
  get_directory_property(targets DIRECTORY ${folder} BUILDSYSTEM_TARGETS)
  get_directory_property(folders DIRECTORY ${folder} SUBDIRECTORIES)
  foreach(below IN LISTS folders)
    conoscope_targets(${below} more)
    list(APPEND targets ${more})
  endforeach()
  set(${out} ${targets} PARENT_SCOPE)
endfunction()

set(standard <algorithm> <array> <chrono> <cmath> <cstdint> <filesystem> <fstream> <functional> <map> <memory>
             <optional> <set> <span> <sstream> <stdexcept> <string> <string_view> <utility> <vector>)
conoscope_targets(${PROJECT_SOURCE_DIR} targets)
conoscope_precompile(standard HEADERS ${standard})
set(eigen <Eigen/Dense> ${CMAKE_CURRENT_LIST_DIR}/eigen_kernels.h)
conoscope_precompile(eigen LIBRARIES Eigen3::Eigen HEADERS ${standard} ${eigen})
if(TARGET torch)
  conoscope_precompile(torch LIBRARIES torch HEADERS <torch/torch.h>)
endif()
if(CONOSCOPE_TESTS)
  find_package(doctest REQUIRED)
  find_package(nlohmann_json 3 REQUIRED)
  conoscope_precompile(tests PIE LIBRARIES Eigen3::Eigen doctest::doctest
                       HEADERS ${standard} <doctest/doctest.h> ${eigen})
  target_compile_options(precompiled_tests PRIVATE $<$<CONFIG:Release>:-O1>)  # as in tests/
  conoscope_precompile(drivers PIE LIBRARIES doctest::doctest nlohmann_json::nlohmann_json
                       HEADERS ${standard} <doctest/doctest.h> <nlohmann/json.hpp>)
  target_compile_options(precompiled_drivers PRIVATE
    -O0 $<$<BOOL:${CONOSCOPE_SANITIZE}>:-fno-sanitize=all>)  # as in tests/
  if(TARGET bench_surf)
    find_package(benchmark REQUIRED)
    conoscope_precompile(benches PIE LIBRARIES Eigen3::Eigen benchmark::benchmark
                         HEADERS ${standard} <benchmark/benchmark.h> ${eigen})
    set_target_properties(precompiled_benches PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endif()
target_precompile_headers(conoscope PRIVATE ${standard} <boost/program_options.hpp>)
if(TARGET conoscope_golden)
  target_precompile_headers(conoscope_golden PRIVATE ${standard} <doctest/doctest.h> ${eigen}
                            <nlohmann/json.hpp>)
  target_link_libraries(conoscope_golden PRIVATE conoscope_eigen_kernels)
endif()

foreach(target IN LISTS targets)
  get_target_property(type ${target} TYPE)
  get_target_property(driver ${target} CONOSCOPE_DRIVER)
  get_target_property(few ${target} CONOSCOPE_FEW_HEADERS)
  conoscope_links(${target} torch torch)
  conoscope_links(${target} Eigen3::Eigen eigen)
  if(few OR target MATCHES "^(conoscope|conoscope_golden|conoscope_doctest_main|sdk_headers_alone)$" OR
     type MATCHES "UTILITY|INTERFACE")
    continue()
  endif()
  if(torch AND NOT target MATCHES "^bench_" AND NOT driver)
    # To read the largest set takes longer than to compile most of what uses it: six sources at a time.
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
  endif()
  if(type STREQUAL "EXECUTABLE")
    if(target MATCHES "^bench_")
      target_precompile_headers(${target} REUSE_FROM precompiled_benches)
      target_link_libraries(${target} PRIVATE conoscope_eigen_kernels)
    elseif(driver)
      target_precompile_headers(${target} REUSE_FROM precompiled_drivers)
    elseif(torch)
      # Compiled as libraries are, these can share the largest set of all.
      set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
      target_compile_options(${target} PRIVATE -fPIC $<$<CONFIG:Release>:-O3>)
      target_precompile_headers(${target} REUSE_FROM precompiled_torch)
    else()
      target_precompile_headers(${target} REUSE_FROM precompiled_tests)
      target_link_libraries(${target} PRIVATE conoscope_eigen_kernels)
    endif()
  elseif(torch)
    target_precompile_headers(${target} REUSE_FROM precompiled_torch)
  elseif(eigen)
    target_precompile_headers(${target} REUSE_FROM precompiled_eigen)
    target_link_libraries(${target} PRIVATE conoscope_eigen_kernels)
  else()
    target_precompile_headers(${target} REUSE_FROM precompiled_standard)
  endif()
endforeach()
