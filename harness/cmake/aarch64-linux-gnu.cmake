# SPDX-License-Identifier: Apache-2.0
# Debian's cross compiler and its arm64 libraries side by side with the machine's own (multiarch).
# Tests run under qemu-user, which the kernel calls by itself (binfmt_misc): workers start workers.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(PKG_CONFIG_EXECUTABLE aarch64-linux-gnu-pkg-config)
