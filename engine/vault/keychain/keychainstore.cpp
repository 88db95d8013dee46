// SPDX-License-Identifier: Apache-2.0
// The system's keychain as a store, through glovebox-keychain.
#include "engine/vault/vault.h"

#include "keychainprocess.h"
#include "messages.h"

#include <QFileInfo>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

StoreStatus statusOf(StoreState state, QByteArrayView detail = {})
{
    if (state == StoreState::Absent && detail == keychain::noKeyring)
        return {state, QT_TRANSLATE_NOOP("engine", "The keychain has no keyring yet."),
                QT_TRANSLATE_NOOP("engine",
                                  "Make one in your desktop's program for passwords, or log in to your desktop "
                                  "with your password. Or keep secrets in a file with a passphrase: "
                                  "glovebox settings set vault.store file")};
    switch (state) {
    case StoreState::Ready:
        return {state, {}, {}};
    case StoreState::Locked:
        return {state, QT_TRANSLATE_NOOP("engine", "The keychain is locked."),
                QT_TRANSLATE_NOOP("engine", "Unlock it: log in to your desktop with your password, or open your "
                                            "desktop's program for passwords.")};
    case StoreState::Absent:
        return {state, QT_TRANSLATE_NOOP("engine", "This session has no keychain."),
                QT_TRANSLATE_NOOP("engine",
                                  "Start Glovebox in a desktop session with GNOME Keyring, KWallet or KeePassXC. Or "
                                  "keep secrets in an encrypted file: glovebox settings set vault.store file")};
    case StoreState::Denied:
        return {state, QT_TRANSLATE_NOOP("engine", "The keychain refuses Glovebox."),
                QT_TRANSLATE_NOOP("engine", "Allow it in your desktop's program for passwords.")};
    case StoreState::NotAnswering:
        return {state, QT_TRANSLATE_NOOP("engine", "The keychain doesn't answer."),
                QT_TRANSLATE_NOOP("engine",
                                  "Look for a dialog of it that waits for you, or log in to your desktop again.")};
    }
    Q_UNREACHABLE();
}

Error errorOf(const StoreStatus &status, const Text &detail = {})
{
    const auto code = status.state == StoreState::Denied         ? ErrorCode::PermissionDenied
                      : status.state == StoreState::NotAnswering ? ErrorCode::TimedOut
                                                                 : ErrorCode::Unavailable;
    return {code, Text("%1 %2", {status.reason.english(), status.remedy.english()}), detail};
}

StoreState stateFromWord(QByteArrayView word)
{
    return fromString<StoreState>(QString::fromLatin1(word)).value_or(StoreState::NotAnswering);
}

class KeychainStore : public SecretStore
{
public:
    explicit KeychainStore(const QString &libexec)
        : m_program(libexec + u"/glovebox-keychain"_s)
    {
    }

    QString kind() const override { return u"keychain"_s; }

    StoreStatus status(const Patience &patience) override
    {
        if (!QFileInfo::exists(m_program))
            return {StoreState::Absent, QT_TRANSLATE_NOOP("engine", "This build of Glovebox has no keychain."),
                    QT_TRANSLATE_NOOP("engine", "Install QtKeychain and build Glovebox again. Or keep secrets in an "
                                                "encrypted file: glovebox settings set vault.store file")};
        const auto reply = keychain::ask(m_program, "state", nullptr, patience);
        if (reply)
            return statusOf(
                stateFromWord(QByteArrayView(reply->line).sliced(std::min<qsizetype>(6, reply->line.size()))),
                reply->rest.view());
        if (reply.error().code == ErrorCode::TimedOut)
            return statusOf(StoreState::NotAnswering);
        return {StoreState::Absent, reply.error().message, {}};
    }

    Result<SecretValue> read(const QString &slot, const Patience &patience) override
    {
        auto reply = ask("read", slot, nullptr, patience);
        return reply ? Result<SecretValue>(std::move(reply->rest)) : std::unexpected(reply.error());
    }

    Status write(const QString &slot, const SecretValue &value, const Patience &patience) override
    {
        const auto reply = ask("write", slot, &value, patience);
        return reply ? Status() : std::unexpected(reply.error());
    }

    Status remove(const QString &slot, const Patience &patience) override
    {
        const auto reply = ask("remove", slot, nullptr, patience);
        return reply ? Status() : std::unexpected(reply.error());
    }

    Result<std::optional<QStringList>> list(const Patience &patience) override
    {
        ASSIGN_OR_RETURN(const keychain::Reply reply, ask("list", {}, nullptr, patience));
        if (reply.line != "ok")
            return std::nullopt;
        return QString::fromUtf8(reply.rest.view()).split(u'\n', Qt::SkipEmptyParts);
    }

    Status askToUnlock(const Patience &patience) override
    {
        const auto reply = ask("unlock", {}, nullptr, patience);
        if (reply && reply->line == "dismissed")
            return fail(ErrorCode::PermissionDenied,
                        QT_TRANSLATE_NOOP("engine", "The keychain stays locked: its dialog was dismissed, or could not "
                                                    "be shown. Try again, or unlock it in your desktop's program for "
                                                    "passwords."));
        return reply ? Status() : std::unexpected(reply.error());
    }

private:
    Result<keychain::Reply> ask(const char *verb, const QString &slot, const SecretValue *value,
                                const Patience &patience)
    {
        if (!QFileInfo::exists(m_program))
            return std::unexpected(errorOf(status(patience)));
        auto reply = keychain::ask(m_program, QByteArray(verb) + ' ' + slot.toUtf8(), value, patience);
        if (!reply && reply.error().code == ErrorCode::TimedOut && QByteArrayView(verb) == "unlock")
            return fail(ErrorCode::TimedOut,
                        QT_TRANSLATE_NOOP("engine", "The keychain was not unlocked in time. Answer its dialog, which "
                                                    "stays open, then try again."));
        if (!reply && reply.error().code == ErrorCode::TimedOut)
            return std::unexpected(errorOf(statusOf(StoreState::NotAnswering)));
        if (!reply || reply->line == "ok" || reply->line == "nolist" || reply->line == "dismissed")
            return reply;
        if (reply->line == "missing")
            return fail(ErrorCode::NotFound, QT_TRANSLATE_NOOP("engine", "There is no value \"%1\"."), {slot});
        const Text detail("%1", {textFromBytes(reply->rest.view())});
        if (reply->line.startsWith("state "))
            return std::unexpected(
                errorOf(statusOf(stateFromWord(QByteArrayView(reply->line).sliced(6)), reply->rest.view()), detail));
        return fail(ErrorCode::Io,
                    QT_TRANSLATE_NOOP("engine", "The keychain could not do it. Look into your desktop's program for "
                                                "passwords, and try again."),
                    detail);
    }

    QString m_program;
};

} // namespace

std::shared_ptr<SecretStore> makeKeychainStore(const QString &libexec)
{
    return std::make_shared<KeychainStore>(libexec);
}

} // namespace glovebox
