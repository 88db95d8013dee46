// SPDX-License-Identifier: Apache-2.0
#include "limitoptions.h"

#include <QDateTime>

#include <chrono>

namespace glovebox {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

QStringList texts(const QByteArrayList &values)
{
    QStringList list;
    for (const QByteArray &value : values)
        list.append(QString::fromUtf8(value));
    list.removeDuplicates();
    return list;
}

// "any" lifts the limit.
QStringList orAny(const QByteArrayList &values)
{
    return values.contains("any") ? QStringList() : texts(values);
}

const QDate lastExpiry(2199, 12, 31); // the log's numbers end in 2255

} // namespace

std::vector<Option> limitOptions(LimitDefaults defaults)
{
    const auto otherwise = [&](const QString &usual) {
        return u" [default: %1]"_s.arg(defaults == LimitDefaults::Unchanged ? u"unchanged"_s : usual);
    };
    return {{"--note", "TEXT", u"purpose of the secret"_s + otherwise(u"none"_s)},
            {"--language", "ID", u"only for runs in this language; repeat for more"_s + otherwise(u"any"_s)},
            {"--host", "HOST[:PORT]",
             u"only for runs that can reach nothing but HOST; repeat for more"_s + otherwise(u"any"_s)},
            {"--no-network", "", u"only for runs without network"_s},
            {"--caller", "KIND", u"only for runs of cli, workbench or mcp; repeat for more"_s + otherwise(u"any"_s)},
            {"--tool", "SERVER.TOOL",
             u"let calls of this tool have the value in their arguments; repeat for more"_s + otherwise(u"none"_s)},
            {"--expires", "DATE", u"last day of use, as 2027-01-31, in UTC"_s + otherwise(u"never"_s)}};
}

bool hasLimitOptions(const Arguments &arguments)
{
    for (const Option &option : limitOptions(LimitDefaults::Unchanged)) {
        if (arguments.has(option.name))
            return true;
    }
    return false;
}

std::expected<SecretLimits, QString> limitsFrom(const Arguments &arguments, SecretLimits limits)
{
    if (arguments.has("--language"))
        limits.languages = orAny(arguments.values("--language"));
    if (arguments.has("--caller"))
        limits.callers = orAny(arguments.values("--caller"));
    if (arguments.has("--no-network") && arguments.has("--host"))
        return std::unexpected(u"--no-network and --host can't be combined."_s);
    if (arguments.has("--no-network"))
        limits.hosts = QStringList();
    const QByteArrayList hosts = arguments.values("--host");
    if (hosts.contains("any"))
        limits.hosts.reset();
    else if (!hosts.isEmpty())
        limits.hosts = texts(hosts);
    if (const QByteArrayList tools = arguments.values("--tool"); !tools.isEmpty())
        limits.tools = tools.contains("none") ? QStringList() : texts(tools);
    if (const auto expires = arguments.value("--expires")) {
        const QDate day = QDate::fromString(QString::fromUtf8(*expires), u"yyyy-MM-dd"_s);
        if (*expires != "never" && !day.isValid())
            return std::unexpected(u"--expires takes a day like 2027-01-31, or never."_s);
        if (day.isValid() && day < QDateTime::currentDateTimeUtc().date())
            return std::unexpected(u"--expires %1 is past."_s.arg(QString::fromUtf8(*expires)));
        if (day > lastExpiry)
            return std::unexpected(
                u"--expires takes a day up to %1, or never."_s.arg(lastExpiry.toString(Qt::ISODate)));
        limits.expiryMicroseconds.reset();
        if (day.isValid())
            limits.expiryMicroseconds =
                QDate(1970, 1, 1).daysTo(day.addDays(1)) * std::chrono::microseconds(24h).count();
    }
    return limits;
}

QString shownLimits(const SecretLimits &limits)
{
    QStringList parts;
    if (!limits.languages.isEmpty())
        parts.append(u"in "_s + limits.languages.join(u", "_s));
    if (limits.hosts)
        parts.append(limits.hosts->isEmpty() ? u"no network"_s : u"reaching only "_s + limits.hosts->join(u", "_s));
    if (!limits.callers.isEmpty())
        parts.append(u"from "_s + limits.callers.join(u", "_s));
    if (!limits.tools.isEmpty())
        parts.append(u"also to "_s + limits.tools.join(u", "_s));
    if (limits.expiryMicroseconds)
        parts.append(u"until "_s + shownTime(*limits.expiryMicroseconds));
    return parts.join(u"; "_s);
}

QString shownTime(qint64 microseconds)
{
    return QDateTime::fromMSecsSinceEpoch(microseconds / 1000).toUTC().toString(u"yyyy-MM-dd HH:mm 'UTC'"_s);
}

} // namespace glovebox
