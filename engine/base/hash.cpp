// SPDX-License-Identifier: Apache-2.0
// OpenSSL instead of QCryptographicHash: it uses the processor's SHA instructions.
#include "hash.h"

#include <QtGlobal>

#include <openssl/evp.h>

#include <memory>

namespace glovebox {

QByteArray sha256(std::initializer_list<QByteArrayView> parts)
{
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
    QByteArray digest(sha256Bytes, '\0');
    bool ok = context && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1;
    for (const QByteArrayView part : parts)
        ok = ok && EVP_DigestUpdate(context.get(), part.data(), size_t(part.size())) == 1;
    ok = ok && EVP_DigestFinal_ex(context.get(), reinterpret_cast<unsigned char *>(digest.data()), nullptr) == 1;
    // Only without memory or without OpenSSL's default provider; nothing that is recorded could be trusted then.
    if (!ok)
        qFatal("glovebox: SHA-256 is not available");
    return digest;
}

} // namespace glovebox
