// SPDX-License-Identifier: Apache-2.0
// OpenSSL uses the processor's SHA instructions, which is worth its loading for more than a little (openssl.h). Its functions
// for SHA-256 alone instead of EVP: those need no set-up of the whole library (all algorithms, its configuration file, clearing
// up at exit).
#include "hash.h"

#include "openssl.h"

#include <QCryptographicHash>

#include <optional>

#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

namespace glovebox {

static_assert(sha256Bytes == SHA256_DIGEST_LENGTH);

constexpr qint64 little = 65536; // Qt takes a millisecond for it, too

[[noreturn]] static void noSha256()
{
    // never in practice; nothing that is recorded could be trusted then
    qFatal("glovebox: SHA-256 is not available");
}

static QByteArray sha256OfLittle(std::initializer_list<QByteArrayView> parts)
{
    QCryptographicHash hash(QCryptographicHash::Sha256);
    for (const QByteArrayView part : parts)
        hash.addData(part);
    return hash.result();
}

QByteArray sha256(std::initializer_list<QByteArrayView> parts)
{
    qsizetype size = 0;
    for (const QByteArrayView part : parts)
        size += part.size();
    if (size < little && !opensslIsLoaded())
        return sha256OfLittle(parts);
    SHA256_CTX context;
    QByteArray digest(sha256Bytes, '\0');
    bool ok = SHA256_Init(&context) == 1;
    for (const QByteArrayView part : parts)
        ok = ok && SHA256_Update(&context, part.data(), size_t(part.size())) == 1;
    ok = ok && SHA256_Final(reinterpret_cast<unsigned char *>(digest.data()), &context) == 1;
    if (!ok)
        noSha256();
    return digest;
}

struct Sha256::Private
{
    std::optional<QCryptographicHash> ofLittle; // else context
    SHA256_CTX context = {};
};

Sha256::Sha256(qint64 expectedBytes)
    : d(std::make_unique<Private>())
{
    if (expectedBytes < little && !opensslIsLoaded())
        d->ofLittle.emplace(QCryptographicHash::Sha256);
    else if (SHA256_Init(&d->context) != 1)
        noSha256();
}

Sha256::~Sha256() = default;
Sha256::Sha256(Sha256 &&) noexcept = default;
Sha256 &Sha256::operator=(Sha256 &&) noexcept = default;

void Sha256::add(QByteArrayView bytes)
{
    if (auto &small = d->ofLittle)
        small->addData(bytes);
    else if (SHA256_Update(&d->context, bytes.data(), size_t(bytes.size())) != 1)
        noSha256();
}

QByteArray Sha256::result()
{
    if (auto &small = d->ofLittle)
        return small->result();
    QByteArray digest(sha256Bytes, '\0');
    if (SHA256_Final(reinterpret_cast<unsigned char *>(digest.data()), &d->context) != 1)
        noSha256();
    return digest;
}

} // namespace glovebox
