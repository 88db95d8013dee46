// SPDX-License-Identifier: Apache-2.0
// OpenSSL instead of QCryptographicHash: it uses the processor's SHA instructions. Its functions for SHA-256 alone instead of
// EVP: those need no set-up of the whole library (all algorithms, its configuration file, clearing up at exit), which costs
// each start of `glovebox` more than all of its hashing.
#include "hash.h"

#include <QtGlobal>

#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

namespace glovebox {

static_assert(sha256Bytes == SHA256_DIGEST_LENGTH);

QByteArray sha256(std::initializer_list<QByteArrayView> parts)
{
    SHA256_CTX context;
    QByteArray digest(sha256Bytes, '\0');
    bool ok = SHA256_Init(&context) == 1;
    for (const QByteArrayView part : parts)
        ok = ok && SHA256_Update(&context, part.data(), size_t(part.size())) == 1;
    ok = ok && SHA256_Final(reinterpret_cast<unsigned char *>(digest.data()), &context) == 1;
    if (!ok) // never in practice; nothing that is recorded could be trusted then
        qFatal("glovebox: SHA-256 is not available");
    return digest;
}

} // namespace glovebox
