// SPDX-License-Identifier: Apache-2.0
// `glovebox profile list`, `show`, `save` and `delete`.
#include "app/cli/settings/settingslist.h"
#include "app/cli/terminal/terminal.h"
#include "namedprofile.h"

#include "app/cli/command.h"

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

QJsonObject toJson(const Profile &profile)
{
    return {{u"name"_s, profile.name},
            {u"limits"_s, profile.given[u"limits"_s].toObject()},
            {u"network"_s, profile.given[u"network"_s].toObject()},
            {u"strict"_s, profile.given[u"strict"_s].toBool()}};
}

// A command over the profiles of one person, whose words are a profile's name or nothing.
auto overProfiles(const QString &name, bool takesName,
                  int (*act)(const Paths &paths, const QByteArray &profile, const Arguments &arguments))
{
    return [=](const Arguments &arguments) {
        const QByteArrayList words = arguments.positional + arguments.afterDashes;
        if (words.size() != (takesName ? 1 : 0))
            return sayUsage(takesName ? u"Name one profile."_s : u"\"%1\" takes options only."_s.arg(name), name);
        const auto paths = Paths::standard();
        return paths ? act(*paths, words.value(0), arguments) : sayFailure(paths.error());
    };
}

int listProfiles(const Paths &paths, const QByteArray &, const Arguments &arguments)
{
    const auto all = Profiles(paths).list();
    if (!all)
        return sayFailure(all.error());
    qsizetype width = 7; // of the longest name
    for (const Profile &profile : *all)
        width = std::max(width, escapedLine(profile.name.toUtf8()).size());
    if (all->isEmpty() && !arguments.has("--json"))
        print(u"There are no profiles. \"glovebox profile save NAME -m 512\" makes one.\n"_s);
    int status = 0;
    for (const Profile &each : *all) {
        const auto profile = Profiles(paths).find(each.name);
        if (!profile)
            status = sayFailure(profile.error());
        else if (arguments.has("--json"))
            printJson(toJson(*profile));
        else
            print(QByteArrayView(escapedLine(profile->name.toUtf8()).leftJustified(width) + "  "
                                 + escapedLine(optionsOf(*profile).join(u' ').toUtf8()) + '\n'));
    }
    return status;
}

int showProfile(const Paths &paths, const QByteArray &name, const Arguments &arguments)
{
    const auto profile = profileCalled(paths, name);
    if (!profile)
        return sayFailure(profile.error());
    if (arguments.has("--json")) {
        printJson(toJson(*profile));
        return 0;
    }
    for (const QString &option : optionsOf(*profile))
        print(QByteArrayView(escapedLine(option.toUtf8()) + '\n'));
    const auto settings = settingsOfPerson(paths);
    if (!settings)
        return sayFailure(settings.error());
    if (const QString more = moreThan((*settings)->policy(), *profile); !more.isEmpty())
        say(more);
    return 0;
}

int saveProfile(const Paths &paths, const QByteArray &name, const Arguments &arguments)
{
    RunOptions options;
    if (auto status = readSharedOptions(arguments, options); !status)
        return sayUsage(status.error(), u"profile save"_s);
    const Profile profile = profileOf(QString::fromUtf8(name), options);
    if (profile.given.isEmpty())
        return sayUsage(u"A profile holds at least one option, such as -m 512."_s, u"profile save"_s);
    const Profiles profiles(paths);
    if (const auto all = profiles.list(); !all) // the file that there is, and not what was typed
        return sayFailure(all.error());
    const auto former = profiles.find(profile.name);
    QString before;
    if (former && former->given != profile.given) {
        before = u" The former one was:"_s;
        for (const QString &word : optionsOf(*former).join(u' ').split(u' '))
            before += u' ' + asShellWord(word.toUtf8());
    }
    if (const Status saved = profiles.save(profile); !saved)
        return saved.error().code == ErrorCode::InvalidInput ? sayUsage(sentenceOf(saved.error()), u"profile save"_s)
                                                             : sayFailure(saved.error());
    say(u"The profile %1 is saved in %2.%3"_s.arg(profile.name, profiles.file(), before));
    return 0;
}

int deleteProfile(const Paths &paths, const QByteArray &name, const Arguments &)
{
    const Status removed = Profiles(paths).remove(QString::fromUtf8(name));
    if (!removed && removed.error().code == ErrorCode::NotFound)
        return sayFailure(profileCalled(paths, name).error());
    return removed ? 0 : sayFailure(removed.error());
}

std::vector<Option> offeredToSave()
{
    const QByteArrayList names{"-t",     "--cpu",   "--cpu-share", "-m",          "--procs", "-o",
                               "--disk", "--allow", "--traffic",   "--bandwidth", "--strict"};
    std::vector<Option> options;
    for (Option &grant : offeredGrants()) {
        if (!names.contains(grant.name))
            continue;
        if (const qsizetype usual = grant.help.indexOf(u" [default:"_s); usual > 0)
            grant.help = grant.help.first(usual) + u" [default: as the settings]"_s;
        options.push_back(std::move(grant));
    }
    return options;
}

} // namespace

std::vector<Command> profileCommands()
{
    std::vector<Command> commands{{.name = u"profile list"_s,
                                   .summary = u"list the profiles and what each sets"_s,
                                   .synopsis = u"[--json]"_s,
                                   .options = {{"--json", "", u"print JSON, one object a profile"_s}},
                                   .run = overProfiles(u"profile list"_s, false, listProfiles)},
                                  {.name = u"profile show"_s,
                                   .summary = u"show what a profile sets"_s,
                                   .synopsis = u"NAME [--json]"_s,
                                   .options = {{"--json", "", u"print one JSON object"_s}},
                                   .run = overProfiles(u"profile show"_s, true, showProfile)},
                                  {.name = u"profile save"_s,
                                   .summary = u"keep limits and hosts under a name"_s,
                                   .synopsis = u"NAME OPTIONS"_s,
                                   .options = offeredToSave(),
                                   .run = overProfiles(u"profile save"_s, true, saveProfile)},
                                  {.name = u"profile delete"_s,
                                   .summary = u"delete a profile"_s,
                                   .synopsis = u"NAME"_s,
                                   .run = overProfiles(u"profile delete"_s, true, deleteProfile)}};
    for (Command &command : commands)
        command.details =
            uR"(A profile stands for options: "run --profile NAME" has its limits and hosts. Options beside it win, and
--allow adds to its hosts. The settings hold for everything else. The workbench has the same profiles.

Examples:
  glovebox profile save data -m 1024 -t 120
  glovebox profile list
  glovebox run --profile data -c 'print(len(bytes(2 ** 29)))'
  glovebox session create --name lab --profile data
  glovebox profile delete data
)"_s;
    return commands;
}

} // namespace glovebox
