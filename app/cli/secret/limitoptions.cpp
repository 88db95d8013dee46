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

} // namespace

std::vector<Option> limitOptions()
{
    return {{"--note", "TEXT", u"what it is for"_s},
            {"--language", "ID", u"lend it to runs in this language only; repeat for more (any)"_s},
            {"--host", "HOST[:PORT]", u"lend it only to runs that reach nothing but this; repeat for more (any)"_s},
            {"--no-network", "", u"lend it to runs without network only (off)"_s},
            {"--caller", "KIND", u"lend it to runs of cli, workbench or mcp only; repeat for more (any)"_s},
            {"--expires", "DATE", u"the last day on which it is lent, as 2027-01-31, in UTC (never)"_s}};
}

bool hasLimitOptions(const Arguments &arguments)
{
    for (const Option &option : limitOptions()) {
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
        return std::unexpected(u"--no-network and --host contradict each other."_s);
    if (arguments.has("--no-network"))
        limits.hosts = QStringList();
    const QByteArrayList hosts = arguments.values("--host");
    if (hosts.contains("any"))
        limits.hosts.reset();
    else if (!hosts.isEmpty())
        limits.hosts = texts(hosts);
    if (const auto expires = arguments.value("--expires")) {
        const QDate day = QDate::fromString(QString::fromUtf8(*expires), u"yyyy-MM-dd"_s);
        if (*expires != "never" && !day.isValid())
            return std::unexpected(u"--expires takes a day like 2027-01-31, or never."_s);
        if (day.isValid() && day < QDateTime::currentDateTimeUtc().date())
            return std::unexpected(u"--expires %1 is past."_s.arg(QString::fromUtf8(*expires)));
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
    if (limits.expiryMicroseconds)
        parts.append(u"until "_s + shownTime(*limits.expiryMicroseconds));
    return parts.join(u"; "_s);
}

QString shownTime(qint64 microseconds)
{
    return QDateTime::fromMSecsSinceEpoch(microseconds / 1000).toUTC().toString(u"yyyy-MM-dd HH:mm 'UTC'"_s);
}

} // namespace glovebox
