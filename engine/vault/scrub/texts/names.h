// SPDX-License-Identifier: Apache-2.0
// Values in names of the network: cut into labels by dots anywhere, and in any case, since for names case doesn't matter and some
// programs change it.
#pragma once

#include "engine/vault/scrub/automaton.h"
#include "engine/vault/scrub/scrub.h"

#include <vector>

namespace glovebox::scrub {

// Dots between labels, and the colons of IPv6 addresses.
bool isJointOfName(char byte);

// A few hundred bytes, a hundred times a run: looked for one after the other.
class NameForms
{
public:
    explicit NameForms(const std::vector<ScrubPlan::Secret> &secrets);

    struct Place
    {
        qsizetype begin = 0;
        qsizetype end = 0;
        Owner owner = 0;

        bool operator==(const Place &) const = default;
    };
    // By their beginnings, the longest first.
    std::vector<Place> placesIn(QByteArrayView name) const;

private:
    struct Form
    {
        Owner owner = 0;
        qsizetype begin = 0; // in m_bytes
        qsizetype size = 0;
        qsizetype ends = 0; // so many bytes behind it are the characters that may share its last bits
    };
    void add(QByteArrayView text, Owner owner);
    void addBase64(QByteArrayView value, int bytesBefore, Owner owner, SecretValue &scratch);

    SecretValue m_bytes; // of all forms, folded, without joints
    qsizetype m_used = 0;
    std::vector<Form> m_forms;
};

} // namespace glovebox::scrub
