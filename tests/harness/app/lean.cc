// SPDX-License-Identifier: Apache-2.0
// A library of a plugin's own: what moody gives as importance where it is built to ask for it.

extern "C" double lean_importance();

double lean_importance() { return CONOSCOPE_TEST_IMPORTANCE; }
