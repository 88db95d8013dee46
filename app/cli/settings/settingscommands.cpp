// SPDX-License-Identifier: Apache-2.0
// `glovebox settings list`, `get`, `set` and `unset`.
#include "app/cli/command.h"
#include "app/cli/terminal/terminal.h"
#include "settingslist.h"

#include <QJsonArray>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr std::chrono::seconds keychainPatience{5};

// A command over the settings, with so many words.
auto overSettings(const QString &name, qsizetype words, const QString &usage,
                  int (*act)(Settings &settings, const Paths &paths, const QStringList &words,
                             const Arguments &arguments))
{
    return [=](const Arguments &arguments) {
        const QByteArrayList given = arguments.positional + arguments.afterDashes; // a value may begin with "-"
        const qsizetype equals = given.value(0).indexOf('=');
        if (given.size() == 1 && words == 2 && equals > 0)
            return sayUsage(u"A space is between a setting and its value: \"glovebox %1 %2 %3\"."_s.arg(
                                name, asShellWord(given[0].first(equals)), asShellWord(given[0].sliced(equals + 1))),
                            name);
        if (given.size() != words)
            return sayUsage(usage, name);
        const auto paths = Paths::standard();
        if (!paths)
            return sayFailure(paths.error());
        const auto settings = settingsOfPerson(*paths);
        if (!settings)
            return sayFailure(settings.error());
        QStringList texts;
        for (const QByteArray &word : given)
            texts.append(QString::fromUtf8(word));
        return act(**settings, *paths, texts, arguments);
    };
}

// Nothing and a sentence where there is no such setting.
const SettingInfo *infoOf(const QString &key)
{
    const auto info = Settings::info(key);
    if (!info)
        say(sentenceOf(info.error()) + u" \"glovebox settings list\" lists all settings."_s);
    return info ? *info : nullptr;
}

int listSettings(Settings &settings, const Paths &paths, const QStringList &, const Arguments &arguments)
{
    if (arguments.has("--json")) {
        printJson({{u"file"_s, paths.settingsFile()}, {u"settings"_s, toJson(settings)}});
        return 0;
    }
    print(QByteArrayView(shownSettings(settings)));
    print(u"\nSettings file: %1\n"_s.arg(paths.settingsFile()));
    return 0;
}

int getSetting(Settings &settings, const Paths &, const QStringList &words, const Arguments &)
{
    const SettingInfo *info = infoOf(words.first());
    if (!info)
        return ExitStatus::usage;
    print(QByteArrayView(escapedLine(settings.value(info->key).value.toString().toUtf8()) + '\n'));
    return 0;
}

// The environment may hold against the file.
int sayInForce(const Settings &settings, const Paths &paths, const SettingInfo &info, const QString &done)
{
    const SettingValue value = settings.value(info.key);
    say(value.origin == SettingOrigin::Environment
            ? u"%1 %2 in the environment holds until it is unset."_s.arg(done, info.variable())
            : done);
    // A place that keeps nothing now is told with the ways out; another session may have it.
    const bool isOfKey = info.key == "vault.signing_key"_L1;
    if ((isOfKey || info.key == "vault.store"_L1) && value.value.toString() == "keychain"_L1) {
        const StoreStatus store = makeKeychainStore(paths.libexec)->status(Patience::of(keychainPatience));
        // One that is locked keeps secrets: it asks for its password when there is one.
        const bool isLocked = store.state == StoreState::Locked;
        if (store.state != StoreState::Ready && (isOfKey || !isLocked))
            say(store.reason.english() + u' '
                + (isOfKey && !isLocked ? u"To keep the key in a file: glovebox settings set vault.signing_key file"_s
                                        : store.remedy.english()));
    }
    return 0;
}

int setSetting(Settings &settings, const Paths &paths, const QStringList &words, const Arguments &)
{
    const SettingInfo *info = infoOf(words[0]);
    if (!info)
        return ExitStatus::usage;
    if (const Status stored = settings.store(info->key, words[1]); !stored)
        return stored.error().code == ErrorCode::InvalidInput ? sayUsage(sentenceOf(stored.error()), u"settings set"_s)
                                                              : sayFailure(stored.error());
    return sayInForce(settings, paths, *info, u"%1 is set in %2."_s.arg(info->key, paths.settingsFile()));
}

int unsetSetting(Settings &settings, const Paths &paths, const QStringList &words, const Arguments &)
{
    const SettingInfo *info = infoOf(words.first());
    if (!info)
        return ExitStatus::usage;
    if (const Status removed = settings.remove(info->key); !removed)
        return sayFailure(removed.error());
    return sayInForce(settings, paths, *info,
                      u"%1 has its default, \"%2\"."_s.arg(info->key, info->defaultValue.toString()));
}

} // namespace

std::vector<Command> settingsCommands()
{
    std::vector<Command> commands{
        {.name = u"settings list"_s,
         .summary = u"list all settings, their values and where each comes from"_s,
         .synopsis = u"[--json]"_s,
         .options = {{"--json", "", u"print one JSON object"_s}},
         .run = overSettings(u"settings list"_s, 0, u"\"settings list\" takes options only."_s, listSettings)},
        {.name = u"settings get"_s,
         .summary = u"print the value of a setting"_s,
         .synopsis = u"KEY"_s,
         .run = overSettings(u"settings get"_s, 1, u"Name one setting."_s, getSetting)},
        {.name = u"settings set"_s,
         .summary = u"give a setting a value in the settings file"_s,
         .synopsis = u"KEY VALUE"_s,
         .run = overSettings(u"settings set"_s, 2, u"Name one setting and its value."_s, setSetting),
         .advice = {.foreign = {}, .takesNumbers = true, .passesOn = {}}},
        {.name = u"settings unset"_s,
         .summary = u"take a setting out of the settings file"_s,
         .synopsis = u"KEY"_s,
         .run = overSettings(u"settings unset"_s, 1, u"Name one setting."_s, unsetSetting)}};
    for (Command &command : commands)
        command.details =
            uR"(The default comes first, then the settings file, the environment (GLOVEBOX_RUN_MEMORY_MB for run.memory_mb) and
the options of a command: the last of them that has a value holds.

Examples:
  glovebox settings set run.memory_mb 512
  glovebox settings get run.memory_mb
  glovebox settings unset run.memory_mb
)"_s;
    return commands;
}

} // namespace glovebox
