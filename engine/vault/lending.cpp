// SPDX-License-Identifier: Apache-2.0
// Values for one run: all of them or none.
#include "vaultdata.h"

#include <map>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

Status fitsVariable(const QString &name, const SecretValue &value)
{
    if (!value.view().contains('\0'))
        return {};
    return fail(ErrorCode::InvalidInput,
                QT_TRANSLATE_NOOP("engine", "The value of the secret %1 has a NUL byte, which an environment variable "
                                            "can't have. Give it as a file instead."),
                {name});
}

} // namespace

Result<std::vector<GrantedSecret>> Vault::grant(const std::vector<SecretGrant> &grants, const SecretBorrower &borrower,
                                                const Patience &patience)
{
    RETURN_IF_ERROR(checkSecretGrants(grants));
    if (grants.empty())
        return std::vector<GrantedSecret>();
    std::map<QString, SecretInfo> lent;
    for (const SecretGrant &grant : grants) {
        ASSIGN_OR_RETURN(auto secret, d->secret(grant.name));
        RETURN_IF_ERROR(mayLend(secret, borrower, d->rooms.clock->nowMicroseconds()));
        lent.insert_or_assign(grant.name, std::move(secret));
    }
    std::map<QString, SecretValue> values;
    for (const auto &[name, secret] : lent) {
        ASSIGN_OR_RETURN(auto value, d->valueOf(secret, patience));
        values.insert_or_assign(name, std::move(value));
    }
    std::vector<GrantedSecret> granted;
    qsizetype bytes = 0;
    for (const SecretGrant &grant : grants) {
        const SecretValue &value = values.at(grant.name);
        if (!grant.asFile)
            RETURN_IF_ERROR(fitsVariable(grant.name, value));
        bytes += value.size();
        granted.push_back({grant.name, grant.asFile ? QString() : secretVariable(grant), grant.asFile, value.clone(),
                           lent.at(grant.name).limits.tools, lent.at(grant.name)});
    }
    if (bytes > lentBytesMax)
        return fail(
            ErrorCode::InvalidInput,
            QT_TRANSLATE_NOOP("engine",
                              "The secrets of a run have at most %1 bytes together, and these have %2. Give it fewer."),
            {QString::number(lentBytesMax), QString::number(bytes)});
    // Last: what was changed or taken back while the stores were asked isn't lent, and what isn't lent isn't counted.
    QList<SecretInfo> used;
    for (const auto &[name, secret] : lent)
        used.append(secret);
    RETURN_IF_ERROR(d->record(usesOf(used)));
    return granted;
}

Status Vault::takeBack(const QList<SecretInfo> &granted)
{
    return granted.isEmpty() ? Status() : d->record(noUsesOf(granted));
}

} // namespace glovebox
