// SPDX-License-Identifier: Apache-2.0
// `glovebox doctor`: whether code can run here, and if not, what to do about it. Everything is found out by doing it.
#include "app/cli/command.h"
#include "app/cli/terminal/terminal.h"
#include "doctorattack.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QProcessEnvironment>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

struct Report
{
    Paths paths;
    Readiness ready;
    SettingValue proxy;
    std::optional<Error> settingsError;
    bool isLogRead = false; // to its end
    QString store; // where new secrets are kept
    StoreStatus storeStatus;
    QString signingKeyPlace; // "file", "keychain"; empty: there is none on record
    std::optional<Error> signingKeyError;

    // At the default level, in at least one language.
    bool isUsable() const { return !settingsError && ready.canRun(); }
};

std::optional<Error> troubleOf(const Part &part)
{
    return part.state == Part::State::Blocked ? std::optional(part.why) : std::nullopt;
}

Report examine(const Paths &paths)
{
    Report report;
    report.paths = paths;
    EngineConfig config;
    auto settings = Settings::load(paths.settingsFile(), QProcessEnvironment::systemEnvironment().toStringList());
    if (!settings) {
        report.settingsError = settings.error();
        settings = Settings::load({}, {}); // the defaults, to find out about the rest
    }
    if (settings) {
        report.proxy = (*settings)->value(u"engine.upstream_proxy"_s);
        config.settings = *std::move(settings);
    }
    const auto engine = openEngine(std::move(config));
    if (!engine) {
        report.ready.record = {Part::State::Blocked, engine.error(), {}};
        report.ready.sandbox.reason = Text("The sandbox was not tried, because the engine did not start.");
        return report;
    }
    report.ready = (*engine)->readiness().look();
    const Result<bool> whole = (*engine)->checkLog();
    report.isLogRead = whole.value_or(false);
    if (!whole && !troubleOf(report.ready.record))
        report.ready.record = {Part::State::Blocked, whole.error(), {}};
    report.store = (*engine)->vault().store().kind();
    report.storeStatus = (*engine)->vault().store().status({});
    if (const auto key = (*engine)->signingKey(); !key)
        report.signingKeyError = key.error();
    if (const auto reader = (*engine)->auditReader())
        report.signingKeyPlace = recordedKey(**reader).value_or(KeyRecord()).place;
    return report;
}

bool isUsable(const LanguageReadiness &language)
{
    return language.part.state == Part::State::Ready;
}

QJsonObject problem(const std::optional<Error> &error)
{
    return {{u"ok"_s, !error}, {u"reason"_s, error ? sentenceOf(*error) : QString()}};
}

QJsonObject toJson(const BackendReport &backend)
{
    QJsonArray controls;
    for (const Control &control : backend.controls) {
        QJsonObject object = toJson(control);
        object[u"detail"_s] = control.detail.english();
        object[u"remedy"_s] = backend.remedies.value(control.id).english();
        controls.append(object);
    }
    return {{u"name"_s, backend.backend},
            {u"builder"_s, backend.builder},
            {u"usable"_s, backend.usable},
            {u"reason"_s, backend.reason.english()},
            {u"remedy"_s, backend.remedy.english()},
            {u"controls"_s, controls}};
}

QJsonObject toJson(const Report &report)
{
    QJsonArray builders;
    for (const BackendReport &builder : report.ready.builders)
        builders.append(toJson(builder));
    QJsonArray languages;
    for (const LanguageReadiness &language : report.ready.languages) {
        QJsonArray candidates;
        for (const InterpreterCandidate &found : language.candidates)
            candidates.append(QJsonObject{{u"path"_s, found.path},
                                          {u"version"_s, found.version},
                                          {u"usable"_s, found.usable},
                                          {u"reason"_s, found.reason.english()}});
        languages.append(QJsonObject{{u"id"_s, language.id},
                                     {u"name"_s, language.name},
                                     {u"usable"_s, isUsable(language)},
                                     {u"package"_s, language.package},
                                     {u"interpreters"_s, candidates}});
    }
    QJsonObject record = problem(troubleOf(report.ready.record));
    record[u"file"_s] = report.paths.auditFile();
    record[u"checked"_s] = report.isLogRead;
    QJsonObject settings = problem(report.settingsError);
    settings[u"file"_s] = report.paths.settingsFile();
    settings[u"upstream_proxy"_s] =
        QJsonObject{{u"value"_s, report.proxy.value.toString()}, {u"origin"_s, toString(report.proxy.origin)}};
    QJsonObject signing = problem(report.signingKeyError);
    signing[u"place"_s] = report.signingKeyPlace;
    signing[u"file"_s] = report.signingKeyPlace == u"keychain" ? QString() : report.paths.signingKeyFile();
    return {{u"version"_s, QStringLiteral(GLOVEBOX_VERSION)},
            {u"signing_key"_s, signing},
            {u"secrets"_s, QJsonObject{{u"store"_s, report.store},
                                       {u"state"_s, toString(report.storeStatus.state)},
                                       {u"reason"_s, report.storeStatus.reason.english()},
                                       {u"remedy"_s, report.storeStatus.remedy.english()}}},
            {u"usable"_s, report.isUsable()},
            {u"backend"_s, toJson(report.ready.sandbox)},
            {u"builders"_s, builders},
            {u"languages"_s, languages},
            {u"record"_s, record},
            {u"settings"_s, settings},
            {u"programs"_s, report.paths.libexec}};
}

// Why it doesn't work, and what to do unless the reason says it.
void printObstacle(const BackendReport &backend, const QString &what)
{
    printLine(u"  %1 does not work: %2"_s.arg(what, backend.reason.english()));
    if (!backend.remedy.isEmpty() && !backend.isRemedyInReason)
        printLine(u"  what to do: %1"_s.arg(backend.remedy.english()));
}

void printControls(const BackendReport &backend)
{
    qsizetype nameWidth = 0, requestedWidth = 0;
    for (const Control &control : backend.controls) {
        nameWidth = std::max(nameWidth, toString(control.id).size());
        requestedWidth = std::max(requestedWidth, control.requested.size());
    }
    for (const Control &control : backend.controls) {
        const QString row = u"  %1  %2  %3 %4"_s.arg(toString(control.id), -int(nameWidth))
                                .arg(control.requested, -int(requestedWidth))
                                .arg(toString(control.state), -9)
                                .arg(control.detail.english());
        printLine(row.trimmed().prepend(u"  "_s));
    }
    QStringList said; // one remedy may mend several
    for (const Advice &remedy : backend.remedies) {
        if (!said.contains(remedy.english()))
            printLine(u"  what to do: %1"_s.arg(remedy.english()));
        said.append(remedy.english());
    }
}

void printBackend(const Report &report)
{
    const BackendReport &backend = report.ready.sandbox;
    printLine(u"Sandbox"_s);
    if (!backend.usable)
        return printObstacle(backend, u"sealing code off"_s);
    printLine(u"  works (%1, %2)"_s.arg(backend.backend, backend.builder));
    printControls(backend);
    for (const BackendReport &other : report.ready.builders) {
        if (other.builder == backend.builder)
            continue;
        if (!other.usable) {
            printObstacle(other, u"the other builder (%1)"_s.arg(other.builder));
            continue;
        }
        const QStringList weak = idsOf(weakControls(other));
        printLine(u"  the other builder (%1) also works, and is used where the first fails; weaker there: %2"_s.arg(
            other.builder, weak.isEmpty() ? u"nothing"_s : weak.join(u", "_s)));
    }
}

void printLanguages(const QList<LanguageReadiness> &languages)
{
    printLine(u"Languages"_s);
    for (const LanguageReadiness &language : languages) {
        printLine(
            u"  %1 (%2)%3"_s.arg(language.name, language.id,
                                 isUsable(language) ? QString() : u": not here; install %1"_s.arg(language.package)));
        for (const InterpreterCandidate &found : language.candidates)
            printLine(u"    %1 %2 %3"_s.arg(found.path, -28)
                          .arg(found.version, -10)
                          .arg(found.usable ? u"usable"_s : u"not usable: "_s + found.reason.english()));
    }
}

void printFiles(const Report &report)
{
    const std::optional<Error> record = troubleOf(report.ready.record);
    printLine(u"Files"_s);
    printLine(u"  log       %1  %2"_s.arg(report.paths.auditFile(),
                                          record             ? sentenceOf(*record)
                                          : report.isLogRead ? u"ok"_s
                                                             : u"can be written; too large to be read through"_s));
    const bool hasSettings = QFileInfo::exists(report.paths.settingsFile());
    printLine(u"  settings  %1  %2"_s.arg(report.paths.settingsFile(),
                                          report.settingsError ? sentenceOf(*report.settingsError)
                                          : hasSettings        ? u"ok"_s
                                                               : u"not there: the defaults apply"_s));
    printLine(u"  programs  %1"_s.arg(report.paths.libexec));
    if (const QString proxy = report.proxy.value.toString(); !proxy.isEmpty())
        printLine(u"  network   through %1 (%2): the proxy resolves names, and alone can refuse private addresses; "
                  "--strict refuses it"_s.arg(proxy, toString(report.proxy.origin)));
    printLine(u"  signing   %1  %2"_s.arg(report.signingKeyPlace == u"keychain" ? u"in the keychain"_s
                                                                                : report.paths.signingKeyFile(),
                                          report.signingKeyError ? sentenceOf(*report.signingKeyError) : u"ok"_s));
}

void printSecrets(const Report &report)
{
    const StoreStatus &status = report.storeStatus;
    printLine(u"Secrets"_s);
    if (status.state == StoreState::Ready)
        return printLine(u"  kept in: %1, ready"_s.arg(report.store));
    printLine(u"  kept in: %1, %2: %3"_s.arg(report.store, toString(status.state), status.reason.english()));
    if (!status.remedy.isEmpty())
        printLine(u"    %1"_s.arg(status.remedy.english()));
}

void printReport(const Report &report)
{
    printLine(u"Glovebox %1"_s.arg(QStringLiteral(GLOVEBOX_VERSION)));
    printLine({});
    printBackend(report);
    printLine({});
    printLanguages(report.ready.languages);
    printLine({});
    printFiles(report);
    printLine({});
    printSecrets(report);
    printLine({});
    const QStringList weak = idsOf(weakControls(report.ready.sandbox));
    if (const auto strict = troubleOf(report.ready.policy))
        printLine(sentenceOf(*strict));
    if (!report.isUsable())
        return printLine(u"Code can't run here yet: see above what is in the way."_s);
    // --strict refuses nothing for what isn't told.
    const bool tellsLess = std::ranges::any_of(report.ready.sandbox.controls, [](const Control &control) {
        return control.id == ControlId::DenialEvents && control.state == Control::State::Enforced;
    });
    const QString strictly =
        weak.isEmpty()
            ? u"Code can run here, also with --strict."_s
            : u"Code can run here. With --strict it would be refused, because of %1."_s.arg(weak.join(u", "_s));
    printLine(tellsLess ? strictly + u" Looks for keys and other secrets in ~ are not told: see denial-events above."_s
                        : strictly);
}

int checkMachine(const Arguments &arguments)
{
    if (!arguments.positional.isEmpty() || arguments.dashes)
        return sayUsage(u"\"doctor\" takes options only."_s, u"doctor"_s);
    const auto paths = Paths::standard();
    if (!paths)
        return sayFailure(paths.error());
    if (arguments.has("--attack"))
        return showAttacks(arguments.has("--json"));
    const Report report = examine(*paths);
    if (arguments.has("--json"))
        printJson(toJson(report));
    else
        printReport(report);
    return report.isUsable() ? 0 : ExitStatus::failed;
}

} // namespace

Command doctorCommand()
{
    return {
        .name = u"doctor"_s,
        .summary = u"check what this machine can do, and say what is missing"_s,
        .synopsis = u"[--attack] [--json]"_s,
        .options = {{"--attack", "", u"attack the sandbox in ten ways, and say what came of it"_s},
                    {"--json", "", u"print one JSON object"_s}},
        .details =
            uR"("verified": a protection was read back from a real sealed trial run. "enforced": set, but not readable.
"degraded": weaker than asked for. "missing": not there. Each way to build the sandbox is tried.
Interpreters are started inside the sandbox to read their versions.

With --attack ten attacks really try to get out. Only this machine's view of them counts: a file, a connection,
a process. The harmless ones also run without Glovebox, to show that they get through there. The runs are in the log
like any other.

Exit status: 0 when code can run with the default settings, else 1; with --attack 0 when every attack was refused.
)"_s,
        .run = checkMachine,
    };
}

} // namespace glovebox
