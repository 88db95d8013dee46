// SPDX-License-Identifier: Apache-2.0
#include "secretservice.h"

#include "engine/vault/keychain/messages.h"

#include <QCoreApplication>
#include <QDBusArgument>
#include <QDBusConnection>
#include <QDBusConnectionInterface>
#include <QDBusMessage>
#include <QDBusMetaType>
#include <QDBusObjectPath>
#include <QDBusReply>
#include <QDBusServiceWatcher>
#include <QDBusVariant>
#include <QMap>
#include <QThread>

namespace glovebox::keychain {

using namespace Qt::StringLiterals;

namespace {

constexpr int answerMs = 10'000; // a keychain that was never started yet takes some seconds
// gnome-keyring 42 was seen to have no default keyring for a moment, just after it had one.
constexpr int looksForKeyring = 3, betweenLooksMs = 50;
const QString secrets = u"org.freedesktop.secrets"_s;
const QString propertiesInterface = u"org.freedesktop.DBus.Properties"_s;

QDBusMessage call(const QString &path, const QString &interface, const QString &method, const QVariantList &arguments)
{
    QDBusMessage message = QDBusMessage::createMethodCall(secrets, path, interface, method);
    message.setArguments(arguments);
    return QDBusConnection::sessionBus().call(message, QDBus::Block, answerMs);
}

ServiceState stateOf(const QDBusMessage &failure)
{
    const QByteArray detail = failure.errorName().toUtf8() + ": " + failure.errorMessage().toUtf8();
    const QDBusError error(failure);
    switch (error.type()) {
    case QDBusError::AccessDenied:
        return {"denied", detail};
    case QDBusError::NoReply:
    case QDBusError::Timeout:
    case QDBusError::TimedOut:
        return {"not-answering", detail};
    default:
        return {"absent", detail};
    }
}

bool anyKWallet(const QDBusConnectionInterface &bus)
{
    for (const QString &name : {u"org.kde.kwalletd6"_s, u"org.kde.kwalletd5"_s}) {
        if (bus.isServiceRegistered(name).value() || bus.activatableServiceNames().value().contains(name))
            return true;
    }
    return false;
}

// A dialog of the service (Secret Service API draft, "Prompts"). It is never dismissed from here: gnome-keyring 42 aborts at that
// (gkd-secret-unlock.c, perform_next_unlock). When nobody waits for it any more it stays, and answering it still unlocks.
class Prompt : public QObject
{
    Q_OBJECT
public:
    explicit Prompt(QString path)
        : m_path(std::move(path))
    {
    }

    // Shows it, and waits. False when it was dismissed, or when the service goes.
    bool isAnswered()
    {
        const QString interface = u"org.freedesktop.Secret.Prompt"_s;
        QDBusConnection bus = QDBusConnection::sessionBus();
        const QDBusServiceWatcher watcher(secrets, bus, QDBusServiceWatcher::WatchForUnregistration);
        connect(&watcher, &QDBusServiceWatcher::serviceUnregistered, this, &Prompt::end);
        // Before it is shown: it may be over at once.
        if (!bus.connect(secrets, m_path, interface, u"Completed"_s, this, SLOT(complete(bool, QDBusVariant)))
            || call(m_path, interface, u"Prompt"_s, {QString()}).type() != QDBusMessage::ReplyMessage)
            return false;
        if (!m_over)
            QCoreApplication::exec();
        return m_answered;
    }

private Q_SLOTS:
    void complete(bool dismissed, const QDBusVariant &)
    {
        m_answered = !dismissed;
        end();
    }
    void end()
    {
        m_over = true;
        QCoreApplication::quit();
    }

private:
    QString m_path;
    bool m_over = false, m_answered = false;
};

} // namespace

// collection: the default one, once it is found.
static ServiceState look(QDBusObjectPath *collection)
{
    const QDBusConnection bus = QDBusConnection::sessionBus();
    if (!bus.isConnected())
        return {"absent", "no session bus: " + bus.lastError().message().toUtf8()};
    QDBusConnectionInterface &names = *bus.interface();
    names.setTimeout(answerMs);
    const QDBusReply<bool> registered = names.isServiceRegistered(secrets);
    if (!registered.isValid())
        return {"not-answering", "the session bus doesn't answer"};
    if (!registered.value() && !names.activatableServiceNames().value().contains(secrets)) {
        if (anyKWallet(names))
            return {"ready", {}}; // whether its wallet is open QtKeychain finds out
        return {"absent", "no program offers org.freedesktop.secrets"};
    }
    QDBusObjectPath found;
    for (int times = 0; found.path().size() < 2; ++times) { // "/": writing would ask the person to make one
        if (times == looksForKeyring)
            return {"absent", noKeyring};
        if (times > 0)
            QThread::msleep(betweenLooksMs);
        const QDBusMessage alias =
            call(u"/org/freedesktop/secrets"_s, u"org.freedesktop.Secret.Service"_s, u"ReadAlias"_s, {u"default"_s});
        if (alias.type() != QDBusMessage::ReplyMessage || alias.arguments().isEmpty())
            return stateOf(alias);
        found = alias.arguments().first().value<QDBusObjectPath>();
    }
    if (collection)
        *collection = found;
    const QDBusMessage locked =
        call(found.path(), propertiesInterface, u"Get"_s, {u"org.freedesktop.Secret.Collection"_s, u"Locked"_s});
    if (locked.type() != QDBusMessage::ReplyMessage || locked.arguments().isEmpty())
        return stateOf(locked);
    return {locked.arguments().first().value<QDBusVariant>().variant().toBool() ? "locked" : "ready", {}};
}

ServiceState lookAtService()
{
    return look(nullptr);
}

ServiceState unlockService()
{
    QDBusObjectPath collection;
    ServiceState before = look(&collection);
    if (before.word != "locked")
        return before;
    const QDBusMessage unlocked = call(u"/org/freedesktop/secrets"_s, u"org.freedesktop.Secret.Service"_s, u"Unlock"_s,
                                       {QVariant::fromValue(QList<QDBusObjectPath>{collection})});
    if (unlocked.type() != QDBusMessage::ReplyMessage || unlocked.arguments().size() != 2)
        return stateOf(unlocked);
    const QString prompt = unlocked.arguments().last().value<QDBusObjectPath>().path();
    if (prompt.size() > 1 && !Prompt(prompt).isAnswered())
        return {"dismissed", {}};
    return lookAtService();
}

// "server" and "user" are the attributes under which QtKeychain keeps service and key.
std::optional<QStringList> slotsOf(const QString &whose)
{
    qDBusRegisterMetaType<QMap<QString, QString>>();
    const QMap<QString, QString> wanted{{u"server"_s, whose}};
    const QDBusMessage found = call(u"/org/freedesktop/secrets"_s, u"org.freedesktop.Secret.Service"_s,
                                    u"SearchItems"_s, {QVariant::fromValue(wanted)});
    if (found.type() != QDBusMessage::ReplyMessage || found.arguments().size() != 2)
        return std::nullopt;
    QStringList slotNames;
    for (const QVariant &items : found.arguments()) {
        for (const QDBusObjectPath &item : qdbus_cast<QList<QDBusObjectPath>>(items)) {
            const QDBusMessage attributes =
                call(item.path(), propertiesInterface, u"Get"_s, {u"org.freedesktop.Secret.Item"_s, u"Attributes"_s});
            if (attributes.type() != QDBusMessage::ReplyMessage || attributes.arguments().isEmpty())
                return std::nullopt; // removed meanwhile, or no answer: an incomplete list would be a wrong one
            const QVariant value = attributes.arguments().first().value<QDBusVariant>().variant();
            slotNames.append(qdbus_cast<QMap<QString, QString>>(value).value(u"user"_s));
        }
    }
    return slotNames;
}

} // namespace glovebox::keychain

#include "secretservice.moc"
