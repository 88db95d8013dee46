// SPDX-License-Identifier: Apache-2.0
#include "alwaysallowed.h"

#include "engine/network/network.h"

namespace glovebox {

using namespace Qt::StringLiterals;

QStringList hostsAlwaysAllowed(const Settings &settings)
{
    QStringList hosts;
    const QStringList texts = settings.value(u"bench.allow"_s).value.toString().split(u' ', Qt::SkipEmptyParts);
    for (const QString &text : texts) {
        const auto rule = ruleFromText(text);
        if (!rule)
            continue;
        if (const QString host = QString::fromStdString(network::toText(*rule)); !hosts.contains(host))
            hosts.append(host);
    }
    return hosts;
}

Status allowHostAlways(Settings &settings, const QString &host)
{
    if (auto status = settings.reload(); !status) // another program may have added one
        return status;
    QStringList hosts = hostsAlwaysAllowed(settings);
    if (hosts.contains(host))
        return {};
    hosts.append(host);
    if (auto sound = allowlistFromTexts(hosts); !sound)
        return std::unexpected(sound.error());
    return settings.store(u"bench.allow"_s, hosts.join(u' '));
}

} // namespace glovebox
