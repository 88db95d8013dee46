// SPDX-License-Identifier: Apache-2.0
// Own parser: QCommandLineParser takes QStrings, which can't hold every argument.
#include "options.h"

#include "engine/policy/policy.h"

#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

QString shown(const QByteArray &bytes, qsizetype most = 60) // an argument may be a whole program
{
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

QString figure(qint64 thousandths)
{
    return QString::number(double(thousandths) / 1000, 'g', 15);
}

struct Unit
{
    const char *ending; // in lower case
    qint64 times;
};

// The number before one of the endings, times what the ending stands for; without an ending times the first one's. Nothing: no number.
template<std::size_t N>
std::optional<qint64> thousandthsOf(const QByteArray &text, const Unit (&units)[N], bool decimals)
{
    const QByteArray word = text.toLower();
    const Unit *found = units;
    for (const Unit &unit : units) {
        if (word.endsWith(unit.ending) && qstrlen(unit.ending) > qstrlen(found->ending))
            found = &unit;
    }
    const qsizetype ending = found == units ? 0 : qsizetype(qstrlen(found->ending));
    const auto number = thousandths(QByteArrayView(word).chopped(ending), decimals);
    constexpr qint64 beyond = 1'000'000'000'000'000'000; // out of every range
    if (!number || *number < 0)
        return number;
    return *number > beyond / found->times ? beyond : *number * found->times;
}

const Option *find(const std::vector<Option> &offered, const QByteArray &name)
{
    const auto option = std::ranges::find_if(
        offered, [&](const Option &o) { return o.name == name || (!o.longName.isEmpty() && o.longName == name); });
    return option == offered.end() ? nullptr : &*option;
}

bool isNegative(const QByteArray &argument)
{
    return argument.size() > 1 && argument.startsWith('-')
           && std::all_of(argument.begin() + 1, argument.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool isHelp(const QByteArray &argument)
{
    return argument == "-h" || argument == "--help" || argument == "-help";
}

// "--json" for "—json", as programs that set text write it; empty: this is no option with another dash.
QByteArray withPlainDashes(const std::vector<Option> &offered, const QByteArray &argument)
{
    static const QRegularExpression dashes(u"^[-\\x{2010}-\\x{2015}\\x{2212}]+"_s);
    const QByteArray rest = QString::fromUtf8(argument).remove(dashes).toUtf8();
    const QByteArray option = (rest.size() == 1 ? "-" : "--") + rest;
    const bool isOther = argument.startsWith("\xe2") && !rest.isEmpty() && rest.size() < argument.size();
    return isOther && find(offered, option.first(option.indexOf('=') < 0 ? option.size() : option.indexOf('=')))
               ? option
               : QByteArray();
}

// The option that begins so; if it isn't one alone, the one that is written most like it.
QString meantBy(const QString &name, const QStringList &names)
{
    constexpr qsizetype fewest = 5; // "--mem"; of "--s" anything could be meant
    const QStringList longer = names.filter(QRegularExpression(u'^' + QRegularExpression::escape(name)));
    return longer.size() == 1 && name.size() >= fewest ? longer.first() : nearest(name, names);
}

QString unknownOption(const QByteArray &name, const std::vector<Option> &offered, const Arguments &parsed,
                      const OptionAdvice &advice)
{
    for (const OptionAdvice::Foreign &foreign : advice.foreign) {
        if (foreign.names.contains(name))
            return u"Unknown option %1. %2"_s.arg(shown(name), foreign.instead);
    }
    if (!advice.passesOn.isEmpty() && parsed.positional.isEmpty() && QFileInfo(QFile::decodeName(name)).isFile())
        return u"A name that begins with \"-\" is read as options. To run the file: \"%1\"."_s.arg(
            QString(advice.passesOn).replace(u"FILE"_s, asShellWord("./" + name)));
    QStringList names;
    for (const Option &option : offered) {
        for (const QByteArray &known : {option.name, option.longName}) {
            if (known.startsWith("--"))
                names.append(QString::fromUtf8(known));
        }
    }
    const QString meant = name.startsWith("--") ? meantBy(QString::fromUtf8(name), names) : QString();
    if (!meant.isEmpty())
        return u"Unknown option %1. Did you mean %2?%3"_s.arg(shown(name), meant,
                                                              advice.passesOn.isEmpty() || parsed.positional.isEmpty()
                                                                  ? QString()
                                                                  : u" Arguments of the code go after \"--\"."_s);
    if (!advice.passesOn.isEmpty() && !parsed.positional.isEmpty())
        return u"Unknown option %1. Arguments of the code go after \"--\": \"%2 -- %1\"."_s.arg(
            shown(name), QString(advice.passesOn).replace(u"FILE"_s, asShellWord(parsed.positional.first())));
    return u"Unknown option %1."_s.arg(shown(name));
}

} // namespace

QString asShellWord(const QByteArray &word)
{
    static const QRegularExpression plain(u"^[A-Za-z0-9_./+,:@%=-]+$"_s);
    constexpr qsizetype most = 1000; // what is cut can't be typed, and a file's place may be long
    const QString text = shown(word, most);
    return plain.match(text).hasMatch() ? text : u'\'' + QString(text).replace(u'\'', u"'\\''"_s) + u'\'';
}

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

namespace {

// Up to "--", or to what can't be taken.
std::expected<void, QString> parse(const std::vector<Option> &offered, QByteArrayList arguments,
                                   const OptionAdvice &advice, qsizetype &i, Arguments &parsed)
{
    for (; i < arguments.size(); ++i) {
        const QByteArray argument = arguments[i];
        if (argument == "--") {
            parsed.dashes = true;
            parsed.afterDashes = arguments.sliced(i + 1);
            break;
        }
        if (argument == "-" || !argument.startsWith('-') || (advice.takesNumbers && isNegative(argument))) {
            if (const QByteArray meant = withPlainDashes(offered, argument); !meant.isEmpty())
                return std::unexpected(
                    u"\"%1\" begins with another dash than \"-\". Write %2."_s.arg(shown(argument), shown(meant)));
            parsed.positional.append(argument);
            continue;
        }
        if (isHelp(argument)) {
            parsed.help = true;
            continue;
        }
        const bool isLong = argument.startsWith("--");
        const qsizetype end = isLong ? argument.indexOf('=') : 2;
        const QByteArray name = argument.first(end < 0 ? argument.size() : end);
        const bool attached = end >= 0 && end < argument.size();
        const Option *option = find(offered, name);
        if (!option && isHelp(name))
            return std::unexpected(u"%1 takes no value."_s.arg(shown(name)));
        if (!option)
            return std::unexpected(unknownOption(isLong ? name : argument, offered, parsed, advice));
        if (option->value.isEmpty()) {
            if (attached && (isLong || argument[end] == '-' || argument[end] == '='))
                return std::unexpected(u"%1 takes no value."_s.arg(shown(name)));
            parsed.given.emplace_back(option->name, QByteArray());
            if (attached) // "-qc" is "-q -c"
                arguments[i--] = '-' + argument.sliced(end);
        } else if (option->value.startsWith('[')) {
            const bool follows = !attached && i + 1 < arguments.size() && !arguments[i + 1].startsWith('-');
            const QByteArray value = attached  ? argument.sliced(isLong ? end + 1 : end)
                                     : follows ? arguments[++i]
                                               : QByteArray();
            if ((attached || follows) && value.isEmpty())
                return std::unexpected(
                    u"The value of %1 is empty. For the default, leave the value out: %1."_s.arg(shown(name)));
            parsed.given.emplace_back(option->name, value);
        } else if (attached) {
            parsed.given.emplace_back(option->name, argument.sliced(isLong ? end + 1 : end));
        } else if (i + 1 < arguments.size()) {
            parsed.given.emplace_back(option->name, arguments[++i]);
        } else {
            return std::unexpected(u"%1 needs a value: %1 %2."_s.arg(shown(name), shown(option->value)));
        }
    }
    return {};
}

} // namespace

std::expected<Arguments, QString> parseArguments(const std::vector<Option> &offered, const QByteArrayList &arguments,
                                                 const OptionAdvice &advice)
{
    Arguments parsed;
    qsizetype i = 0;
    const auto status = parse(offered, arguments, advice, i, parsed);
    if (status)
        return parsed;
    const auto dashes = std::find(arguments.begin() + std::min(i, arguments.size()), arguments.end(), "--");
    parsed.help = parsed.help || std::any_of(arguments.begin() + std::min(i, arguments.size()), dashes, isHelp);
    return parsed.help ? std::expected<Arguments, QString>(parsed) : std::unexpected(status.error());
}

std::expected<qint64, QString> wholeNumber(const QByteArray &option, const QByteArray &text, qint64 minimum,
                                           qint64 maximum, const QString &unit)
{
    const auto value = thousandths(text, false);
    if (value && *value >= minimum * 1000 && *value <= maximum * 1000)
        return *value / 1000;
    return std::unexpected(u"%1 takes a whole number%2 between %3 and %4, not \"%5\"."_s.arg(
        QString::fromUtf8(option), unit.isEmpty() ? QString() : u" of %1"_s.arg(unit), QString::number(minimum),
        QString::number(maximum), shown(text)));
}

std::expected<qint64, QString> sizeInBytes(const QByteArray &option, const QByteArray &text, qint64 minimum,
                                           qint64 maximum, qint64 unitBytes, const QString &unit)
{
    constexpr qint64 gibibyte = 1024 * mebibyte;
    const Unit units[] = {{"", unitBytes},   {"b", 1},         {"k", kibibyte},  {"kb", kibibyte},
                          {"kib", kibibyte}, {"m", mebibyte},  {"mb", mebibyte}, {"mib", mebibyte},
                          {"g", gibibyte},   {"gb", gibibyte}, {"gib", gibibyte}};
    const auto value = thousandthsOf(text, units, false);
    if (value && *value >= minimum * 1000 && *value <= maximum * 1000)
        return *value / 1000;
    return std::unexpected(u"%1 takes a whole number of %2 between %3 and %4, or one with K, M or G, not \"%5\"."_s.arg(
        QString::fromUtf8(option), unit, QString::number(minimum / unitBytes), QString::number(maximum / unitBytes),
        shown(text)));
}

std::expected<qint64, QString> milliseconds(const QByteArray &option, const QByteArray &text, qint64 minimum,
                                            qint64 maximum)
{
    const Unit units[] = {{"", 1000}, {"s", 1000}, {"ms", 1}, {"m", 60'000}, {"h", 3'600'000}};
    const auto value = thousandthsOf(text, units, true);
    if (value && *value % 1000 == 0 && *value / 1000 >= minimum && *value / 1000 <= maximum)
        return *value / 1000;
    return std::unexpected(u"%1 takes a number of seconds between %2 and %3, or one with ms, m or h, not \"%4\"."_s.arg(
        QString::fromUtf8(option), figure(minimum), figure(maximum), shown(text)));
}

} // namespace glovebox
