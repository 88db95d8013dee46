// SPDX-License-Identifier: Apache-2.0
// OpenSSL's libcrypto, loaded when the first of its functions is called.
//
// Linked in the usual way it costs each start of a program 1 ms: 4,200 names are looked up and 400 KiB of tables written, for a
// library that `glovebox run` rarely needs. So on Linux openssl.cpp defines the functions that Glovebox calls, by OpenSSL's own
// declarations, and each finds its counterpart in the library. A function that isn't there yet is an undefined reference at
// link time: add it to openssl.cpp. Elsewhere libcrypto is linked.
#pragma once

namespace glovebox {

// Whether that has happened. Thread-safe.
bool opensslIsLoaded();

} // namespace glovebox
