// SPDX-License-Identifier: Apache-2.0
#include "entry.h"

namespace glovebox {

using namespace Qt::StringLiterals;

Result<QByteArray> entryJson(const EntryHead &head, const Entry &entry)
{
    if (!entry.fields)
        return std::unexpected(entry.fields.error());
    QJsonObject object = *entry.fields;
    object[u"v"_s] = 1;
    object[u"seq"_s] = head.seq;
    object[u"kind"_s] = entry.kind;
    object[u"time_us"_s] = head.timeMicroseconds;
    object[u"engine"_s] = head.engine;
    if (!entry.run.isEmpty())
        object[u"run"_s] = entry.run;
    return canonicalJson(object);
}

QByteArray leafHash(QByteArrayView json)
{
    return sha256({QByteArrayView("\0", 1), json});
}

} // namespace glovebox
