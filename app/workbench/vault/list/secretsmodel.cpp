// SPDX-License-Identifier: Apache-2.0
#include "secretsmodel.h"

#include "app/workbench/shell/words.h"

#include <QDateTime>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

SecretsModel::SecretsModel(const Theme &theme, QObject *parent)
    : QAbstractTableModel(parent)
    , m_theme(theme)
{
}

void SecretsModel::setSecrets(const QList<ShownSecret> &secrets)
{
    if (secrets == m_secrets)
        return;
    beginResetModel();
    m_secrets = secrets;
    endResetModel();
}

int SecretsModel::rowOf(const QString &name) const
{
    const auto found = std::ranges::find_if(m_secrets, [&](const ShownSecret &each) { return each.info.name == name; });
    return found == m_secrets.end() ? -1 : int(found - m_secrets.begin());
}

int SecretsModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(m_secrets.size());
}

int SecretsModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : columns;
}

QVariant SecretsModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const ShownSecret &shown = m_secrets[index.row()];
    const bool gone = shown.state == SecretCheck::State::Gone;
    switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
        switch (index.column()) {
        case Name:
            return gone ? tr("%1 · value is gone").arg(shown.info.name) : shown.info.name;
        case Limits:
            return limitsPhrase(shown.info.limits);
        case LastUsed:
            return shown.info.lastUsedMicroseconds ? dayOf(*shown.info.lastUsedMicroseconds) : tr("never");
        case Uses:
            return QLocale().toString(shown.info.uses);
        default:
            return shown.info.note.simplified();
        }
    case Qt::FontRole:
        return index.column() == Name ? QVariant(m_theme.font(FontRole::Code)) : QVariant();
    case Qt::DecorationRole:
        return index.column() == Name && gone ? QVariant(m_theme.icon(Icon::Warning, Colour::Warn)) : QVariant();
    case Qt::ForegroundRole:
        return m_theme.colour(index.column() == Name ? gone ? Colour::Warn : Colour::Text : Colour::Dim);
    default:
        return {};
    }
}

QVariant SecretsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Name:
        return tr("Name");
    case Limits:
        return tr("Lent to");
    case LastUsed:
        return tr("Last used");
    case Uses:
        return tr("Runs");
    default:
        return tr("Note");
    }
}

QString limitsPhrase(const SecretLimits &limits)
{
    QStringList parts;
    if (!limits.languages.isEmpty())
        parts << limits.languages.join(u", "_s);
    if (limits.hosts)
        parts << (limits.hosts->isEmpty() ? SecretsModel::tr("without network") : limits.hosts->join(u", "_s));
    if (!limits.callers.isEmpty()) {
        QStringList callers;
        for (const Caller::Kind kind : {Caller::Kind::Workbench, Caller::Kind::Cli, Caller::Kind::Mcp}) {
            if (limits.callers.contains(toString(kind)))
                callers << callerWord(kind);
        }
        parts << callers.join(u", "_s);
    }
    if (limits.expiryMicroseconds)
        parts << (*limits.expiryMicroseconds > QDateTime::currentMSecsSinceEpoch() * 1000
                      ? SecretsModel::tr("until %1")
                      : SecretsModel::tr("no run any more: expired on %1"))
                     .arg(dayOf(*limits.expiryMicroseconds));
    return parts.isEmpty() ? SecretsModel::tr("any run") : parts.join(u" · "_s);
}

QString placeWord(const QString &kind)
{
    if (kind == "keychain"_L1)
        return SecretsModel::tr("the keychain");
    if (kind == "file"_L1)
        return SecretsModel::tr("a file with a passphrase");
    return kind == "memory"_L1 ? SecretsModel::tr("the memory of this program") : kind;
}

QString dayOf(qint64 microseconds)
{
    return QDateTime::fromMSecsSinceEpoch(microseconds / 1000).toString(u"yyyy-MM-dd HH:mm"_s);
}

} // namespace glovebox
