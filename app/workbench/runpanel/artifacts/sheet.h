// SPDX-License-Identifier: Apache-2.0
// Tables in text: CSV (RFC 4180), TSV, and JSON that is a list of records.
#pragma once

#include <QByteArray>
#include <QList>
#include <QString>
#include <QStringList>

#include <optional>

namespace glovebox {

struct Sheet
{
    QStringList titles;
    QList<QStringList> rows; // each as long as titles
    bool isCut = false; // there is more than is here

    bool operator==(const Sheet &) const = default;
};

// The first 1,000 rows, 100 columns, and 500 characters of a cell. text: at its end may be half a row if isCut. Nothing: it is no table of
// that type.
std::optional<Sheet> readSheet(const QString &mediaType, const QString &text, bool isCut);

// Sound JSON with a line for each value: nothing but blanks between values is changed.
QString laidOutJson(QStringView json);

} // namespace glovebox
