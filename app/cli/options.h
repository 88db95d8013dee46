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
    QString help; // at most twenty words, with the default where it takes a value
    QByteArray longName; // of a letter, "--timeout"; empty: none
    QString heading; // of the options from this one on; empty: that of the one before

    // "-t, --timeout TIME"
    QString shown() const;

    bool operator==(const Option &) const = default;
};

// What to say to people who know another program.
struct OptionAdvice
{
    struct Foreign
    {
        QByteArrayList names; // of options that other programs have and this one hasn't
        QString instead; // a sentence

        bool operator==(const Foreign &) const = default;
    };
    std::vector<Foreign> foreign;
    bool takesNumbers = false; // -1 is no option, but a number
    QString
        passesOn; // "glovebox run FILE": how arguments of the FILE that is given are passed on, after "--"; empty: they aren't

    bool operator==(const OptionAdvice &) const = default;
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

// Takes -t 1, -t1, --timeout 1, --cpu 5 and --cpu=5, mixed with positional arguments, up to "--"; given has an option's name, not its long
// one. The error is a sentence for a person. Help wins over every error.
std::expected<Arguments, QString> parseArguments(const std::vector<Option> &offered, const QByteArrayList &arguments,
                                                 const OptionAdvice &advice = {});

// In quotes where a shell would take it for something else: for commands that are ready to copy. A long one is cut.
QString asShellWord(const QByteArray &word);

// A whole number, or a sentence that names option, range and unit. unit may be empty.
std::expected<qint64, QString> wholeNumber(const QByteArray &option, const QByteArray &text, qint64 minimum,
                                           qint64 maximum, const QString &unit);
// A whole number of unitBytes, or one with K, M or G behind it (powers of 1024): bytes; so are minimum and maximum.
std::expected<qint64, QString> sizeInBytes(const QByteArray &option, const QByteArray &text, qint64 minimum,
                                           qint64 maximum, qint64 unitBytes, const QString &unit);
// Seconds, or a number with ms, s, m or h behind it, with up to three decimals, as milliseconds; so are minimum and maximum.
std::expected<qint64, QString> milliseconds(const QByteArray &option, const QByteArray &text, qint64 minimum,
                                            qint64 maximum);

} // namespace glovebox
