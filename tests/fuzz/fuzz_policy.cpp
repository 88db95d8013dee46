// SPDX-License-Identifier: Apache-2.0
// A policy that is accepted is valid, and the same after being written and read.
#include "engine/policy/policy.h"

#include <cassert>

using namespace glovebox;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const Result<QJsonObject> object = parseStrictJson(QByteArrayView(data, static_cast<qsizetype>(size)));
    if (!object)
        return 0;
    const Result<Policy> policy = policyFromJson(*object);
    if (!policy) {
        assert(!policy.error().message.source.isEmpty());
        return 0;
    }
    assert(validate(*policy));
    assert(policyFromJson(toJson(*policy)) == policy);
    return 0;
}
