// SPDX-License-Identifier: Apache-2.0
#include "identity.h"

#include "engine/sqlite/sqlite.h"

#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>

#include <openssl/evp.h>
#include <openssl/pem.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace glovebox {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t keyBytes = 32;

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Stream = std::unique_ptr<std::FILE, int (*)(std::FILE *)>;

// "INSTALL/signing-key/HEX": under its public key.
QString keySlotName(const QString &install, const QByteArray &publicKey)
{
    return install + u"/signing-key/"_s + QString::fromLatin1(publicKey.toHex());
}

// What the log knows of the install.
struct Install
{
    QString id;
    KeyRecord key;
};

Result<Install> recordedInstall(const QString &auditFile)
{
    ASSIGN_OR_RETURN(const auto reader, AuditReader::open(auditFile));
    Install install;
    ASSIGN_OR_RETURN(install.id, reader->id());
    ASSIGN_OR_RETURN(install.key, recordedKey(*reader));
    return install;
}

// Both halves. nullopt: there is no such key, or it is of another kind.
std::optional<SigningKey> signingKeyOf(const Key &key, const QString &place, const QString &file = {})
{
    SigningKey taken{place, file, QByteArray(keyBytes, '\0'), SecretValue(keyBytes)};
    std::size_t publicBytes = keyBytes, seedBytes = keyBytes;
    const auto bytesOf = [](auto &half) { return reinterpret_cast<unsigned char *>(half.data()); };
    if (!key || EVP_PKEY_get_id(key.get()) != EVP_PKEY_ED25519
        || EVP_PKEY_get_raw_public_key(key.get(), bytesOf(taken.publicKey), &publicBytes) != 1
        || EVP_PKEY_get_raw_private_key(key.get(), bytesOf(taken.seed), &seedBytes) != 1)
        return std::nullopt;
    return taken;
}

// isKnown: on record, so that no other may take its place.
std::unexpected<Error> cantBeHad(ErrorCode code, const QString &file, bool isKnown, const char *reason)
{
    return fail(code,
                isKnown ? QT_TRANSLATE_NOOP("engine", "The signing key of this install, %1, can't be used, and "
                                                      "Glovebox never creates another. Restore the file from a "
                                                      "backup, with mode 0600.")
                        : QT_TRANSLATE_NOOP("engine", "%1 is in the place of this install's signing key, and isn't "
                                                      "one. Move the file aside: the next run makes a key."),
                {file}, Text(reason));
}

// Not blocking: to open a FIFO may wait for ever.
UniqueFd openKeyFile(const QString &file)
{
    return UniqueFd(
        ::open(QFile::encodeName(file).constData(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
}

Result<SigningKey> read(const QString &file, bool isKnown)
{
    UniqueFd fd = openKeyFile(file);
    if (!fd)
        return fail(codeForErrno(errno),
                    QT_TRANSLATE_NOOP("engine", "The signing key of this install, %1, can't be read, and Glovebox "
                                                "never creates another. Restore the file with mode 0600."),
                    {file}, errnoDetail(errno, file));
    struct stat info = {};
    if (::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode))
        return cantBeHad(ErrorCode::Damaged, file, isKnown, QT_TRANSLATE_NOOP("engine", "No regular file is there."));
    if (info.st_uid != ::geteuid())
        return cantBeHad(ErrorCode::PermissionDenied, file, isKnown,
                         QT_TRANSLATE_NOOP("engine", "The file belongs to another user."));
    if ((info.st_mode & 077) != 0)
        return fail(ErrorCode::PermissionDenied,
                    QT_TRANSLATE_NOOP("engine", "The signing key of this install, %1, isn't used, because other users "
                                                "can read it (mode %2). If nobody did: chmod 600 %1"),
                    {file, QString::number(info.st_mode & 0777, 8)});
    if (info.st_size == 0)
        return cantBeHad(ErrorCode::Damaged, file, isKnown, QT_TRANSLATE_NOOP("engine", "The file is empty."));
    const Stream stream(::fdopen(fd.get(), "r"), &std::fclose);
    if (!stream)
        return cantBeHad(ErrorCode::Io, file, isKnown, QT_TRANSLATE_NOOP("engine", "The file can't be read."));
    fd.release();
    const auto noPassphrase = [](char *, int, int, void *) { return 0; }; // OpenSSL would ask the terminal
    const Key key(PEM_read_PrivateKey(stream.get(), nullptr, noPassphrase, nullptr), &EVP_PKEY_free);
    auto opened = signingKeyOf(key, u"file"_s, file);
    if (!opened)
        return cantBeHad(ErrorCode::Damaged, file, isKnown,
                         QT_TRANSLATE_NOOP("engine", "The file holds no whole Ed25519 key without a passphrase."));
    return *std::move(opened);
}

std::unexpected<Error> cantBeAsked(const Error &why)
{
    return fail(why.code,
                QT_TRANSLATE_NOOP("engine",
                                  "The signing key of this install is in the keychain and can't be read there. "
                                  "Glovebox never creates another. Unlock the keychain, or put the key back."),
                why.message);
}

Result<SigningKey> readFromKeychain(SecretStore *keychain, const Install &install, const Patience &patience)
{
    if (!keychain)
        return cantBeAsked({ErrorCode::Unavailable, QT_TRANSLATE_NOOP("engine", "There is no keychain here."), {}});
    auto seed = keychain->read(keySlotName(install.id, install.key.publicKey), patience);
    if (!seed)
        return cantBeAsked(seed.error());
    const Key key(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr,
                                               reinterpret_cast<const unsigned char *>(seed->view().data()),
                                               std::size_t(seed->size())),
                  &EVP_PKEY_free);
    auto opened = signingKeyOf(key, u"keychain"_s);
    if (!opened || opened->publicKey != install.key.publicKey)
        return cantBeAsked(
            {ErrorCode::Damaged, QT_TRANSLATE_NOOP("engine", "The keychain holds another key there."), {}});
    return *std::move(opened);
}

// A key that isn't in the log signs nothing. Removed with its own patience, as the caller's may be used up. What stays
// nevertheless is a stray.
void withdraw(SecretStore &keychain, const QString &install, const QByteArray &publicKey)
{
    std::ignore = keychain.remove(keySlotName(install, publicKey), Patience::of(3s));
}

Result<SigningKey> makeInKeychain(SecretStore *keychain, const QString &install, const Patience &patience)
{
    if (!keychain)
        return fail(ErrorCode::Unavailable, QT_TRANSLATE_NOOP("engine", "There is no keychain here."));
    const Key key(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"), &EVP_PKEY_free);
    auto made = signingKeyOf(key, u"keychain"_s);
    if (!made)
        return fail(ErrorCode::Internal, QT_TRANSLATE_NOOP("engine", "OpenSSL can't make a signing key."));
    if (auto written = keychain->write(keySlotName(install, made->publicKey), made->seed, patience); !written) {
        withdraw(*keychain, install, made->publicKey); // it may be done all the same, when nobody waits any more
        return std::unexpected(written.error());
    }
    return *std::move(made);
}

std::unexpected<Error> cantBeMade(int error, const QString &file)
{
    return fail(codeForErrno(error),
                QT_TRANSLATE_NOOP("engine", "The signing key of this install can't be made at %1. Check the free "
                                            "space and the permissions of its folder."),
                {file}, errnoDetail(error, file));
}

// Under its name only when it is whole and on the disk. When two programs make one, the first is everybody's.
Status make(const QString &file)
{
    const Key key(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"), &EVP_PKEY_free);
    QByteArray temporary = QFile::encodeName(file + u".new-XXXXXX"_s);
    UniqueFd fd(key ? ::mkostemp(temporary.data(), O_CLOEXEC) : -1); // 0600
    if (!fd)
        return cantBeMade(errno, file);
    const int descriptor = fd.get();
    bool written = false;
    {
        const Stream stream(::fdopen(descriptor, "w"), &std::fclose);
        if (stream) {
            fd.release();
            const DiskWait wait;
            written = PEM_write_PrivateKey(stream.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1
                      && std::fflush(stream.get()) == 0 && ::fsync(descriptor) == 0;
        }
        const int error = errno;
        if (!written) {
            ::unlink(temporary.constData());
            return cantBeMade(error, file);
        }
    }
    const int linked = ::link(temporary.constData(), QFile::encodeName(file).constData());
    const int error = errno;
    ::unlink(temporary.constData());
    if (linked != 0 && error != EEXIST)
        return cantBeMade(error, file);
    syncFolder(QFileInfo(file).path());
    return {};
}

} // namespace

Result<KeyRecord> recordedKey(const AuditReader &reader)
{
    const auto rows = reader.ask([](const Connection &connection) {
        return connection.rowsIfThere(u"install"_s,
                                      "SELECT coalesce(key_place, ''), coalesce(key_public, x'') FROM install",
                                      [](const Statement &row) { return KeyRecord{row.text(0), row.blob(1)}; });
    });
    return rows ? Result<KeyRecord>(rows->value(0)) : std::unexpected(rows.error());
}

Entry keyCreated(const Caller &caller, const KeyRecord &key)
{
    return {.kind = toString(EntryKind::KeyCreated),
            .fields = QJsonObject{{u"caller"_s, toJson(caller)},
                                  {u"algorithm"_s, u"ed25519"_s},
                                  {u"place"_s, key.place},
                                  {u"public_key"_s, QString::fromLatin1(key.publicKey.toHex())}},
            .also = [key](Connection &connection, const EntryHead &) -> Status {
                const Status recorded = connection.run(
                    "UPDATE install SET key_place = ?1, key_public = ?2 WHERE only_row = 1 AND key_place IS NULL",
                    key.place, key.publicKey);
                if (!recorded || connection.changes() == 1)
                    return recorded;
                return fail(ErrorCode::InvalidInput,
                            QT_TRANSLATE_NOOP(
                                "engine", "This install has a signing key already. Glovebox never creates another."));
            }};
}

bool isKeyTooMany(const QString &slot, const QString &auditFile)
{
    static const QRegularExpression key(u"\\A[^/]+/signing-key/[0-9a-f]{64}\\z"_s);
    if (!key.match(slot).hasMatch())
        return false;
    const auto install = recordedInstall(auditFile);
    return install && install->key.publicKey.size() == qsizetype(keyBytes)
           && slot != keySlotName(install->id, install->key.publicKey);
}

static Result<SigningKey> make(const SigningKeyPlaces &places, const QString &install, const Patience &patience)
{
    if (places.chosen == u"keychain")
        return makeInKeychain(places.keychain, install, patience);
    if (!QFileInfo::exists(places.file))
        RETURN_IF_ERROR(make(places.file));
    return read(places.file, false);
}

bool looksLikeKey(const QString &file)
{
    const UniqueFd fd = openKeyFile(file);
    struct stat info = {};
    if (!fd || ::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_uid != ::geteuid()
        || (info.st_mode & 077) != 0)
        return false;
    std::array<char, 200> room; // a key has 119 bytes, as PKCS #8 in PEM
    const ssize_t count = ::read(fd.get(), room.data(), room.size());
    const QByteArrayView text(room.data(), std::max<ssize_t>(count, 0));
    return text.startsWith("-----BEGIN PRIVATE KEY-----\n") && text.endsWith("\n-----END PRIVATE KEY-----\n");
}

Result<SigningKey> openSigningKey(const SigningKeyPlaces &places, const QString &auditFile, AuditLog &log,
                                  const Caller &caller, const Patience &patience)
{
    ASSIGN_OR_RETURN(Install known, recordedInstall(auditFile));
    if (known.key.place.isEmpty()) {
        ASSIGN_OR_RETURN(const SigningKey made, make(places, known.id, patience));
        const auto written = log.appendNow(keyCreated(caller, {made.place, made.publicKey}));
        // A file stays: it may be the one that another program recorded.
        if (!written && made.place == u"keychain")
            withdraw(*places.keychain, known.id, made.publicKey);
        // InvalidInput: another program recorded one a moment before.
        if (!written && written.error().code != ErrorCode::InvalidInput)
            return std::unexpected(written.error());
        ASSIGN_OR_RETURN(known, recordedInstall(auditFile));
    }
    if (known.key.place == u"keychain")
        return readFromKeychain(places.keychain, known, patience);
    auto key = read(places.file, true);
    if (key && key->publicKey != known.key.publicKey)
        return cantBeHad(ErrorCode::Damaged, places.file, true,
                         QT_TRANSLATE_NOOP("engine", "The file has another key than the log."));
    return key;
}

} // namespace glovebox
