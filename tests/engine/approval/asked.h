// SPDX-License-Identifier: Apache-2.0
// What a test of approval asks for: code of a client that names itself, and policies that differ from the default by one thing.
#pragma once

#include "engine/approval/approval.h"

#include <QMetaType>

Q_DECLARE_METATYPE(glovebox::Policy)
Q_DECLARE_METATYPE(glovebox::ApprovalRequest)

namespace glovebox {

inline ApprovalRequest request(Caller::Kind kind, const Policy &policy)
{
    using namespace Qt::StringLiterals;
    ApprovalRequest request;
    request.run = u"r"_s;
    request.caller = {kind, 1, u"client"_s, u"Trust Me"_s};
    request.language = u"python"_s;
    request.policy = policy;
    request.codeDigest = QByteArray(32, 'd');
    return request;
}

Policy policyWith(auto change)
{
    Policy policy;
    change(policy);
    return policy;
}

} // namespace glovebox
