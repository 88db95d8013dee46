// SPDX-License-Identifier: Apache-2.0
#include "wants.h"

#include "request.h"

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

struct LimitWords
{
    QLatin1StringView id; // as in Policy's JSON form
    std::optional<qint64> (*amount)(const Limits &limits);
    double unit; // that the words count in
    QLatin1StringView words;
    QLatin1StringView unlimited;
};

constexpr LimitWords limitsInOrder[] = {
    {"wall_ms"_L1, [](const Limits &l) { return std::optional<qint64>(l.wall.count()); }, 1000, "seconds"_L1, {}},
    {"cpu_ms"_L1, [](const Limits &l) { return l.cpu ? std::optional<qint64>(l.cpu->count()) : std::nullopt; }, 1000,
     "seconds of processor time"_L1, "unlimited processor time"_L1},
    {"cpu_percent"_L1, [](const Limits &l) { return std::optional<qint64>(l.cpuPercent); }, 1,
     "percent of a processor"_L1, "all processors"_L1},
    {"memory_bytes"_L1, [](const Limits &l) { return std::optional(l.memoryBytes); }, mebibyte, "MB of memory"_L1, {}},
    {"processes"_L1, [](const Limits &l) { return std::optional<qint64>(l.processes); }, 1, "processes"_L1, {}},
    {"output_bytes"_L1, [](const Limits &l) { return std::optional(l.outputBytes); }, mebibyte, "MB of output"_L1, {}},
    {"disk_bytes"_L1, [](const Limits &l) { return std::optional(l.diskBytes); }, mebibyte, "MB of files"_L1, {}},
    {"traffic_bytes"_L1, [](const Limits &l) { return l.trafficBytes; }, mebibyte, "MB over the network"_L1,
     "unlimited traffic"_L1},
    {"bandwidth_bytes"_L1, [](const Limits &l) { return l.bandwidthBytes; }, kibibyte,
     "KB a second over the network"_L1, "unlimited bandwidth"_L1},
};

// None is the loosest.
bool isWithin(std::optional<qint64> wanted, std::optional<qint64> most)
{
    return !most || (wanted && *wanted <= *most);
}

QString limitWords(const QString &id, std::optional<qint64> amount)
{
    const auto *row = std::ranges::find(limitsInOrder, id, &LimitWords::id);
    if (row == std::end(limitsInOrder))
        return id;
    if (!amount)
        return row->unlimited;
    return QString::number(double(*amount) / row->unit) + u' ' + row->words;
}

QString folderText(const FolderGrant &folder)
{
    return u"%1 (%2) at %3"_s.arg(folder.hostPath, toString(folder.mode), folder.path);
}

QString secretText(const SecretGrant &secret)
{
    return secret.asFile || !secret.variable.isEmpty() ? u"%1 as %2"_s.arg(secret.name, secretPlace(secret))
                                                       : secret.name;
}

// Everything by which something can leave the run, but for this tool. No host has a blank in it.
QStringList waysOut(const Policy &policy, const QString &but = {})
{
    QStringList ways = policy.allow;
    for (const QString &tool : policy.tools) {
        if (tool != but)
            ways.append(u"tool "_s + tool);
    }
    return ways;
}

bool isSubset(const QStringList &part, const QStringList &whole)
{
    return std::ranges::all_of(part, [&](const QString &one) { return whole.contains(one); });
}

} // namespace

QString Want::words() const
{
    switch (kind) {
    case Kind::AnyRun:
        return u"running code"_s;
    case Kind::Tool:
        return u"calls of "_s + what;
    case Kind::Host:
        return u"the network: "_s + what;
    case Kind::Secret:
        return u"the secret "_s + what;
    case Kind::Folder:
        return u"the folder "_s + what;
    case Kind::Limit:
        return limitWords(what, amount);
    case Kind::Weakness:
        return u"weaker protections where this machine lacks some"_s;
    case Kind::Backend:
        return u"the backend "_s + what;
    case Kind::Packages:
        return u"packages from "_s + what;
    case Kind::ServerTool:
        return u"the tool "_s + what;
    }
    return what;
}

bool covers(const Want &granted, const Want &wanted)
{
    return granted.isAbout(wanted) && (wanted.kind != Want::Kind::Limit || isWithin(wanted.amount, granted.amount))
           && isSubset(wanted.hosts, granted.hosts);
}

QJsonObject toJson(const Want &want)
{
    return {{u"kind"_s, toString(want.kind)},
            {u"what"_s, want.what},
            {u"amount"_s, orNull(want.amount)},
            {u"hosts"_s, QJsonArray::fromStringList(want.hosts)}};
}

Result<Want> wantFromJson(const QJsonObject &object)
{
    const auto kind = fromString<Want::Kind>(object[u"kind"_s].toString());
    const QJsonValue amount = object[u"amount"_s];
    const QJsonValue hosts = object[u"hosts"_s];
    if (!kind || object.size() != 4 || !object[u"what"_s].isString() || !(amount.isNull() || amount.isDouble())
        || !hosts.isArray())
        return fail(
            ErrorCode::Damaged,
            QT_TRANSLATE_NOOP("engine", "A grant of an agent can't be read. Remove the agent and pair it again."), {});
    Want want{*kind, object[u"what"_s].toString(), {}, {}};
    if (amount.isDouble())
        want.amount = amount.toInteger();
    const QJsonArray listed = hosts.toArray();
    for (const auto host : listed)
        want.hosts.append(host.toString());
    return want;
}

QList<Want> wantsOf(const ApprovalRequest &request, const Policy &granted)
{
    using Kind = Want::Kind;
    const Policy &asked = request.policy;
    QList<Want> wants;
    if (!request.tool.isEmpty()) {
        if (request.install) {
            QString what = request.install->source;
            if (!request.install->built.isEmpty())
                what += u", built from source: "_s + request.install->built;
            if (!request.install->scripts.isEmpty())
                what += u", running install scripts of: "_s + request.install->scripts.join(u", "_s);
            if (!request.install->doubtful.isEmpty())
                what += u" that look like others: "_s + request.install->doubtful.join(u", "_s);
            wants.append({Kind::Packages, what, {}, {}});
        }
        return wants; // a call wants nothing else
    }
    for (const LimitWords &limit : limitsInOrder) {
        const auto amount = limit.amount(asked.limits);
        if (!isWithin(amount, limit.amount(granted.limits)))
            wants.append({Kind::Limit, limit.id, amount, {}});
    }
    if (granted.strict && !asked.strict)
        wants.append({Kind::Weakness, u"strict"_s, {}, {}});
    if (asked.backend != granted.backend)
        wants.append({Kind::Backend, asked.backend, {}, {}});
    for (const QString &host : asked.allow) {
        if (!granted.allow.contains(host))
            wants.append({Kind::Host, host, {}, {}});
    }
    for (const QString &tool : asked.tools) // nobody's settings let runs call any
        wants.append({Kind::ServerTool, tool, {}, waysOut(asked, tool)});
    for (const FolderGrant &folder : asked.folders) {
        if (!granted.folders.contains(folder))
            wants.append({Kind::Folder, folderText(folder), {}, waysOut(asked)});
    }
    for (const SecretGrant &secret : request.secrets) // nobody's settings lend any
        wants.append({Kind::Secret, secretText(secret), {}, waysOut(asked)});
    return wants;
}

QString wordsOf(const QList<Want> &wants)
{
    QStringList words;
    for (const Want &want : wants)
        words.append(want.words());
    return words.join(u"; "_s);
}

} // namespace glovebox
