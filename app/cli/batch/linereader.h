// SPDX-License-Identifier: Apache-2.0
// Lines of a file of any size, one at a time.
#pragma once

#include "engine/engine.h"

namespace glovebox {

class LineReader
{
public:
    static constexpr qsizetype longest = 32 * mebibyte;

    struct Line
    {
        QByteArray bytes; // without the line break; empty when too long
        bool isTooLong = false;
        bool isEnded = true; // by a line break
    };

    // The descriptor stays its owner's. copy: what is read is written there too; -1: nowhere.
    LineReader(int descriptor, int copy)
        : m_descriptor(descriptor)
        , m_copy(copy)
    {
    }

    // Nothing at the end. An error is an errno, of reading or of writing the copy.
    std::expected<std::optional<Line>, int> next();
    // Where the next line begins, in bytes.
    qint64 offset() const { return m_offset + m_at; }
    // Of all that was read.
    QByteArray digest() { return m_hash.result(); }

private:
    std::expected<bool, int> readMore();

    int m_descriptor, m_copy;
    QByteArray m_buffer;
    qsizetype m_at = 0; // in the buffer
    qint64 m_offset = 0; // in the file, of the buffer's begin
    bool m_atEnd = false;
    Sha256 m_hash{0};
};

} // namespace glovebox
