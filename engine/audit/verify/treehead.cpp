// SPDX-License-Identifier: Apache-2.0
#include "treehead.h"

#include <ranges>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// RFC 6962, section 2.1: the 0x01 keeps an inner node from being taken for a leaf.
QByteArray innerHash(const QByteArray &left, const QByteArray &right)
{
    return sha256({QByteArrayView("\1", 1), left, right});
}

} // namespace

QString toText(const TreeHead &head)
{
    return u"%1:%2"_s.arg(head.size).arg(QLatin1StringView(head.root.toHex()));
}

std::optional<TreeHead> treeHeadFrom(QByteArrayView text)
{
    constexpr qsizetype hexDigits = 64;
    constexpr qsizetype mostDigits = 16; // of numbers below 2^53, which JSON has
    const qsizetype colon = text.indexOf(':');
    if (colon < 1 || colon > mostDigits || text.size() != colon + 1 + hexDigits)
        return std::nullopt;
    const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
    const auto isHex = [&](char c) { return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); };
    const QByteArrayView size = text.first(colon);
    const QByteArrayView root = text.sliced(colon + 1);
    if (!std::ranges::all_of(size, isDigit) || !std::ranges::all_of(root, isHex))
        return std::nullopt;
    return TreeHead{size.toLongLong(), QByteArray::fromHex(root.toByteArray())};
}

void MerkleTree::add(const QByteArray &leaf)
{
    QByteArray root = leaf;
    for (qint64 full = m_size; (full & 1) != 0; full >>= 1) { // as a binary number is counted up, with its carries
        root = innerHash(m_full.back(), root);
        m_full.pop_back();
    }
    m_full.push_back(root);
    ++m_size;
}

TreeHead MerkleTree::head() const
{
    if (m_full.empty())
        return {0, sha256({})};
    QByteArray root = m_full.back();
    for (const QByteArray &left : m_full | std::views::reverse | std::views::drop(1))
        root = innerHash(left, root);
    return {m_size, root};
}

} // namespace glovebox
