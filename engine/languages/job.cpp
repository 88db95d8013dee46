// SPDX-License-Identifier: Apache-2.0
// Writes the frames.
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
    return framed(QByteArray("5\0", 2) + name + '\0' + tag + '\0') + framed(cell.code) + framed(cell.toolModule);
}

QByteArray followedByVariables(QByteArray job)
{
    if (job.size() > qsizetype(sizeof(quint32)))
        job[sizeof(quint32)] = '2';
    return job;
}

} // namespace glovebox
