// SPDX-License-Identifier: Apache-2.0
#include "vaultview.h"

#include "app/workbench/shell/words/words.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QRegularExpression>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// Gives the sentences of this file a context of their own for translators.
struct SecretWords
{
    Q_DECLARE_TR_FUNCTIONS(SecretWords)
};

} // namespace

QString whyNotLent(const QString &name, const VaultView &vault, const SecretBorrower &borrower)
{
    if (!vault.isKnown || vault.error)
        return {};
    const auto secret = std::ranges::find(vault.secrets, name, &SecretInfo::name);
    if (secret == vault.secrets.end())
        return SecretWords::tr("There is no secret %1 in the vault.").arg(name);
    if (const auto may = mayLend(*secret, borrower, QDateTime::currentMSecsSinceEpoch() * 1000); !may)
        return translated(may.error().message);
    const auto check = std::ranges::find(vault.checks, name, &SecretCheck::name);
    if (check != vault.checks.end() && check->state == SecretCheck::State::Gone)
        return SecretWords::tr("The value of %1 is gone. %2").arg(name, translated(check->reason));
    return {};
}

QString secretsPhrase(const std::vector<SecretGrant> &secrets)
{
    if (secrets.empty())
        return SecretWords::tr("no secrets", "what a run may use");
    constexpr std::size_t most = 3;
    QStringList names;
    for (std::size_t i = 0; i < std::min(most, secrets.size()); ++i)
        names.append(secrets[i].asFile ? SecretWords::tr("%1 as file", "a secret").arg(secrets[i].name)
                                       : secrets[i].name);
    QString all = names.join(SecretWords::tr(", ", "between names of secrets"));
    if (secrets.size() > most)
        all = SecretWords::tr("%1 and %Ln more", "secrets", int(secrets.size() - most)).arg(all);
    return SecretWords::tr("%Ln secret(s) %1", "shown as \"secrets A, B\": what a run may use", int(secrets.size()))
        .arg(all);
}

SecretGrant usualGrant(const QString &name, const std::vector<SecretGrant> &others)
{
    static const QRegularExpression noLetter(u"[^A-Za-z0-9_]"_s);
    const QString near = QString(name).replace(noLetter, u"_"_s);
    for (const QString &variable : {near, u"SECRET_"_s + near}) {
        const SecretGrant grant{.name = name, .variable = variable == name ? QString() : variable, .asFile = false};
        std::vector<SecretGrant> all = others;
        all.push_back(grant);
        if (checkSecretGrants(all))
            return grant;
    }
    return {.name = name, .variable = {}, .asFile = true};
}

} // namespace glovebox
