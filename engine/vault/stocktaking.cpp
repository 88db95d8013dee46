// SPDX-License-Identifier: Apache-2.0
// Which secrets have their values, and which values have no secret.
#include "vaultdata.h"

#include <QSet>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 strayAfterMs = 10 * 60 * 1000; // before, another program may be about to put it into the index

// Milliseconds since 1970, from the first 48 bits of a UUIDv7 (RFC 9562, section 5.7).
std::optional<qint64> timeOf(const QString &slot)
{
    const QString id = slot.section(u'/', 2);
    if (!isId(id))
        return std::nullopt;
    return QString(id).remove(u'-').first(12).toLongLong(nullptr, 16);
}

} // namespace

QString slotName(const QString &install, const QString &name, const QString &id)
{
    return install + u'/' + name + u'/' + id;
}

Text whyGone(const SecretInfo &secret)
{
    if (secret.store == u"file")
        return QT_TRANSLATE_NOOP(
            "engine", "The value is no longer in the file of secrets. If you began a new file, put the old one beside "
                      "it (secrets.vault.old-...) back. Otherwise, give the secret a new value, or remove the secret.");
    return QT_TRANSLATE_NOOP("engine",
                             "The value is no longer in its store. Give the secret a new value, or remove the secret.");
}

// Values of other data folders in the same keychain are none of ours.
Result<QStringList> Vault::Private::straysIn(SecretStore &store, const QStringList &known,
                                             const Patience &patience) const
{
    ASSIGN_OR_RETURN(const auto own, install());
    ASSIGN_OR_RETURN(const auto all, store.list(patience));
    QStringList strays;
    for (const QString &slot : all.value_or(QStringList())) {
        const auto made = timeOf(slot);
        const bool isOld = made && *made + strayAfterMs < rooms.clock->nowMicroseconds() / 1000;
        if (slot.startsWith(own + u'/') && !known.contains(slot)
            && (isOld || (rooms.isKeyTooMany && rooms.isKeyTooMany(slot))))
            strays.append(slot);
    }
    return strays;
}

Result<VaultReport> Vault::check(const Patience &patience) const
{
    ASSIGN_OR_RETURN(const auto all, list());
    VaultReport report;
    QStringList known;
    for (const SecretInfo &secret : all)
        known.append(secret.slot);
    std::map<QString, StoreStatus> states; // each store is asked once
    std::map<QString, std::optional<QSet<QString>>> listed;
    for (const auto &store : d->rooms.stores) {
        const StoreStatus status = store->status(patience);
        states[store->kind()] = status;
        const auto there = status.state == StoreState::Ready ? store->list(patience) : std::nullopt;
        if (const auto names = there ? *there : std::nullopt)
            listed[store->kind()] = QSet<QString>(names->begin(), names->end());
        if (const auto strays = d->straysIn(*store, known, patience); there && strays)
            report.strays += *strays;
    }
    for (const SecretInfo &secret : all) {
        SecretCheck check{secret.name, SecretCheck::State::Unknown, {}};
        const auto state = states.find(secret.store);
        if (const auto store = d->storeOf(secret); !store)
            check.reason = store.error().message;
        else if (state->second.state != StoreState::Ready)
            check.reason = state->second.reason;
        else if (const auto &names = listed[secret.store])
            check.state = names->contains(secret.slot) ? SecretCheck::State::Present : SecretCheck::State::Gone;
        else if (const auto value = (*store)->read(secret.slot, patience))
            check.state = SecretCheck::State::Present;
        else if (value.error().code == ErrorCode::NotFound)
            check.state = SecretCheck::State::Gone;
        else
            check.reason = value.error().message;
        if (check.state == SecretCheck::State::Gone)
            check.reason = whyGone(secret);
        report.secrets.append(check);
    }
    return report;
}

Status Vault::removeStrays(const Patience &patience)
{
    ASSIGN_OR_RETURN(const auto all, list());
    QStringList known;
    for (const SecretInfo &secret : all)
        known.append(secret.slot);
    for (const auto &store : d->rooms.stores) {
        if (store->status(patience).state != StoreState::Ready)
            continue;
        ASSIGN_OR_RETURN(const auto strays, d->straysIn(*store, known, patience));
        for (const QString &slot : strays) {
            if (auto removed = store->remove(slot, patience); !removed && removed.error().code != ErrorCode::NotFound)
                return removed;
        }
    }
    return {};
}

} // namespace glovebox
