// SPDX-License-Identifier: Apache-2.0
// Under which names the log has a secret: what is on record keeps the name that a secret had then.
#pragma once

#include "engine/audit/audit.h"

#include <QList>

namespace glovebox {

// The entries in which a name means one secret.
struct NameSpan
{
    QString name;
    qint64 from = 0; // number of the first of them
    qint64 before = 0; // number of the entry after the last; 0: there is none yet

    bool operator==(const NameSpan &) const = default;
};

// Of the secret that has, or until its removal had, this name; the latest name first. Nothing older than this time, in UTC.
Result<QList<NameSpan>> spansOfName(const AuditReader &reader, const QString &name, qint64 sinceMicroseconds);

} // namespace glovebox
