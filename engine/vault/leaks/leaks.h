// SPDX-License-Identifier: Apache-2.0
// Finds what looks like a secret that nobody told Glovebox about, by the shapes that services give their keys. Nothing is ever
// blocked for it: before a run the editor marks it, after a run an event names the kind, never the value.
#pragma once

#include "engine/base/base.h"

#include <QByteArrayView>
#include <QList>
#include <QStringList>

namespace glovebox {

struct Leak
{
    enum class Severity {
        Likely, // has the shape, and others have it, too: card numbers, tokens without a check
        Certain, // a mark that its service made for being found
    };
    QString kind; // id of a LeakKind
    qint64 offset = 0;
    qint64 length = 0;
    Severity severity = Severity::Likely;

    bool operator==(const Leak &) const = default;
};

struct LeakKind
{
    QString id; // "github-token": in settings and events
    Text name; // "GitHub token"

    bool operator==(const LeakKind &) const = default;
};

const QList<LeakKind> &leakKinds();
// The id's name, or the id.
Text leakName(const QString &id);

// By offset; of overlapping ones the first, and at most 1000. Pure; in a time that grows with the number of bytes and nothing else.
// ignored: ids that are not looked for (the setting leaks.ignore, split at spaces).
QList<Leak> findLeaks(QByteArrayView bytes, const QStringList &ignored = {});

} // namespace glovebox
