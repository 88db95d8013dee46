// SPDX-License-Identifier: Apache-2.0
// What of C++ code only Linux has, by the lists of linux.json.
#pragma once

#include <QList>
#include <QSet>
#include <QString>
#include <QStringList>

#include <utility>

// Something of Linux in a file: a name of its calls, a header, or a path in a literal.
struct Use
{
    QString file; // relative to the source tree
    int line = 0;
    QString what;

    bool operator==(const Use &) const = default;
};

struct Linux
{
    QStringList folders; // that may need it
    QSet<QString> names;
    QStringList headers; // or the folders that they are in
    QStringList paths;
    QSet<std::pair<QString, QString>> exceptions; // a file, and what it uses
    QString unreasoned; // the files of those without a reason

    static Linux read();
    bool mayBeIn(const QString &path) const;
    // Comments and what stands in the middle of literals are no uses.
    QList<Use> usesIn(const QString &path, const QString &source) const;
};
