// SPDX-License-Identifier: Apache-2.0
// Plans what becomes of a configuration file, and looks at each plan's outcome before anybody sees it.
#include "clientfile.h"
#include "difference.h"
#include "formats/layout.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonArray>

#include <algorithm>

namespace glovebox::mcp {

using namespace Qt::StringLiterals;

namespace {

const QString backupSuffix = u".glovebox-backup"_s;

Reading<Layout> layoutOf(const QByteArray &text, const ClientProgram &program, const QString &command)
{
    switch (program.format) {
    case ClientProgram::Format::Toml:
        return tomlLayout(text, program, command);
    case ClientProgram::Format::Yaml:
        return yamlLayout(text, program, command);
    case ClientProgram::Format::Json:
        break;
    }
    return jsonLayout(text, program, command);
}

QString formatName(ClientProgram::Format format)
{
    switch (format) {
    case ClientProgram::Format::Toml:
        return u"TOML"_s;
    case ClientProgram::Format::Yaml:
        return u"YAML"_s;
    case ClientProgram::Format::Json:
        break;
    }
    return u"JSON"_s;
}

std::unexpected<Error> notUnderstood(const Misreading &misreading, const QByteArray &text, const ClientProgram &program)
{
    const QString line = QString::number(text.first(std::min(misreading.at, text.size())).count('\n') + 1);
    switch (misreading.why) {
    case Misreading::Why::Repeated:
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP(
                        "engine", "Line %1 of %2 says something a second time. Remove one of both, then try again."),
                    {line, program.file});
    case Misreading::Why::OtherForm:
        return fail(
            ErrorCode::Unsupported,
            QT_TRANSLATE_NOOP("engine",
                              "Line %1 of %2 is written in a form that Glovebox can't extend. Add the entry by hand."),
            {line, program.file});
    case Misreading::Why::Syntax:
        break;
    }
    return fail(
        ErrorCode::InvalidInput,
        QT_TRANSLATE_NOOP("engine", "Line %1 of %2 isn't valid %3, so nothing is changed. Correct it, then try again."),
        {line, program.file, formatName(program.format)});
}

Result<Layout> understood(const QByteArray &text, const ClientProgram &program, const QString &command)
{
    if (text.contains('\0') || !text.isValidUtf8())
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP(
                        "engine", "%1 isn't a text in UTF-8, so nothing is changed. Save it as UTF-8, then try again."),
                    {program.file});
    auto layout = layoutOf(text, program, command);
    if (!layout)
        return notUnderstood(layout.error(), text, program);
    return *std::move(layout);
}

bool isFor(const Layout &layout, const QString &command)
{
    return layout.hasEntry && layout.command && layout.command->value == command && layout.arguments
           && layout.arguments->value == QJsonArray{u"mcp"_s};
}

// The entry may have been moved to another glovebox, or got further arguments.
bool isGloveboxs(const Layout &layout)
{
    return layout.command && layout.arguments && QFileInfo(layout.command->value.toString()).fileName() == u"glovebox"
           && layout.arguments->value.toArray().first() == u"mcp"_s;
}

// Command and arguments in their places; nothing where they have none.
std::optional<QByteArray> mended(const QByteArray &text, const Layout &layout, const QString &command)
{
    if (!layout.command || !layout.arguments || layout.command->at < 0 || layout.arguments->at < 0)
        return std::nullopt;
    return spliced(text, {{layout.command->at, layout.command->length, jsonText(command)},
                          {layout.arguments->at, layout.arguments->length, jsonText(QJsonArray{u"mcp"_s})}});
}

std::unexpected<Error> wouldHarm(const ClientProgram &program)
{
    return fail(ErrorCode::Unsupported,
                QT_TRANSLATE_NOOP(
                    "engine", "%1 is written in a way that Glovebox can't change safely. Change the entry by hand."),
                {program.file});
}

Status checkOutcome(const QByteArray &after, const Layout &before, bool shallBeThere, const ClientProgram &program,
                    const QString &command)
{
    const auto layout = layoutOf(after, program, command);
    if (!layout || (shallBeThere ? !isFor(*layout, command) : layout->hasEntry) || layout->others != before.others)
        return wouldHarm(program);
    return {};
}

// Nothing but brackets, quotation marks and the section's name is left.
bool saysNothing(const QByteArray &text, const Layout &layout)
{
    return layout.others.isEmpty() && !text.contains("//") && !text.contains("/*") && !text.contains('#');
}

Result<QByteArray> installedIn(const QByteArray &text, const Layout &layout, const ClientProgram &program,
                               const QString &command)
{
    if (!layout.hasEntry)
        return spliced(text, layout.addition);
    if (const auto inPlace = mended(text, layout, command))
        return *inPlace;
    const QByteArray without = spliced(text, layout.removal);
    ASSIGN_OR_RETURN(const auto bare, understood(without, program, command));
    return bare.hasEntry ? without : spliced(without, bare.addition); // what is left of it is found by checkOutcome()
}

// Nothing: no file.
Result<std::optional<QByteArray>> uninstalledFrom(const QByteArray &text, const Layout &layout,
                                                  const ClientProgram &program, const QString &file)
{
    const QString command = layout.command ? layout.command->value.toString() : QString();
    ASSIGN_OR_RETURN(const auto backup, readClientFile(file + backupSuffix));
    bool takesSection = program.format == ClientProgram::Format::Yaml; // there, an empty one is no table
    if (backup) {
        const auto former = layoutOf(*backup, program, command);
        // When nothing but the entry was added since, the bytes of then are exactly the others of now.
        if (former && !former->hasEntry && spliced(*backup, former->addition) == text)
            return *backup;
        takesSection = takesSection || (former && !former->hasSection);
    }
    takesSection = takesSection && !layout.removalWithSection.isEmpty();
    QByteArray after = spliced(text, takesSection ? layout.removalWithSection : layout.removal);
    RETURN_IF_ERROR(checkOutcome(after, layout, false, program, command));
    if (!backup && saysNothing(after, layout)) // where there had been a file, there were a backup
        return std::nullopt;
    return after;
}

Result<ConfigurationChange> startOfPlan(const ClientProgram &program)
{
    ConfigurationChange change{.client = program.name};
    ASSIGN_OR_RETURN(change.file, linkedFile(program.file));
    ASSIGN_OR_RETURN(change.before, readClientFile(change.file));
    change.after = change.before;
    return change;
}

} // namespace

QByteArray entryText(const ClientProgram &program, const QString &command)
{
    const auto layout = layoutOf({}, program, command);
    return layout ? spliced({}, layout->addition) : QByteArray();
}

Result<QByteArray> httpEntryText(const ClientProgram &program, const QString &url)
{
    if (program.http.isEmpty())
        return fail(ErrorCode::Unsupported,
                    QT_TRANSLATE_NOOP("engine",
                                      "%1 doesn't connect to addresses of this machine. Leave --http out: then it "
                                      "starts Glovebox itself."),
                    {program.name});
    ClientProgram overHttp = program;
    overHttp.commandKey.clear();
    overHttp.after.clear();
    overHttp.before = program.http;
    for (auto &[key, value] : overHttp.before) {
        if (value == u"%1"_s)
            value = url;
    }
    return entryText(overHttp, {});
}

Result<ClientEntry> entryOf(const ClientProgram &program)
{
    ASSIGN_OR_RETURN(const auto present, startOfPlan(program));
    ClientEntry entry{.file = present.file};
    if (!present.before)
        return entry;
    ASSIGN_OR_RETURN(const auto layout, understood(*present.before, program, {}));
    if (!layout.hasEntry)
        return entry;
    entry.state = isGloveboxs(layout) ? ClientEntry::State::Glovebox : ClientEntry::State::Other;
    entry.command = layout.command ? layout.command->value.toString() : QString();
    return entry;
}

Result<ConfigurationChange> planInstall(const ClientProgram &program, const QString &command)
{
    ASSIGN_OR_RETURN(auto change, startOfPlan(program));
    const QByteArray text = change.before.value_or(QByteArray());
    ASSIGN_OR_RETURN(const auto layout, understood(text, program, command));
    using enum ConfigurationChange::Found;
    change.found = isFor(layout, command) ? SameEntry : layout.hasEntry ? OtherEntry : Nothing;
    if (change.found == SameEntry)
        return change;
    ASSIGN_OR_RETURN(change.after, installedIn(text, layout, program, command));
    RETURN_IF_ERROR(checkOutcome(*change.after, layout, true, program, command));
    change.difference = unifiedDifference(change.file.toUtf8(), change.before, change.after);
    return change;
}

Result<ConfigurationChange> planUninstall(const ClientProgram &program)
{
    ASSIGN_OR_RETURN(auto change, startOfPlan(program));
    if (!change.before)
        return change;
    ASSIGN_OR_RETURN(const auto layout, understood(*change.before, program, {}));
    if (!layout.hasEntry)
        return change;
    if (!isGloveboxs(layout))
        return fail(
            ErrorCode::PermissionDenied,
            QT_TRANSLATE_NOOP(
                "engine", "The entry \"glovebox\" in %1 starts another program. Remove it by hand, if you want that."),
            {change.file});
    change.found = ConfigurationChange::Found::SameEntry;
    ASSIGN_OR_RETURN(change.after, uninstalledFrom(*change.before, layout, program, change.file));
    change.difference = unifiedDifference(change.file.toUtf8(), change.before, change.after);
    return change;
}

Status applyChange(const ConfigurationChange &change)
{
    if (change.changesNothing())
        return {};
    if (!change.after)
        return removeClientFile(change.file, change.before.value_or(QByteArray()));
    const QString backupFile = change.file + backupSuffix;
    RETURN_IF_ERROR(checkUnchanged(change.file, change.before));
    const auto backup = readClientFile(backupFile);
    const bool isUninstall =
        change.found == ConfigurationChange::Found::SameEntry; // to install it would change nothing
    const bool leadsBack = isUninstall && backup && *backup == change.after;
    if (change.before && !leadsBack) {
        if (const int error = replaceFile(backupFile, *change.before); error != 0)
            return fail(
                codeForErrno(error),
                QT_TRANSLATE_NOOP(
                    "engine", "The backup %1 can't be written: %2. Nothing was changed. Correct that and try again."),
                {backupFile, errnoText(error)});
    }
    const Status written = replaceClientFile(change.file, change.before, *change.after);
    const bool isFirst = backup && !*backup;
    if (written ? leadsBack : isFirst)
        QFile::remove(backupFile);
    return written;
}

} // namespace glovebox::mcp
