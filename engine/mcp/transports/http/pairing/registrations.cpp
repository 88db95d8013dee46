// SPDX-License-Identifier: Apache-2.0
#include "registrations.h"

#include "parameters.h"

#include "engine/approval/approval.h"

#include <QJsonArray>

#include <algorithm>

namespace glovebox::mcp {

using namespace Qt::StringLiterals;

Registration Registration::from(const QJsonObject &wished, const LoopbackPeer &peer)
{
    Registration made{randomSecret(), {}, {.kind = Caller::Kind::Mcp, .way = Caller::Way::Http}, {}};
    for (const auto each : wished[u"redirect_uris"].toArray()) {
        const QByteArray address = each.toString().toUtf8();
        if (made.redirects.size() < redirectsMax && isRedirectAllowed(address))
            made.redirects.append(address);
    }
    made.caller.pid = processOf(peer);
    made.caller.program = programOfProcess(made.caller.pid);
    made.caller.claimed = recordable(wished[u"client_name"].toString());
    if (shownName(made.caller.claimed).isEmpty())
        made.caller.claimed = u"a program without a name"_s;
    return made;
}

QJsonObject Registration::toJson() const
{
    QJsonArray addresses;
    for (const QByteArray &address : redirects)
        addresses.append(QString::fromLatin1(address));
    return {{u"client_id"_s, QString::fromLatin1(id)},
            {u"client_name"_s, caller.claimed},
            {u"redirect_uris"_s, addresses},
            {u"grant_types"_s, QJsonArray{u"authorization_code"_s}},
            {u"response_types"_s, QJsonArray{u"code"_s}},
            {u"token_endpoint_auth_method"_s, u"none"_s}};
}

void Registrations::add(Registration registration, const std::function<bool(const QByteArray &id)> &isInUse)
{
    const auto idle = std::ranges::find_if(m_all, [&](const Registration &each) { return !isInUse(each.id); });
    if (m_all.size() >= registrationsMax && idle != m_all.end())
        m_all.erase(idle);
    m_all.push_back(std::move(registration));
}

Registration *Registrations::find(const QByteArray &id)
{
    const auto found = std::ranges::find_if(m_all, [&](const auto &each) { return isSameSecret(each.id, id); });
    return found == m_all.end() ? nullptr : &*found;
}

} // namespace glovebox::mcp
