// SPDX-License-Identifier: Apache-2.0
#include "secretsmodel.h"

#include "app/workbench/shell/words/words.h"

#include <QDateTime>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

SecretsModel::SecretsModel(const Theme &theme)
    : TableModel(theme, {tr("Name"), tr("Allowed for"), tr("Last used"), tr("Runs"), tr("Note")})
{
}

void SecretsModel::setSecrets(const QList<ShownSecret> &secrets)
{
    if (secrets != m_rows)
        setRows(secrets);
}

int SecretsModel::rowOf(const QString &name) const
{
    const auto found = std::ranges::find_if(m_rows, [&](const ShownSecret &each) { return each.info.name == name; });
    return found == m_rows.end() ? -1 : int(found - m_rows.begin());
}

QVariant SecretsModel::cell(const ShownSecret &shown, int column, int role) const
{
    const bool gone = shown.state == SecretCheck::State::Gone;
    switch (role) {
    case Qt::DisplayRole:
        switch (column) {
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
        return column == Name ? QVariant(m_theme.font(FontRole::Code)) : QVariant();
    case Qt::DecorationRole:
        return column == Name && gone ? QVariant(m_theme.icon(Icon::Warning, Colour::Warn)) : QVariant();
    case Qt::ForegroundRole:
        return m_theme.colour(column == Name ? gone ? Colour::Warn : Colour::Text : Colour::Dim);
    default:
        return {};
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
    if (!limits.tools.isEmpty())
        parts << SecretsModel::tr("also to %1").arg(limits.tools.join(u", "_s));
    if (limits.expiryMicroseconds)
        parts << (*limits.expiryMicroseconds > QDateTime::currentMSecsSinceEpoch() * 1000
                      ? SecretsModel::tr("until %1")
                      : SecretsModel::tr("expired on %1"))
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
