// SPDX-License-Identifier: Apache-2.0
// What the engine and glovebox-keychain say to each other: one request, one reply, then the program ends.
//
// A request is a line, "VERB [SLOT]\n", followed, after "write", by the value up to the end of the stream. A reply is a line and
// bytes up to the end of the stream: "ok\n" and the value ("read") or slots, one a line ("list"); "missing\n"; "state WORD\n"
// (toString(StoreState)) and a detail; "dismissed\n" ("unlock", in which longestRequest is the person's, too); "failed\n" and a
// detail; "nolist\n".
#pragma once

#include <chrono>

namespace glovebox::keychain {

constexpr char service[] = "io.github.glovebox"; // whose the entries are, in the keychain
constexpr char noKeyring[] = "no default keyring"; // the detail of an absent one that is there, and empty
constexpr auto longestRequest =
    std::chrono::seconds(30); // for one request, with a person who is asked something meanwhile
constexpr long largestMessage = 1024 * 1024; // bytes

} // namespace glovebox::keychain
