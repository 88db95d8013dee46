// SPDX-License-Identifier: Apache-2.0
// Reads a subcommand's arguments as bytes: code and file names need not be valid in any encoding.
#pragma once

#include <QByteArrayList>
#include <QList>
#include <QString>

#include <expected>
#include <optional>
#include <vector>

namespace glovebox {

// One option as it is offered and explained.
struct Option
{
    QByteArray name; // "-t", "--json"
    QByteArray value; // what it takes, "SECONDS"; "[PORT]" may be left out; empty: nothing, it is a switch
    QString help; // one line, with the default

    bool operator==(const Option &) const = default;
};

// What was given.
class Arguments
{
public:
    bool has(const QByteArray &option) const { return !values(option).isEmpty(); }
    // The last one given.
    std::optional<QByteArray> value(const QByteArray &option) const;
    QByteArrayList values(const QByteArray &option) const;

    QByteArrayList positional;
    QByteArrayList afterDashes; // everything after "--"
    bool dashes = false; // there was a "--"
    bool help = false; // -h or --help
    std::vector<std::pair<QByteArray, QByteArray>> given;
};

// Takes -t 1, -t1, --cpu 5 and --cpu=5, mixed with positional arguments, up to "--". The error is a sentence for a person.
std::expected<Arguments, QString> parseArguments(const std::vector<Option> &offered, const QByteArrayList &arguments);

// A whole number, or a sentence that names option, range and unit. unit may be empty.
std::expected<qint64, QString> wholeNumber(const QByteArray &option, const QByteArray &text, qint64 minimum,
                                           qint64 maximum, const QString &unit);
// Seconds with up to three decimals, as milliseconds; so are minimum and maximum.
std::expected<qint64, QString> milliseconds(const QByteArray &option, const QByteArray &text, qint64 minimum,
                                            qint64 maximum);

} // namespace glovebox
