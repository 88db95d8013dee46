// SPDX-License-Identifier: Apache-2.0
#include "copyline.h"

#include "sessionview.h"

namespace glovebox {

using namespace Qt::StringLiterals;

CopyLine::CopyLine(const SessionTree &all)
    : m_all(CopiedUntilNow{})
{
    for (const SessionEntry &entry : all) {
        const bool isFile = entry.type == SessionEntry::Type::File || entry.type == SessionEntry::Type::SameFile;
        m_all->files += isFile ? 1 : 0;
        m_all->bytes += isFile ? entry.bytes : 0;
    }
}

CopyProgress CopyLine::progress()
{
    return [this](const CopiedUntilNow &copied) {
        const qint64 all = m_all ? m_all->files : copied.files;
        QString words = all == 1 ? u"1 file"_s : u"%1 files"_s.arg(all);
        if (m_all)
            words = u"%1 of %2"_s.arg(copied.files).arg(words);
        if (m_all && m_all->bytes > 0)
            words += u", %1 of %2"_s.arg(sizeWords(copied.bytes), sizeWords(m_all->bytes));
        else if (!m_all)
            words += u", "_s + sizeWords(copied.bytes);
        m_line.show(words.toUtf8());
    };
}

} // namespace glovebox
