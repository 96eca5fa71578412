# SPDX-License-Identifier: Apache-2.0
# Flags that every target of this project shares. An out-of-tree plugin chooses its own:
# nothing below changes what crosses the plugin border.
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                    -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports an overlap that cannot be in "text" + std::to_string(i) at -O3 (GCC bug 105651).
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
  if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # The same bug in two more guises, which precompiled headers bring to light; newer compilers and
    # clang++ look for the real ones.
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-stringop-overflow>
                        $<$<COMPILE_LANGUAGE:CXX>:-Wno-array-bounds>)
  endif()
  if(CONOSCOPE_MARCH MATCHES "v4|native" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # g++ 12's own headers of AVX-512 (GCC bug 105593).
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-maybe-uninitialized> $<$<COMPILE_LANGUAGE:CXX>:-Wno-uninitialized>)
  endif()
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
    add_compile_options(-Wno-psabi)  # a note on what GCC 10 changed; nothing of ours crosses as a pair
  endif()
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES Clang AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 17)
  # std::stable_sort of libstdc++ 12 calls what that library marks as deprecated; clang reports it of
  # whoever sorts.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-deprecated-declarations>)
endif()
if(CONOSCOPE_WERROR)
  add_compile_options(-Werror)
endif()
if(CONOSCOPE_MARCH)
  add_compile_options(-march=${CONOSCOPE_MARCH})
endif()
include(ConoscopeEigen)
# One pool, the host's: Eigen never starts threads of its own.
add_compile_definitions(EIGEN_DONT_PARALLELIZE ${CONOSCOPE_EIGEN_DEFINITIONS})

# Traces name functions; for lines too, configure with -DCMAKE_CXX_FLAGS=-g1.
if(CONOSCOPE_SANITIZE STREQUAL "address")
  # null, alignment, object-size and vptr checks cost four times the build and found nothing more.
  add_compile_options(-fsanitize=address,undefined -fno-sanitize=null,alignment,object-size,vptr
                      -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
  # Each check's place in the source is data with pointers in it. Relocating them took half of the
  # time that each of the tests' thousands of processes needs to start.
  add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
elseif(CONOSCOPE_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread)
  add_link_options(-fsanitize=thread)
elseif(CONOSCOPE_SANITIZE)
  message(FATAL_ERROR "CONOSCOPE_SANITIZE=${CONOSCOPE_SANITIZE}: must be address, thread or empty")
endif()

if(CONOSCOPE_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR "CONOSCOPE_FUZZ needs clang++: cmake --preset fuzz")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

if(CONOSCOPE_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Instrumented code makes g++ 12 see uninitialised uses that are none (as in <functional>); the
  # ordinary builds look for the real ones.
  add_compile_options(-Wno-maybe-uninitialized)
endif()

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(launcher ${CCACHE})
  if(CONOSCOPE_PCH)
    # What ccache asks for before it keeps objects made with precompiled headers.
    set(launcher ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
    endif()
  endif()
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()
