// SPDX-License-Identifier: Apache-2.0
// The texts that programs make of a value before they write it in some form: without blanks around it, with other line ends, in
// other encodings of characters.
#pragma once

#include "engine/vault/scrub/automaton.h"
#include "engine/vault/scrub/scrub.h"

namespace glovebox::scrub {

struct Wanted
{
    enum Kind {
        Text, // is written in every form
        Bytes, // the same in another encoding: not backwards, and not in another case
        Names, // characters beyond ASCII are anyCharacter
        Cut, // the beginning that Node.js prints of long lists
        Changed, // what a program made of it: not in digits or base64
    };
    Kind kind;
    Owner owner;
    SecretValue text;
};

std::vector<Wanted> wantedOf(const std::vector<ScrubPlan::Secret> &secrets);

} // namespace glovebox::scrub
