// SPDX-License-Identifier: Apache-2.0
// `glovebox secret set`, `edit`, `rename` and `remove`.
#include "app/cli/terminal/console.h"
#include "limitoptions.h"
#include "prompt.h"
#include "secretcommands.h"

#include <unistd.h>

#include <optional>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// A command over the secrets that its words name.
auto overNames(const QString &name, int least, int most, const QString &missing,
               int (*change)(Engine &engine, const QStringList &names, const Arguments &arguments))
{
    return [=](const Arguments &arguments) {
        const qsizetype count = arguments.positional.size();
        if (count < least || count > most || arguments.dashes)
            return sayUsage(count < least ? missing
                                          : u"Too many arguments. A value is never an argument: type it when asked, "
                                            "or pass it on standard input."_s,
                            name);
        QStringList names;
        for (const QByteArray &word : arguments.positional)
            names.append(QString::fromUtf8(word));
        const auto engine = openEngine();
        if (!engine)
            return sayFailure(engine.error());
        if (const Part record = (*engine)->readiness().current().record; record.state == Part::State::Blocked)
            return sayFailure(record.why);
        return change(**engine, names, arguments);
    };
}

std::vector<Option> setOptions()
{
    std::vector<Option> all = limitOptions(LimitDefaults::NoLimit);
    all.push_back({"--replace", "", u"give a secret that is there a new value"_s});
    all.push_back({"--raw", "", u"also keep the newline at the end of one line; several lines always keep theirs"_s});
    all.push_back(passphraseFileOption());
    return all;
}

// "The keychain is locked. Unlock it: ..."
Text joined(const StoreStatus &status)
{
    return Text("%1 %2", {status.reason.english(), status.remedy.english()});
}

int setSecret(Engine &engine, const QStringList &names, const Arguments &arguments)
{
    Vault &vault = engine.vault();
    const QString &secretName = names.first();
    if (secretName.contains(u'='))
        return sayUsage(
            u"A value is never an argument: the one that was given is now in the shell's history, so change it. To be "
            "asked for the new one: glovebox secret set %1."_s.arg(secretName.section(u'=', 0, 0)),
            u"secret set"_s);
    if (auto sound = checkSecretName(secretName); !sound)
        return sayUsage(sentenceOf(sound.error()), u"secret set"_s);
    const auto present = vault.info(secretName);
    if (!present && present.error().code != ErrorCode::NotFound)
        return sayFailure(present.error());
    if (const Status sound = present ? Status() : checkNewSecretName(secretName); !sound)
        return sayUsage(sentenceOf(sound.error()), u"secret set"_s);
    if (present && !arguments.has("--replace"))
        return sayFailure({ErrorCode::InvalidInput,
                           Text("There is a secret %1 already. Add --replace to give it a new value.", {secretName}),
                           {}});
    if (!present && arguments.has("--replace"))
        return sayFailure(present.error());
    const auto limits = limitsFrom(arguments, present ? present->limits : SecretLimits());
    if (!limits)
        return sayUsage(limits.error(), u"secret set"_s);
    const auto note = arguments.value("--note");
    const QString wanted = note ? QString::fromUtf8(*note) : present ? present->note : QString();
    for (const Status &sound : {checkSecretLimits(*limits, Languages::ids()), checkSecretNote(wanted)}) {
        if (!sound)
            return sayUsage(sentenceOf(sound.error()), u"secret set"_s);
    }
    SecretStore &store = vault.store();
    const bool isAsked = isTerminal(STDIN_FILENO);
    std::optional<UnseenKeys> unseen; // a dialog of the keychain's may be left by Ctrl+C
    if (isAsked && dynamic_cast<PassphraseStore *>(&store))
        unseen.emplace();
    if (auto unlocked = unlockStore(&store, true, passphraseFile(arguments)); !unlocked)
        return sayTrouble(unlocked.error());
    if (const StoreStatus status = isAsked && !unseen ? store.status({}) : StoreStatus{StoreState::Ready, {}, {}};
        status.state != StoreState::Ready)
        return sayFailure({ErrorCode::Unavailable, joined(status), {}}); // nobody types a value in vain
    const auto value = isAsked ? askUnseen(u"Value of %1 (hidden): "_s.arg(secretName), secretBytesMax)
                               : readValue(secretBytesMax, arguments.has("--raw"));
    if (!value)
        return sayTrouble(value.error());
    const Status done = present ? vault.replace(secretName, *value, engine.caller(), {})
                                : vault.add(secretName, wanted, *limits, *value, engine.caller(), {});
    if (!done)
        return sayFailure(done.error());
    if (present && hasLimitOptions(arguments)) {
        const auto replaced = vault.info(secretName);
        const Status edited = replaced ? vault.edit(*replaced, wanted, *limits, engine.caller())
                                       : Status(std::unexpected(replaced.error()));
        if (!edited)
            return sayFailure(edited.error());
    }
    say(u"Stored %1 (%2)."_s.arg(secretName, shownBytes(value->size())));
    return 0;
}

int editSecret(Engine &engine, const QStringList &names, const Arguments &arguments)
{
    Vault &vault = engine.vault();
    if (!hasLimitOptions(arguments))
        return sayUsage(u"Say what to change."_s, u"secret edit"_s);
    const auto present = vault.info(names.first());
    const auto limits = limitsFrom(arguments, present ? present->limits : SecretLimits());
    if (!limits)
        return sayUsage(limits.error(), u"secret edit"_s);
    const auto note = arguments.value("--note");
    const QString wanted = note ? QString::fromUtf8(*note) : present ? present->note : QString();
    for (const Status &sound : {checkSecretLimits(*limits, Languages::ids()), checkSecretNote(wanted)}) {
        if (!sound)
            return sayUsage(sentenceOf(sound.error()), u"secret edit"_s);
    }
    if (!present)
        return sayFailure(present.error());
    const Status edited = vault.edit(*present, wanted, *limits, engine.caller());
    return edited ? 0 : sayFailure(edited.error());
}

int renameSecret(Engine &engine, const QStringList &names, const Arguments &)
{
    if (auto sound = names[0] == names[1] ? Status() : checkNewSecretName(names[1]); !sound)
        return sayUsage(sentenceOf(sound.error()), u"secret rename"_s);
    const Status renamed = engine.vault().rename(names[0], names[1], engine.caller());
    if (!renamed)
        return sayFailure(renamed.error());
    const auto reader = engine.auditReader();
    const auto earlier = reader ? (*reader)->runs({.limit = 1, .secret = names[0]}) : std::unexpected(reader.error());
    if (earlier && !earlier->isEmpty() && names[0] != names[1])
        say(u"Earlier runs and their withheld files keep the name %1 in the log."_s.arg(names[0]));
    return 0;
}

// Files that runs of the last days left with the value of this secret. What is withheld longer than thirty days is deleted (ContentStore).
void sayWithheldFiles(const Engine &engine, const QString &secretName)
{
    constexpr qint64 microsecondsADay = 86'400'000'000;
    constexpr int daysBack = 60; // a job may take days, and the days of its files begin at its end
    const qint64 since = Clock::system().nowMicroseconds() - daysBack * microsecondsADay;
    const auto reader = engine.auditReader();
    const auto spans = reader ? spansOfName(**reader, secretName, since) : std::unexpected(reader.error());
    QStringList files; // the first of them, as "glovebox artifact" takes them
    qint64 count = 0;
    for (const NameSpan &span : spans ? *spans : QList<NameSpan>()) {
        const auto runs = (*reader)->runs({.fromSeq = span.from,
                                           .beforeSeq = span.before,
                                           .limit = 10'000,
                                           .sinceMicroseconds = since,
                                           .secret = span.name});
        for (const RunRow &run : runs ? *runs : QList<RunRow>()) {
            const auto artifacts = artifactsOf(**reader, run.run);
            for (const Artifact &artifact : artifacts ? *artifacts : QList<Artifact>()) {
                if (!artifact.isWithheld() || !artifact.secrets.contains(span.name)
                    || !verifyArtifact(engine.store(), run.run, artifact))
                    continue;
                ++count;
                constexpr qsizetype mostNamed = 3;
                if (files.size() < mostNamed)
                    files << run.run + u' ' + asShellWord(artifact.path.toUtf8());
            }
        }
    }
    if (count == 0)
        return;
    say(u"%1 the value of %2: %3%4"_s.arg(
        count == 1 ? u"1 withheld file still holds"_s : u"%1 withheld files still hold"_s.arg(count), secretName,
        files.join(u", "_s), count > files.size() ? u", ..."_s : QString()));
    say(u"Withheld files are deleted 30 days after their run. \"glovebox audit prune RUN\" deletes those of a run now, "
        "with its code and output. \"glovebox artifact release\" makes one an ordinary file."_s);
}

int removeSecrets(Engine &engine, const QStringList &typed, const Arguments &arguments)
{
    QStringList names = typed;
    names.removeDuplicates();
    Vault &vault = engine.vault();
    for (const QString &secretName : names) { // all or nothing: a mistyped name may mean another of the list, too
        const auto secret = vault.info(secretName);
        if (secret)
            continue;
        if (names.size() > 1)
            say(u"Nothing was removed."_s);
        return sayFailure(secret.error());
    }
    const bool forget = arguments.has("--forget");
    if (auto unlocked = forget ? Status() : unlockFor(vault, names, passphraseFile(arguments)); !unlocked)
        return sayTrouble(unlocked.error());
    int status = 0;
    for (const QString &secretName : names) {
        const Status removed =
            forget ? vault.forget(secretName, engine.caller()) : vault.remove(secretName, engine.caller(), {});
        if (removed)
            sayWithheldFiles(engine, secretName);
        else
            status = sayFailure(removed.error());
    }
    return status;
}

} // namespace

std::vector<Command> secretChangeCommands()
{
    return {
        {
            .name = u"secret set"_s,
            .summary = u"store a secret for runs"_s,
            .synopsis = u"NAME [--replace] [OPTIONS]"_s,
            .options = setOptions(),
            .details =
                uR"(Type the value when asked, or pass it on standard input. A value is never an argument, which every
program on this machine can read. The keychain of your desktop stores the value. With the setting vault.store "file",
an encrypted file does.

Examples:
  glovebox secret set API_KEY --note "shop API" --host api.example.org
  glovebox secret set DEPLOY_KEY < ~/.ssh/deploy_key
  glovebox secret set API_KEY --replace
)"_s,
            .run = overNames(u"secret set"_s, 1, 1, u"Name the secret."_s, setSecret),
        },
        {
            .name = u"secret edit"_s,
            .summary = u"change which runs get a secret, or its note"_s,
            .synopsis = u"NAME OPTIONS"_s,
            .options = limitOptions(LimitDefaults::Unchanged),
            .details = uR"(Each option replaces the limit of its kind; "any", or for --expires "never", lifts it.

Examples:
  glovebox secret edit API_KEY --host api.example.org --language python
  glovebox secret edit API_KEY --host any --expires 2027-01-31
)"_s,
            .run = overNames(u"secret edit"_s, 1, 1, u"Name the secret."_s, editSecret),
        },
        {
            .name = u"secret rename"_s,
            .summary = u"give a secret another name"_s,
            .synopsis = u"NAME NEW-NAME"_s,
            .details = uR"(The secret's value, limits and count of uses stay.

Example:
  glovebox secret rename API_KEY SHOP_API_KEY
)"_s,
            .run = overNames(u"secret rename"_s, 2, 2, u"Name the secret, then its new name."_s, renameSecret),
        },
        {
            .name = u"secret remove"_s,
            .summary = u"remove a secret and its value"_s,
            .synopsis = u"NAME... [--forget]"_s,
            .options = {{"--forget", "", u"take it off the list only: its value stays where it is"_s},
                        passphraseFileOption()},
            .details =
                uR"(Removes the value from the keychain, or the file of secrets, and the name from the list. If one of several names is
unknown, nothing is removed. Where that place is lost for good, --forget takes the name off the list.

Example:
  glovebox secret remove API_KEY
)"_s,
            .run = overNames(u"secret remove"_s, 1, 1000, u"Name the secrets to remove."_s, removeSecrets),
        },
    };
}

} // namespace glovebox
