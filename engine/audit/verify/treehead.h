// SPDX-License-Identifier: Apache-2.0
// The Merkle tree over the entries of the log: RFC 6962, section 2.1 (https://www.rfc-editor.org/rfc/rfc6962#section-2.1).
#pragma once

#include "engine/base/base.h"

#include <optional>
#include <vector>

namespace glovebox {

// What stands for the first entries of a log, all of them: a log that has another root for so many entries has other entries.
struct TreeHead
{
    qint64 size = 0; // entries
    QByteArray root; // 32 bytes

    bool operator==(const TreeHead &) const = default;
};

// "1234:9f86d081...": one word, to be kept elsewhere.
QString toText(const TreeHead &head);
// Nothing: the text isn't one. The root may be in capital letters, as people copy it.
std::optional<TreeHead> treeHeadFrom(QByteArrayView text);

// Grows leaf by leaf, and keeps one hash for each full subtree: 64 at most.
class MerkleTree
{
public:
    void add(const QByteArray &leaf); // as leafHash() makes it
    qint64 size() const { return m_size; }
    TreeHead head() const;

private:
    std::vector<QByteArray>
        m_full; // roots of full subtrees, the largest (and leftmost) first: one for each bit of m_size
    qint64 m_size = 0;
};

} // namespace glovebox
