// SPDX-License-Identifier: Apache-2.0
// A sentence for a person: the English source with its arguments, translated only where it is shown.
#pragma once

#include <QString>
#include <QStringList>

namespace glovebox {

// The source is marked with QT_TRANSLATE_NOOP("engine", "...") so that lupdate finds it; %1 ... %9 are replaced by args.
// English goes to the audit log, JSON, MCP and logs; the workbench translates context and source first.
struct Text
{
    QString source;
    QStringList args;
    QString context = QStringLiteral("engine");

    Text() = default;
    Text(const char *englishSource, QStringList arguments = {})
        : source(QString::fromUtf8(englishSource))
        , args(std::move(arguments))
    {
    }

    bool isEmpty() const { return source.isEmpty(); }
    bool isFact() const { return source == QLatin1StringView("%1"); } // what was observed as it is, and no sentence
    QString english() const { return fill(source); }
    // Puts the arguments into a pattern (the source or its translation); every argument is replaced exactly once.
    QString fill(const QString &pattern) const;

    bool operator==(const Text &) const = default;
};

} // namespace glovebox
