// SPDX-License-Identifier: Apache-2.0
// A shared library that is no plugin at all.

extern "C" __attribute__((visibility("default"))) int answer() { return 42; }
