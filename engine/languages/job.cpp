// SPDX-License-Identifier: Apache-2.0
// Writes the frames, and reads those of answers.
#include "job.h"

#include "languages.h"

#include <QtEndian>

namespace glovebox {
namespace {

QByteArray framed(const QByteArray &payload)
{
    QByteArray length(sizeof(quint32), '\0');
    qToLittleEndian(quint32(payload.size()), length.data());
    return length + payload;
}

} // namespace

QByteArray encodeJob(const QByteArray &fileName, const QByteArrayList &args)
{
    QByteArray payload;
    for (const QByteArray &text : QByteArrayList{"1", fileName} + args) {
        if (text.contains('\0'))
            return {};
        payload += text;
        payload += '\0';
    }
    if (payload.size() > maximumJobBytes)
        return {};
    return framed(payload);
}

QByteArray encodeCell(const QByteArray &name, const QByteArray &tag, const CellCode &cell)
{
    return framed(QByteArray("6\0", 2) + name + '\0' + tag + '\0') + framed(cell.code) + framed(cell.toolModule);
}

void CellAnswer::feed(QByteArrayView bytes)
{
    constexpr qsizetype head = 1 + sizeof(quint32); // status and length
    if (m_status)
        return;
    m_said += bytes;
    if (!m_hasBegun) {
        const qsizetype at = m_said.indexOf(m_tag);
        m_hasBegun = at >= 0;
        m_said = m_hasBegun ? m_said.sliced(at + m_tag.size()) : m_said.right(m_tag.size() - 1);
    }
    if (!m_hasBegun || m_said.size() < head)
        return;
    const auto length = qFromLittleEndian<quint32>(m_said.constData() + 1);
    const bool isSound = length <= 1 + maximumValueBytes;
    if (isSound && m_said.size() < head + qsizetype(length))
        return;
    m_status = static_cast<unsigned char>(m_said.front());
    const QByteArrayView frame = isSound ? QByteArrayView(m_said).sliced(head, length) : QByteArrayView();
    if (frame.startsWith('w') || frame.startsWith('c'))
        m_value = CellValue{frame.sliced(1).toByteArray(), frame.startsWith('c')};
    m_said.clear();
}

QByteArray followedByVariables(QByteArray job)
{
    if (job.size() > qsizetype(sizeof(quint32)))
        job[sizeof(quint32)] = '2';
    return job;
}

} // namespace glovebox
