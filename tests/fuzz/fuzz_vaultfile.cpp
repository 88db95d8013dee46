// SPDX-License-Identifier: Apache-2.0
// The file of secrets: a header that is accepted is written the same again, and so is a list of values.
#include "engine/vault/file/format.h"

#include <cassert>

using namespace glovebox;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const QByteArrayView bytes(data, qsizetype(size));
    if (const auto header = vaultfile::headerFromBytes(bytes))
        assert(vaultfile::toBytes(*header) == bytes.first(vaultfile::headerBytes));
    if (const auto values = vaultfile::valuesFrom(bytes)) {
        const SecretValue plain = vaultfile::plainText(*values);
        const auto again = vaultfile::valuesFrom(plain.view());
        assert(again && again->size() == values->size());
    }
    return 0;
}
