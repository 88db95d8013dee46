// SPDX-License-Identifier: Apache-2.0
#include "installing.h"

#include "engine/mcp/asking/elicitation.h"
#include "engine/mcp/tools/jsonschema.h"

#include <QJsonDocument>

namespace glovebox::mcp {

using namespace Qt::StringLiterals;

Result<std::optional<InstalledPackages>> waitFor(const Call &call, const std::shared_ptr<Installation> &installation)
{
    using SteadyClock = std::chrono::steady_clock;
    const ClientBounds &bounds = call.client().runs.bounds();
    Installations &all = call.client().installations;
    const auto begin = SteadyClock::now();
    const auto end = begin + bounds.longestCall;
    InstallationStep told;
    for (auto next = begin;;) {
        if (const auto result = installation->result()) {
            all.drop(installation);
            return *result;
        }
        const InstallationStep step = installation->step();
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - SteadyClock::now());
        if (!step.question.isEmpty() && elicit(call, step.question, left) == Elicited::CallsAgain)
            return callsAgain();
        if (call.stop().stop_requested()) {
            installation->cancel();
            all.drop(installation);
            return fail(ErrorCode::Cancelled,
                        QT_TRANSLATE_NOOP("engine", "Nothing was installed, as the call was cancelled."), {});
        }
        const auto now = SteadyClock::now();
        if (now >= end)
            return std::nullopt;
        if (step != told || now >= next) {
            told = step;
            next = now + bounds.heartbeat;
            call.progress(std::chrono::duration<double>(now - begin).count(), told.line);
        }
        installation->waitForChange(told, std::min(end, next), call.stop());
    }
}

QByteArray nameOfCall(const QString &tool, const QJsonObject &arguments, const QStringList &names)
{
    QJsonObject named{{u"tool"_s, tool}};
    for (const QString &name : names)
        named[name] = arguments[name];
    return QJsonDocument(named).toJson(QJsonDocument::Compact);
}

QJsonObject packagesArgument(const QString &description)
{
    using namespace schema;
    constexpr int longest = 200, most = 50;
    return with(list(with(text(), {{u"minLength"_s, 1}, {u"maxLength"_s, longest}}), description),
                {{u"maxItems"_s, most}});
}

Result<QList<Requirement>> requirementsFrom(const QJsonArray &packages, const QString &language)
{
    QList<Requirement> requirements;
    for (const auto package : packages) {
        ASSIGN_OR_RETURN(const Requirement requirement, readRequirement(package.toString(), language));
        requirements.append(requirement);
    }
    return requirements;
}

QJsonObject sourcesArgument()
{
    return packagesArgument(
        u"names of Python packages that may be built from source where no wheel fits; needs the person's approval"_s);
}

QJsonObject scriptsArgument()
{
    return packagesArgument(u"names of Node.js packages whose install scripts may run, sealed and without a network; "
                            "needs the person's approval"_s);
}

// Of packages of a language, where that is the call's.
static Result<QStringList> namesFrom(const QJsonArray &names, const Language &of, const QString &language,
                                     const char *argument)
{
    QStringList all;
    for (const auto name : names) {
        const auto package = packageName(name.toString(), of.id());
        if (language != of.id() || !package)
            return fail(
                ErrorCode::InvalidInput,
                QT_TRANSLATE_NOOP("engine", "\"%1\" takes names of %2 packages, without versions, and \"%3\" is none."),
                {QString::fromLatin1(argument), of.name(), recordable(name.toString().left(100))});
        all.append(*package);
    }
    return all;
}

Result<QStringList> sourcesFrom(const QJsonArray &names, const QString &language)
{
    return namesFrom(names, *Languages::byId(languageOfSources()).value(), language, "allow_source");
}

Result<QStringList> scriptsFrom(const QJsonArray &names, const QString &language)
{
    return namesFrom(names, *Languages::byId(languageOfScripts()).value(), language, "allow_scripts");
}

} // namespace glovebox::mcp
