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
        m_line.show(
            (m_all ? u"%1 of %2 files, %3 of %4"_s.arg(QString::number(copied.files), QString::number(m_all->files),
                                                       sizeWords(copied.bytes), sizeWords(m_all->bytes))
                   : u"%1, %2"_s.arg(copied.files == 1 ? u"1 file"_s : u"%1 files"_s.arg(copied.files),
                                     sizeWords(copied.bytes)))
                .toUtf8());
    };
}

} // namespace glovebox
