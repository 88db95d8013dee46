// SPDX-License-Identifier: Apache-2.0
// The vault file as a store: read anew for every request, replaced whole by every change.
#include "format.h"

#include <QDateTime>
#include <QFile>
#include <QFileInfo>

#include <openssl/rand.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>

namespace glovebox {

using namespace Qt::StringLiterals;
using namespace vaultfile;

namespace {

constexpr qsizetype passphraseMin = 8; // bytes

Result<QByteArray> readAll(const QString &path)
{
    UniqueFd fd(
        ::open(QFile::encodeName(path).constData(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)); // a FIFO must not block
    struct stat info = {};
    const bool opened = fd && ::fstat(fd.get(), &info) == 0;
    const int error = errno;
    if (opened && S_ISREG(info.st_mode) && info.st_size <= fileMax) {
        QByteArray bytes(qsizetype(info.st_size), '\0');
        qsizetype size = 0;
        while (size < bytes.size()) {
            // NOLINTNEXTLINE(clang-analyzer-unix.BlockInCriticalSection): of a regular file; one request at a time
            const ssize_t count = ::read(fd.get(), bytes.data() + size, size_t(bytes.size() - size));
            if (count <= 0)
                break;
            size += count;
        }
        bytes.truncate(size);
        return bytes;
    }
    if (!opened && error == ENOENT)
        return fail(ErrorCode::NotFound,
                    QT_TRANSLATE_NOOP("engine", "There is no file of secrets at %1 yet. The first secret that is "
                                                "stored makes it."),
                    {path});
    return fail(opened ? ErrorCode::Damaged : codeForErrno(error),
                QT_TRANSLATE_NOOP("engine", "The file of secrets %1 can't be read. Check its owner and its "
                                            "permissions."),
                {path}, opened ? Text() : errnoDetail(error, path));
}

// With the lock held.
Status replace(const QString &path, const QByteArray &bytes)
{
    if (const int error = replaceFile(path, bytes))
        return fail(codeForErrno(error),
                    QT_TRANSLATE_NOOP("engine", "The file of secrets %1 can't be written, so it stays as it was. "
                                                "Check the free space and the permissions of its folder."),
                    {path}, errnoDetail(error, path));
    return {};
}

std::unexpected<Error> noMemory()
{
    return fail(ErrorCode::Unavailable,
                QT_TRANSLATE_NOOP("engine",
                                  "There isn't enough memory to open the file of secrets. Close other programs "
                                  "and try again."));
}

Status checkLength(const SecretValue &passphrase)
{
    if (passphrase.size() >= passphraseMin)
        return {};
    return fail(ErrorCode::InvalidInput,
                QT_TRANSLATE_NOOP("engine", "A passphrase has at least %1 characters. Several words make "
                                            "a good one."),
                {QString::number(passphraseMin)});
}

// What a passphrase opens.
struct Opened
{
    Header header;
    SecretValue derived;
    Values values;
};

Result<Opened> openWith(const QString &path, const SecretValue &passphrase)
{
    ASSIGN_OR_RETURN(const auto bytes, readAll(path));
    ASSIGN_OR_RETURN(auto header, headerFromBytes(bytes));
    SecretValue derived = derive(passphrase, header);
    if (derived.isEmpty())
        return noMemory();
    if (checkOf(derived) != header.check)
        return fail(ErrorCode::PermissionDenied,
                    QT_TRANSLATE_NOOP("engine", "Wrong passphrase for the file of secrets. Try again."));
    ASSIGN_OR_RETURN(auto values, open(bytes, header, derived));
    return Opened{std::move(header), std::move(derived), std::move(values)};
}

class FileStore : public PassphraseStore
{
public:
    FileStore(QString path, int log2N)
        : m_path(std::move(path))
        , m_log2N(log2N)
    {
    }

    QString kind() const override { return u"file"_s; }
    bool exists() const override { return QFileInfo::exists(m_path); }

    StoreStatus status(const Patience &) override
    {
        const std::lock_guard guard(m_mutex);
        const auto opened = values();
        if (opened)
            return {StoreState::Ready, {}, {}};
        switch (opened.error().code) {
        case ErrorCode::NotFound:
            return {StoreState::Absent, opened.error().message, {}};
        case ErrorCode::Unavailable:
            return {StoreState::Locked, opened.error().message, {}};
        default:
            return {StoreState::Denied, opened.error().message, {}};
        }
    }

    Status create(const SecretValue &passphrase) override
    {
        RETURN_IF_ERROR(checkLength(passphrase));
        const std::lock_guard guard(m_mutex);
        RETURN_IF_ERROR(makePrivateFolder(QFileInfo(m_path).path()));
        ASSIGN_OR_RETURN(const auto lock, FileLock::create(m_path + u".lock"_s));
        if (exists())
            return fail(ErrorCode::InvalidInput,
                        QT_TRANSLATE_NOOP("engine", "There is a file of secrets at %1 already. Type its "
                                                    "passphrase."),
                        {m_path});
        return writeAnew(passphrase, {});
    }

    Status unlock(const SecretValue &passphrase) override
    {
        const std::lock_guard guard(m_mutex);
        ASSIGN_OR_RETURN(auto opened, openWith(m_path, passphrase));
        m_derived = std::move(opened.derived);
        m_salt = opened.header.salt;
        return {};
    }

    Status changePassphrase(const SecretValue &present, const SecretValue &next) override
    {
        RETURN_IF_ERROR(checkLength(next));
        const std::lock_guard guard(m_mutex);
        ASSIGN_OR_RETURN(const auto lock, FileLock::create(m_path + u".lock"_s)); // until the new file is there
        const auto opened = openWith(m_path, present);
        return opened ? writeAnew(next, opened->values) : std::unexpected(opened.error());
    }

    void lock() override
    {
        const std::lock_guard guard(m_mutex);
        m_derived = SecretValue();
        m_salt.clear();
    }

    Result<QString> moveAside() override
    {
        const std::lock_guard guard(m_mutex);
        ASSIGN_OR_RETURN(const auto lock, FileLock::create(m_path + u".lock"_s));
        const QString date = QDateTime::currentDateTimeUtc().toString(u"yyyyMMdd-HHmmss"_s);
        for (int i = 0;; ++i) {
            QString aside = m_path + u".old-"_s + date + (i > 0 ? u'-' + QString::number(i) : QString());
            // link() refuses a name that is taken; rename() would replace what is there.
            if (::link(QFile::encodeName(m_path).constData(), QFile::encodeName(aside).constData()) != 0) {
                if (errno == EEXIST && i < 100)
                    continue;
                return fail(codeForErrno(errno),
                            QT_TRANSLATE_NOOP("engine", "The file of secrets %1 can't be given another name. Check "
                                                        "the permissions of its folder."),
                            {m_path}, errnoDetail(errno, m_path));
            }
            ::unlink(QFile::encodeName(m_path).constData());
            m_derived = SecretValue();
            m_salt.clear();
            return aside;
        }
    }

    Result<SecretValue> read(const QString &slot, const Patience &) override
    {
        const std::lock_guard guard(m_mutex);
        ASSIGN_OR_RETURN(auto opened, values());
        const auto found = opened.find(slot);
        if (found == opened.end())
            return noSlot(slot);
        return std::move(found->second);
    }

    Status write(const QString &slot, const SecretValue &value, const Patience &) override
    {
        return change([&](Values &present) -> Status {
            present.insert_or_assign(slot, value.clone());
            return {};
        });
    }

    Status remove(const QString &slot, const Patience &) override
    {
        return change([&](Values &present) -> Status {
            if (present.erase(slot) == 0)
                return noSlot(slot);
            return {};
        });
    }

    Result<std::optional<QStringList>> list(const Patience &) override
    {
        const std::lock_guard guard(m_mutex);
        ASSIGN_OR_RETURN(const auto opened, values());
        QStringList slotNames;
        for (const auto &[slot, value] : opened)
            slotNames.append(slot);
        return slotNames;
    }

private:
    static std::unexpected<Error> noSlot(const QString &slot)
    {
        return fail(ErrorCode::NotFound, QT_TRANSLATE_NOOP("engine", "There is no value \"%1\"."), {slot});
    }

    // Other programs may have changed the file since; one with another salt was made anew.
    Result<Values> values(Header *current = nullptr) const
    {
        ASSIGN_OR_RETURN(const auto bytes, readAll(m_path));
        const auto header = headerFromBytes(bytes);
        if (!header)
            return std::unexpected(header.error());
        if (m_derived.isEmpty() || header->salt != m_salt)
            return fail(ErrorCode::Unavailable,
                        QT_TRANSLATE_NOOP("engine", "The file of secrets is locked. Give its passphrase."));
        if (current)
            *current = *header;
        return open(bytes, *header, m_derived);
    }

    // With a salt of its own, by which other programs notice.
    Status writeAnew(const SecretValue &passphrase, const Values &values)
    {
        Header header;
        header.log2N = m_log2N;
        header.salt.resize(32);
        if (RAND_bytes(reinterpret_cast<unsigned char *>(header.salt.data()), int(header.salt.size())) != 1)
            return fail(ErrorCode::Internal, QT_TRANSLATE_NOOP("engine", "The system has no random numbers."));
        SecretValue derived = derive(passphrase, header);
        if (derived.isEmpty())
            return noMemory();
        header.check = checkOf(derived);
        ASSIGN_OR_RETURN(const auto sealed, seal(header, derived, values));
        RETURN_IF_ERROR(replace(m_path, sealed));
        m_derived = std::move(derived);
        m_salt = header.salt;
        return {};
    }

    template<typename Deed> Status change(Deed deed)
    {
        const std::lock_guard guard(m_mutex);
        ASSIGN_OR_RETURN(const auto lock, FileLock::create(m_path + u".lock"_s)); // until the new file is there
        Header header;
        ASSIGN_OR_RETURN(auto present, values(&header));
        RETURN_IF_ERROR(deed(present));
        const auto sealed = seal(header, m_derived, present);
        if (!sealed)
            return std::unexpected(sealed.error());
        if (sealed->size() > fileMax)
            return fail(ErrorCode::Full, QT_TRANSLATE_NOOP("engine", "The file of secrets is full. Remove some."));
        return replace(m_path, *sealed);
    }

    const QString m_path;
    const int m_log2N;
    std::mutex m_mutex;
    SecretValue m_derived; // empty: locked
    QByteArray m_salt;
};

} // namespace

std::shared_ptr<PassphraseStore> makeFileStore(const QString &file, int scryptLog2N)
{
    return std::make_shared<FileStore>(file, scryptLog2N);
}

} // namespace glovebox
