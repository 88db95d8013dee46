// SPDX-License-Identifier: Apache-2.0
// What the strict reader accepts has one canonical form, which reads back as the same object.
#include "engine/base/base.h"

#include <cassert>

using namespace glovebox;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const QByteArrayView text(data, static_cast<qsizetype>(size));
    const Result<QJsonObject> object = parseStrictJson(text);
    if (!object) {
        assert(!object.error().message.source.isEmpty());
        return 0;
    }
    const Result<QByteArray> canonical = canonicalJson(*object);
    if (!canonical) // an unpaired surrogate, written as an escape
        return 0;
    const Result<QJsonObject> again = parseStrictJson(*canonical);
    assert(again && *again == *object);
    assert(canonicalJson(*again) == canonical);
    return 0;
}
