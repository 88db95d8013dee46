// SPDX-License-Identifier: Apache-2.0
// Own parser: QCommandLineParser takes QStrings, which can't hold every argument.
#include "options.h"

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

QString shown(const QByteArray &bytes)
{
    constexpr qsizetype most = 60; // an argument may be a whole program
    return QString::fromUtf8(bytes.first(std::min(bytes.size(), most))) + (bytes.size() > most ? u"..."_s : QString());
}

// Decimal digits, perhaps a sign, perhaps up to three decimals: thousandths. A longer number stays out of every range
// instead of overflowing.
std::optional<qint64> thousandths(QByteArrayView text, bool decimals)
{
    const bool negative = text.startsWith('-');
    if (negative)
        text = text.sliced(1);
    const qsizetype point = text.indexOf('.');
    const QByteArrayView whole = point < 0 ? text : text.first(point);
    const QByteArrayView fraction = point < 0 ? QByteArrayView() : text.sliced(point + 1);
    const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
    if (whole.isEmpty() || !std::all_of(whole.begin(), whole.end(), isDigit)
        || (point >= 0
            && (!decimals || fraction.isEmpty() || fraction.size() > 3
                || !std::all_of(fraction.begin(), fraction.end(), isDigit))))
        return std::nullopt;
    constexpr qint64 beyond = 1'000'000'000'000'000;
    qint64 number = 0;
    for (const char digit : whole)
        number = std::min(number * 10 + (digit - '0'), beyond);
    number *= 1000;
    qint64 place = 100;
    for (const char digit : fraction) {
        number += (digit - '0') * place;
        place /= 10;
    }
    return negative ? -number : number;
}

std::expected<qint64, QString> number(const QByteArray &option, const QByteArray &text, qint64 minimum, qint64 maximum,
                                      const QString &unit, bool decimals)
{
    const auto value = thousandths(text, decimals);
    if (value && *value >= minimum && *value <= maximum)
        return *value;
    const auto figure = [](qint64 number) { return QString::number(double(number) / 1000, 'g', 15); };
    return std::unexpected(u"%1 takes a %2number%3 between %4 and %5, not \"%6\"."_s.arg(
        QString::fromUtf8(option), decimals ? QString() : u"whole "_s,
        unit.isEmpty() ? QString() : u" of %1"_s.arg(unit), figure(minimum), figure(maximum), shown(text)));
}

} // namespace

std::optional<QByteArray> Arguments::value(const QByteArray &option) const
{
    const QByteArrayList all = values(option);
    return all.isEmpty() ? std::nullopt : std::optional(all.last());
}

QByteArrayList Arguments::values(const QByteArray &option) const
{
    QByteArrayList found;
    for (const auto &[name, value] : given) {
        if (name == option)
            found.append(value);
    }
    return found;
}

std::expected<Arguments, QString> parseArguments(const std::vector<Option> &offered, const QByteArrayList &arguments)
{
    Arguments parsed;
    for (qsizetype i = 0; i < arguments.size(); ++i) {
        const QByteArray &argument = arguments[i];
        if (argument == "--") {
            parsed.dashes = true;
            parsed.afterDashes = arguments.sliced(i + 1);
            break;
        }
        if (argument == "-" || !argument.startsWith('-')) {
            parsed.positional.append(argument);
            continue;
        }
        if (argument == "-h" || argument == "--help") {
            parsed.help = true;
            continue;
        }
        const bool isLong = argument.startsWith("--");
        const qsizetype end = isLong ? argument.indexOf('=') : 2;
        const QByteArray name = argument.first(end < 0 ? argument.size() : end);
        const auto option =
            std::find_if(offered.begin(), offered.end(), [&](const Option &o) { return o.name == name; });
        if (option == offered.end())
            return std::unexpected(u"There is no option %1."_s.arg(shown(isLong ? name : argument)));
        const bool attached = end >= 0 && end < argument.size();
        if (option->value.isEmpty()) {
            if (attached)
                return std::unexpected(u"%1 takes no value."_s.arg(shown(name)));
            parsed.given.emplace_back(name, QByteArray());
        } else if (option->value.startsWith('[')) {
            const bool follows = !attached && i + 1 < arguments.size() && !arguments[i + 1].startsWith('-');
            parsed.given.emplace_back(name, attached  ? argument.sliced(isLong ? end + 1 : end)
                                            : follows ? arguments[++i]
                                                      : QByteArray());
        } else if (attached) {
            parsed.given.emplace_back(name, argument.sliced(isLong ? end + 1 : end));
        } else if (i + 1 < arguments.size()) {
            parsed.given.emplace_back(name, arguments[++i]);
        } else {
            return std::unexpected(u"%1 needs a value: %1 %2."_s.arg(shown(name), shown(option->value)));
        }
    }
    return parsed;
}

std::expected<qint64, QString> wholeNumber(const QByteArray &option, const QByteArray &text, qint64 minimum,
                                           qint64 maximum, const QString &unit)
{
    auto value = number(option, text, minimum * 1000, maximum * 1000, unit, false);
    if (value)
        *value /= 1000;
    return value;
}

std::expected<qint64, QString> milliseconds(const QByteArray &option, const QByteArray &text, qint64 minimum,
                                            qint64 maximum)
{
    return number(option, text, minimum, maximum, u"seconds"_s, true);
}

} // namespace glovebox
