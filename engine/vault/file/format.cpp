// SPDX-License-Identifier: Apache-2.0
#include "format.h"

#include <QtEndian>

#include <openssl/evp.h>
#include <openssl/rand.h>

#include <cstring>
#include <memory>

namespace glovebox::vaultfile {

namespace {

constexpr QByteArrayView magic = "GLVAULT\n";
constexpr quint32 version = 1;
constexpr qsizetype keyBytes = 32;
constexpr int log2NMax = 20, rOnly = 8, pOnly = 1;
constexpr qsizetype digestAt = headerBytes - sha256Bytes;
constexpr qsizetype slotMax = 1024; // bytes

using Cipher = std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)>;

unsigned char *bytesOf(char *data)
{
    return reinterpret_cast<unsigned char *>(data);
}

const unsigned char *bytesOf(const char *data)
{
    return reinterpret_cast<const unsigned char *>(data);
}

void appendNumber(QByteArray &bytes, quint32 number)
{
    const quint32 little = qToLittleEndian(number);
    bytes.append(reinterpret_cast<const char *>(&little), sizeof(little));
}

std::unexpected<Error> damaged(const char *where)
{
    return fail(ErrorCode::Damaged,
                QT_TRANSLATE_NOOP("engine",
                                  "The file of secrets is damaged. Put a copy of it back, or move it aside and "
                                  "add the secrets again."),
                Text(where));
}

std::unexpected<Error> noCipher()
{
    return fail(ErrorCode::Internal, QT_TRANSLATE_NOOP("engine", "OpenSSL can't encrypt the file of secrets."));
}

} // namespace

QByteArray toBytes(const Header &header)
{
    QByteArray bytes = magic.toByteArray();
    for (const quint32 number : {version, quint32(header.log2N), quint32(header.r), quint32(header.p)})
        appendNumber(bytes, number);
    bytes += header.salt + header.check + header.nonce;
    return bytes + sha256({bytes});
}

Result<Header> headerFromBytes(QByteArrayView file)
{
    if (!file.startsWith(magic) || file.size() < magic.size() + 4)
        return damaged("The file is not a file of secrets.");
    const auto number = [&](qsizetype index) {
        return qFromLittleEndian<quint32>(file.data() + magic.size() + 4 * index);
    };
    const bool whole =
        file.size() >= headerBytes + tagBytes && file.sliced(digestAt, sha256Bytes) == sha256({file.first(digestAt)});
    if (!whole && number(0) == version)
        return damaged("The header is damaged.");
    if (number(0) != version)
        return fail(ErrorCode::Newer,
                    QT_TRANSLATE_NOOP("engine", "The file of secrets was written by a newer version of Glovebox, or it "
                                                "is damaged. Install that version, or put a copy of it back."));
    Header header{int(number(1)), int(number(2)), int(number(3)), {}, {}, {}};
    if (header.log2N < 1 || header.log2N > log2NMax || header.r != rOnly || header.p != pOnly)
        return damaged("The header asks for more work than a passphrase needs.");
    const QByteArrayView rest = file.sliced(magic.size() + 16);
    header.salt = rest.first(32).toByteArray();
    header.check = rest.sliced(32, 32).toByteArray();
    header.nonce = rest.sliced(64, 12).toByteArray();
    return header;
}

SecretValue derive(const SecretValue &passphrase, const Header &header)
{
    SecretValue derived(2 * keyBytes);
    const quint64 work = quint64(1) << header.log2N;
    const quint64 memory = 128 * quint64(header.r) * (work + quint64(header.p) + 2) + 1024 * 1024;
    if (EVP_PBE_scrypt(passphrase.view().data(), size_t(passphrase.size()), bytesOf(header.salt.constData()),
                       size_t(header.salt.size()), work, quint64(header.r), quint64(header.p), memory,
                       bytesOf(derived.data()), size_t(derived.size()))
        != 1)
        return {};
    return derived;
}

QByteArray checkOf(const SecretValue &derived)
{
    return sha256({derived.view().sliced(keyBytes)});
}

Result<QByteArray> seal(Header header, const SecretValue &derived, const Values &values)
{
    header.nonce.resize(12);
    const SecretValue plain = plainText(values);
    const Cipher cipher(EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free);
    if (!cipher || RAND_bytes(bytesOf(header.nonce.data()), int(header.nonce.size())) != 1)
        return noCipher();
    const QByteArray head = toBytes(header);
    QByteArray sealed(plain.size(), '\0');
    QByteArray tag(tagBytes, '\0');
    int count = 0;
    EVP_CIPHER_CTX *context = cipher.get();
    if (EVP_EncryptInit_ex2(context, EVP_aes_256_gcm(), bytesOf(derived.view().data()),
                            bytesOf(header.nonce.constData()), nullptr)
            != 1
        || EVP_EncryptUpdate(context, nullptr, &count, bytesOf(head.constData()), int(head.size())) != 1
        || (plain.size() > 0
            && EVP_EncryptUpdate(context, bytesOf(sealed.data()), &count, bytesOf(plain.view().data()),
                                 int(plain.size()))
                   != 1)
        || EVP_EncryptFinal_ex(context, bytesOf(tag.data()), &count) != 1
        || EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, int(tagBytes), tag.data()) != 1)
        return noCipher();
    return head + sealed + tag;
}

Result<Values> open(QByteArrayView file, const Header &header, const SecretValue &derived)
{
    if (file.size() < headerBytes + tagBytes || file.size() > fileMax)
        return damaged("The file has another size.");
    const QByteArrayView head = file.first(headerBytes);
    const QByteArrayView sealed = file.sliced(headerBytes, file.size() - headerBytes - tagBytes);
    QByteArray tag = file.last(tagBytes).toByteArray();
    SecretValue plain(sealed.size());
    const Cipher cipher(EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free);
    EVP_CIPHER_CTX *context = cipher.get();
    unsigned char none = 0;
    int count = 0;
    if (!context
        || EVP_DecryptInit_ex2(context, EVP_aes_256_gcm(), bytesOf(derived.view().data()),
                               bytesOf(header.nonce.constData()), nullptr)
               != 1
        || EVP_DecryptUpdate(context, nullptr, &count, bytesOf(head.data()), int(head.size())) != 1
        || (!sealed.isEmpty()
            && EVP_DecryptUpdate(context, bytesOf(plain.data()), &count, bytesOf(sealed.data()), int(sealed.size()))
                   != 1)
        || EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, int(tagBytes), tag.data()) != 1
        || EVP_DecryptFinal_ex(context, &none, &count) != 1)
        return damaged("The content isn't what was written.");
    return valuesFrom(plain.view());
}

SecretValue plainText(const Values &values)
{
    qsizetype size = 0;
    for (const auto &[slot, value] : values)
        size += 8 + slot.toUtf8().size() + value.size();
    SecretValue plain(size);
    char *at = plain.data();
    const auto put = [&at](QByteArrayView bytes) {
        qToLittleEndian(quint32(bytes.size()), at);
        if (!bytes.isEmpty())
            std::memcpy(at + 4, bytes.data(), size_t(bytes.size()));
        at += 4 + bytes.size();
    };
    for (const auto &[slot, value] : values) {
        put(slot.toUtf8());
        put(value.view());
    }
    return plain;
}

Result<Values> valuesFrom(QByteArrayView plain)
{
    bool sound = true;
    const auto take = [&](qsizetype most) -> QByteArrayView {
        if (plain.size() < 4)
            sound = false;
        const qsizetype size = sound ? qsizetype(qFromLittleEndian<quint32>(plain.data())) : 0;
        if (!sound || size > most || size > plain.size() - 4) {
            sound = false;
            return {};
        }
        const QByteArrayView bytes = plain.sliced(4, size);
        plain = plain.sliced(4 + size);
        return bytes;
    };
    Values values;
    while (sound && !plain.isEmpty()) {
        const QByteArrayView name = take(slotMax);
        const QString slot = QString::fromUtf8(name);
        sound = sound && slot.toUtf8() == name;
        const QByteArrayView value = take(secretBytesMax);
        if (sound && !values.try_emplace(slot, SecretValue::copyOf(value)).second)
            sound = false;
    }
    if (!sound)
        return damaged("The list makes no sense.");
    return values;
}

} // namespace glovebox::vaultfile
