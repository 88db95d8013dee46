// SPDX-License-Identifier: Apache-2.0
// Writes the frame.
#include "job.h"

#include "languages.h"

#include <QtEndian>

namespace glovebox {

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
    QByteArray frame(sizeof(quint32), '\0');
    qToLittleEndian(quint32(payload.size()), frame.data());
    return frame + payload;
}

QByteArray followedByVariables(QByteArray job)
{
    if (job.size() > qsizetype(sizeof(quint32)))
        job[sizeof(quint32)] = '2';
    return job;
}

} // namespace glovebox
