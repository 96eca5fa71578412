# SPDX-License-Identifier: Apache-2.0
# conoscope_npm_ci(SOURCE BINARY WHY): installs what SOURCE/package-lock.json names into
# BINARY/node_modules, at configure time and once for each lock. WHY: empty, or why not.
function(conoscope_npm_ci source binary why)
  set(${why} "" PARENT_SCOPE)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source}/package-lock.json)
  file(SHA256 ${source}/package-lock.json hash)
  set(stamp ${binary}/${hash}.done)
  if(EXISTS ${stamp})
    return()
  endif()
  find_program(CONOSCOPE_NPM npm)
  if(NOT CONOSCOPE_NPM)
    set(${why} "npm is not installed" PARENT_SCOPE)
    return()
  endif()
  file(REMOVE_RECURSE ${binary})
  file(COPY ${source}/package.json ${source}/package-lock.json DESTINATION ${binary})
  message(STATUS "npm ci in ${binary}")
  execute_process(
    COMMAND ${CONOSCOPE_NPM} ci --ignore-scripts --no-audit --no-fund --loglevel=error
    WORKING_DIRECTORY ${binary} RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE error TIMEOUT 300)
  if(failed)
    string(STRIP "${error}" error)
    set(${why} "npm ci failed: ${failed} ${error}" PARENT_SCOPE)
    return()
  endif()
  file(TOUCH ${stamp})
endfunction()
