// SPDX-License-Identifier: Apache-2.0
// `glovebox secret list` and `secret check`: what there is, and whether its values are.
#include "app/cli/command.h"
#include "app/cli/terminal/terminal.h"
#include "limitoptions.h"
#include "prompt.h"
#include "secretcommands.h"

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

QJsonObject jsonOf(const SecretInfo &secret)
{
    return {
        {u"name"_s, secret.name},
        {u"note"_s, secret.note},
        {u"store"_s, secret.store},
        {u"created_us"_s, secret.createdMicroseconds},
        {u"changed_us"_s, secret.changedMicroseconds},
        {u"last_used_us"_s, secret.lastUsedMicroseconds ? QJsonValue(*secret.lastUsedMicroseconds) : QJsonValue::Null},
        {u"uses"_s, secret.uses},
        {u"limits"_s, toJson(secret.limits)}};
}

void printSecret(const SecretInfo &secret)
{
    QString line =
        u"%1  used %2"_s.arg(secret.name, -24).arg(secret.uses == 1 ? u"once"_s : u"%1 times"_s.arg(secret.uses));
    if (secret.lastUsedMicroseconds)
        line += u", last "_s + shownTime(*secret.lastUsedMicroseconds);
    if (const QString limits = shownLimits(secret.limits); !limits.isEmpty())
        line += u"  ("_s + limits + u')';
    if (!secret.note.isEmpty())
        line += u"  "_s + QString::fromUtf8(escapedLine(secret.note.toUtf8()));
    print(line + u'\n');
}

int listSecrets(const Arguments &arguments)
{
    if (!arguments.positional.isEmpty() || arguments.dashes)
        return sayUsage(u"\"secret list\" takes options only."_s, u"secret list"_s);
    const auto engine = openEngine();
    if (!engine)
        return sayFailure(engine.error());
    const auto secrets = (*engine)->vault().list();
    if (!secrets)
        return sayFailure(secrets.error());
    for (const SecretInfo &secret : *secrets) {
        if (arguments.has("--json"))
            printJson(jsonOf(secret));
        else
            printSecret(secret);
    }
    if (secrets->isEmpty() && !arguments.has("--json"))
        print(u"There are no secrets. \"glovebox secret set NAME\" adds one.\n"_s);
    return 0;
}

int sayState(Vault &vault, const QStringList &names, const Arguments &arguments)
{
    const bool json = arguments.has("--json");
    const auto found = vault.check({});
    if (!found)
        return sayFailure(found.error());
    const StoreStatus store = vault.store().status({});
    if (!json)
        print(u"%1: %2\n"_s.arg(vault.store().kind(),
                                store.state == StoreState::Ready
                                    ? u"ready"_s
                                    : (store.reason.english() + u' ' + store.remedy.english()).trimmed()));
    bool whole = true;
    for (const SecretCheck &check : found->secrets) {
        if (!names.contains(check.name))
            continue;
        whole = whole && check.state == SecretCheck::State::Present;
        if (json)
            printJson(
                {{u"name"_s, check.name}, {u"state"_s, toString(check.state)}, {u"reason"_s, check.reason.english()}});
        else
            print(u"%1  %2  %3"_s.arg(check.name, -24).arg(toString(check.state), check.reason.english()).trimmed()
                  + u'\n');
    }
    for (const QString &stray : found->strays) {
        if (!json && arguments.positional.isEmpty())
            print(u"A value of \"%1\" is left over, and no secret uses it.\n"_s.arg(stray.section(u'/', 1, 1)));
    }
    if (arguments.has("--remove-strays")) {
        if (auto removed = vault.removeStrays({}); !removed)
            return sayFailure(removed.error());
    } else if (!found->strays.isEmpty() && !json) {
        print(u"\"glovebox secret check --remove-strays\" removes what is left over.\n"_s);
    }
    return whole ? 0 : ExitStatus::failed;
}

int checkSecrets(const Arguments &arguments)
{
    if (arguments.positional.size() > 1 || arguments.dashes)
        return sayUsage(u"Name one secret, or none for all."_s, u"secret check"_s);
    const auto engine = openEngine();
    if (!engine)
        return sayFailure(engine.error());
    Vault &vault = (*engine)->vault();
    QStringList names;
    if (arguments.positional.isEmpty()) {
        for (const SecretInfo &secret : vault.list().value_or(QList<SecretInfo>()))
            names.append(secret.name);
    } else {
        const auto secret = vault.info(QString::fromUtf8(arguments.positional.first()));
        if (!secret)
            return sayFailure(secret.error());
        names.append(secret->name);
    }
    if (auto unlocked = unlockFor(vault, names, passphraseFile(arguments)); !unlocked)
        return sayTrouble(unlocked.error());
    // A passphrase that is given is tried, also where no secret needs it yet.
    if (const QByteArray file = passphraseFile(arguments); arguments.positional.isEmpty() && !file.isEmpty()) {
        if (auto unlocked = unlockStore(&vault.store(), false, file); !unlocked)
            return sayTrouble(unlocked.error());
    }
    return sayState(vault, names, arguments);
}

} // namespace

int sayTrouble(const Error &error)
{
    sayFailure(error);
    return error.code == ErrorCode::Cancelled ? ExitStatus::signalled + 2 : ExitStatus::failed; // as after SIGINT
}

std::vector<Command> secretCommands()
{
    std::vector<Command> commands = secretChangeCommands();
    commands.push_back(passphraseCommand());
    commands.push_back({
        .name = u"secret list"_s,
        .summary = u"list the secrets, without their values"_s,
        .synopsis = u"[--json]"_s,
        .options = {{"--json", "", u"print JSON, one object a secret"_s}},
        .details = uR"(Values are never shown. Works also while the keychain is locked.

Example:
  glovebox secret list
)"_s,
        .run = listSecrets,
    });
    commands.push_back({
        .name = u"secret check"_s,
        .summary = u"check that each secret still has its value"_s,
        .synopsis = u"[NAME] [--json] [--remove-strays]"_s,
        .options = {{"--json", "", u"print JSON, one object a secret"_s},
                    {"--remove-strays", "", u"remove values of this install that no secret uses"_s},
                    passphraseFileOption()},
        .details = uR"(Asks the keychain, or the file of secrets, for each. "gone": the value is missing. A stray is
a value that an interrupted command left, and that no secret uses.

Exit status: 0 when each has its value, else 1.

Examples:
  glovebox secret check
  glovebox secret check API_KEY
)"_s,
        .run = checkSecrets,
    });
    return commands;
}

} // namespace glovebox
