// SPDX-License-Identifier: Apache-2.0
// What a plan is made of.
#pragma once

#include "automaton.h"
#include "scrub.h"
#include "starts.h"
#include "texts/names.h"
#include "texts/wanted.h"

namespace glovebox {

struct ScrubPlan::Private
{
    Private(const std::vector<Secret> &secrets, const std::vector<scrub::Wanted> &wanted);

    QStringList names; // by owner
    std::vector<QByteArray> marks; // the same
    std::vector<QByteArray> marksOfParts;
    scrub::Automaton texts; // for every reading but those two
    scrub::Automaton hex;
    scrub::Automaton base64;
    scrub::Starts starts;
    scrub::NameForms inNames;

private:
    void addText(QByteArrayView text, scrub::Owner owner);
    void addAsText(const scrub::Wanted &wanted, SecretValue &scratch);
    void addEncoded(const scrub::Wanted &wanted, SecretValue &scratch);
};

} // namespace glovebox
