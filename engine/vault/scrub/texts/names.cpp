// SPDX-License-Identifier: Apache-2.0
#include "names.h"

#include "forms.h"

#include <algorithm>
#include <tuple>

namespace glovebox::scrub {

namespace {

constexpr int base64Alignments = 3;
constexpr qsizetype longestName = 255; // bytes (RFC 1035): what is longer isn't in one name

// Both alphabets of base64 are one, as both cases are.
char folded(char byte)
{
    if (byte >= 'A' && byte <= 'Z')
        return char(byte + ('a' - 'A'));
    return byte == '-' ? '+' : byte == '_' ? '/' : byte;
}

} // namespace

bool isJointOfName(char byte)
{
    return byte == '.' || byte == ':';
}

NameForms::NameForms(const std::vector<ScrubPlan::Secret> &secrets)
{
    constexpr qsizetype mostOfByte = 8; // itself and reversed; two digits; base64 thrice
    constexpr qsizetype mostBeside = base64Alignments * (base64Ends + 2);
    qsizetype most = 0;
    qsizetype longest = 1;
    for (const ScrubPlan::Secret &secret : secrets) {
        if (secret.value.size() > longestName)
            continue;
        most += mostOfByte * secret.value.size() + mostBeside;
        longest = std::max(longest, secret.value.size());
    }
    m_bytes = SecretValue(most);
    SecretValue scratch(2 * longest);
    for (std::size_t i = 0; i < secrets.size(); ++i) {
        const QByteArrayView value = secrets[i].value.trimmed();
        const auto owner = static_cast<Owner>(i);
        if (secrets[i].value.size() > longestName)
            continue;
        add(value, owner);
        add(reversedBytes(value, scratch), owner);
        if (value.size() < ScrubPlan::shortestEncoded)
            continue;
        add(lowerHex(value, scratch), owner);
        for (int before = 0; before < base64Alignments; ++before)
            addBase64(value, before, owner, scratch);
    }
}

void NameForms::addBase64(QByteArrayView value, int bytesBefore, Owner owner, SecretValue &scratch)
{
    const QByteArrayView core = base64Core(value, bytesBefore, scratch);
    add(core, owner);
    for (int end = 0; end < base64Ends; ++end) {
        const QByteArrayView longer = withBase64End(value, bytesBefore, core.size(), end, scratch);
        if (longer.isEmpty())
            return;
        m_bytes.data()[m_used++] = folded(longer.back());
        ++m_forms.back().ends;
    }
}

void NameForms::add(QByteArrayView text, Owner owner)
{
    qsizetype end = m_used;
    for (const char byte : text) {
        if (!isJointOfName(byte))
            m_bytes.data()[end++] = folded(byte);
    }
    const qsizetype size = end - m_used;
    if (size < ScrubPlan::shortestValue)
        return;
    m_forms.push_back({owner, m_used, size});
    m_used = end;
}

std::vector<NameForms::Place> NameForms::placesIn(QByteArrayView name) const
{
    QByteArray letters;
    std::vector<qsizetype> origins; // in the name
    for (qsizetype i = 0; i < name.size(); ++i) {
        if (isJointOfName(name[i]))
            continue;
        letters += folded(name[i]);
        origins.push_back(i);
    }
    std::vector<Place> places;
    for (const Form &form : m_forms) {
        const QByteArrayView text = m_bytes.view().sliced(form.begin, form.size);
        const QByteArrayView ends = m_bytes.view().sliced(form.begin + form.size, form.ends);
        for (qsizetype at = letters.indexOf(text); at >= 0; at = letters.indexOf(text, at + 1)) {
            const auto first = static_cast<std::size_t>(at);
            const bool hasEnd = at + text.size() < letters.size() && ends.contains(letters[at + text.size()]);
            const std::size_t last = first + static_cast<std::size_t>(text.size()) - (hasEnd ? 0 : 1);
            places.push_back({origins[first], origins[last] + 1, form.owner});
        }
    }
    std::ranges::sort(places, {}, [](const Place &place) { return std::tuple(place.begin, -place.end, place.owner); });
    return places;
}

} // namespace glovebox::scrub
