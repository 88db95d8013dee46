// SPDX-License-Identifier: Apache-2.0
#include "sheet.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype mostRows = 1000;
constexpr qsizetype mostColumns = 100;
constexpr qsizetype longestCell = 500;

// Quotes are taken off, doubled ones are one; what follows a closing quote belongs to the cell, as spreadsheets have it.
class CsvReader
{
public:
    CsvReader(QStringView text, QChar separator)
        : m_text(text)
        , m_separator(separator)
    {
    }

    bool atEnd() const { return m_at >= m_text.size(); }
    bool isQuoteOpen() const { return m_isOpen; } // the text ended within

    QStringList row()
    {
        QStringList cells{QString()};
        m_isOpen = false;
        for (; !atEnd(); ++m_at) {
            const QChar character = m_text[m_at];
            if (m_isOpen) {
                const bool isDoubled = character == u'"' && m_at + 1 < m_text.size() && m_text[m_at + 1] == u'"';
                m_at += isDoubled;
                if (character == u'"' && !isDoubled)
                    m_isOpen = false;
                else
                    add(cells.last(), character);
            } else if (character == u'"' && cells.last().isEmpty()) {
                m_isOpen = true;
            } else if (character == m_separator) {
                cells.append(QString());
            } else if (character == u'\n') {
                ++m_at;
                break;
            } else if (character != u'\r') {
                add(cells.last(), character);
            }
        }
        return cells;
    }

private:
    static void add(QString &cell, QChar character)
    {
        if (cell.size() < longestCell)
            cell.append(character);
    }

    QStringView m_text;
    QChar m_separator;
    qsizetype m_at = 0;
    bool m_isOpen = false;
};

std::optional<Sheet> fromSeparated(QStringView text, QChar separator, bool isCut)
{
    CsvReader reader(text, separator);
    Sheet sheet{.titles = reader.row(), .isCut = isCut};
    while (!reader.atEnd() && sheet.rows.size() < mostRows) {
        const QStringList row = reader.row();
        if (row.size() == 1 && row.first().isEmpty())
            continue; // an empty line
        sheet.rows.append(row);
    }
    if (isCut && reader.atEnd() && !sheet.rows.isEmpty())
        sheet.rows.removeLast(); // perhaps half of one
    sheet.isCut = isCut || !reader.atEnd() || sheet.titles.size() > mostColumns;
    qsizetype columns = sheet.titles.size();
    for (const QStringList &row : std::as_const(sheet.rows))
        columns = std::max(columns, row.size());
    columns = std::min(columns, mostColumns);
    sheet.titles.resize(columns);
    for (QStringList &row : sheet.rows)
        row.resize(columns);
    return sheet;
}

QString cellOf(const QJsonValue &value)
{
    switch (value.type()) {
    case QJsonValue::String:
        return value.toString().left(longestCell);
    case QJsonValue::Double:
        return value.toVariant().toString(); // whole numbers with all their digits
    case QJsonValue::Bool:
        return value.toBool() ? u"true"_s : u"false"_s;
    case QJsonValue::Array:
        return QString::fromUtf8(QJsonDocument(value.toArray()).toJson(QJsonDocument::Compact)).left(longestCell);
    case QJsonValue::Object:
        return QString::fromUtf8(QJsonDocument(value.toObject()).toJson(QJsonDocument::Compact)).left(longestCell);
    default:
        return {};
    }
}

// A list of objects, whose keys are the columns, or of lists.
std::optional<Sheet> fromJson(const QString &text)
{
    const QJsonArray records = QJsonDocument::fromJson(text.toUtf8()).array();
    if (records.isEmpty())
        return {};
    Sheet sheet{.isCut = records.size() > mostRows};
    const auto isLike = [&](const QJsonValue &record) { return record.type() == records.first().type(); };
    const bool hasKeys = records.first().isObject();
    if ((!hasKeys && !records.first().isArray()) || !std::ranges::all_of(records, isLike))
        return {};
    qsizetype columns = 0;
    for (const auto record : records) {
        for (const QString &key : record.toObject().keys()) {
            if (!sheet.titles.contains(key) && sheet.titles.size() < mostColumns)
                sheet.titles.append(key);
        }
        columns = std::max(columns, hasKeys ? sheet.titles.size() : std::min(record.toArray().size(), mostColumns));
        sheet.rows.append(QStringList());
        if (sheet.rows.size() == mostRows)
            break;
    }
    for (qsizetype i = 0; i < sheet.rows.size(); ++i) {
        for (qsizetype column = 0; column < columns; ++column)
            sheet.rows[i].append(
                cellOf(hasKeys ? records[i].toObject().value(sheet.titles[column]) : records[i].toArray().at(column)));
    }
    for (qsizetype column = sheet.titles.size(); column < columns; ++column)
        sheet.titles.append(QString::number(column + 1));
    return columns > 0 ? std::optional(sheet) : std::nullopt;
}

} // namespace

QString laidOutJson(QStringView json)
{
    constexpr qsizetype deepestIndent = 16; // else many deep lines are mostly blanks
    QString text;
    qsizetype depth = 0;
    const auto newLine = [&] { text += u'\n' + QString(2 * std::min(depth, deepestIndent), u' '); };
    bool isInString = false;
    bool isFirst = false; // in what was just opened
    for (qsizetype i = 0; i < json.size(); ++i) {
        const QChar character = json[i];
        if (!isInString && character.isSpace())
            continue;
        const bool isClosing = !isInString && (character == u'}' || character == u']');
        depth -= isClosing;
        if (isFirst != isClosing)
            newLine();
        isFirst = !isInString && (character == u'{' || character == u'[');
        depth += isFirst;
        text += character;
        if (isInString && character == u'\\' && i + 1 < json.size())
            text += json[++i];
        else if (character == u'"')
            isInString = !isInString;
        else if (!isInString && character == u',')
            newLine();
        else if (!isInString && character == u':')
            text += u' ';
    }
    return text;
}

std::optional<Sheet> readSheet(const QString &mediaType, const QString &text, bool isCut)
{
    if (mediaType == u"application/json"_s)
        return isCut ? std::nullopt : fromJson(text);
    if (text.isEmpty())
        return {};
    if (mediaType == u"text/tab-separated-values"_s)
        return fromSeparated(text, u'\t', isCut);
    if (mediaType != u"text/csv"_s)
        return {};
    const QStringView first = QStringView(text).left(text.indexOf(u'\n'));
    return fromSeparated(text, first.count(u';') > first.count(u',') ? u';' : u',', isCut);
}

} // namespace glovebox
