// SPDX-License-Identifier: Apache-2.0
#include "installations.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>

namespace glovebox::mcp {

using namespace Qt::StringLiterals;

namespace {

QStringList requirementTexts(const PackageWish &wish)
{
    if (wish.locked)
        return wish.locked->requirements;
    QStringList texts;
    for (const Requirement &requirement : wish.requirements)
        texts.append(requirement.text);
    return texts;
}

// What the person is shown, and what their answer is bound to.
ApprovalRequest questionFor(Engine &engine, const WantedInstallation &wanted, const AskedPackages &asked,
                            const PackageLock *lock)
{
    QJsonObject shown{{u"from"_s, asked.source},
                      {u"packages"_s, QJsonArray::fromStringList(asked.packages)},
                      {u"asked_for"_s, QJsonArray::fromStringList(requirementTexts(wanted.wish))},
                      {u"session"_s, orNull(wanted.session)}};
    if (!asked.built.isEmpty())
        shown[u"built_from_source"_s] = asked.built;
    if (!asked.scripts.isEmpty())
        shown[u"install_scripts_run"_s] = QJsonArray::fromStringList(asked.scripts);
    if (!asked.scripted.isEmpty())
        shown[u"install_scripts_left_out"_s] = QJsonArray::fromStringList(asked.scripted);
    if (!asked.doubtful.isEmpty())
        shown[u"look_like_others"_s] = QJsonArray::fromStringList(asked.doubtful);
    if (lock)
        shown[u"lock"_s] = lock->id(); // has the hash of each
    ApprovalRequest request;
    request.run = newId(Clock::system());
    request.caller = wanted.wish.caller;
    request.policy = engine.settings().policy();
    request.code = QJsonDocument(shown).toJson();
    request.codeDigest = sha256({request.code});
    request.session = wanted.session;
    request.tool = installTool;
    request.install = asked;
    return request;
}

// Blocks until the person, or whoever answers for them, has answered.
Status askThePerson(Engine &engine, const ApprovalRequest &request, const AskedPackages &asked,
                    const std::stop_token &stop, const TellStep &told)
{
    struct Answered
    {
        std::mutex mutex;
        std::condition_variable_any changed;
        std::optional<ApprovalDecision> decision;
    };
    const auto answered = std::make_shared<Answered>();
    engine.approvals().ask(request, [answered](const ApprovalDecision &decision) {
        const std::lock_guard lock(answered->mutex);
        answered->decision = decision;
        answered->changed.notify_all();
    });
    told({u"waiting for the person's approval of %1"_s.arg(asked.packages.join(u", "_s)), request.run});
    std::unique_lock lock(answered->mutex);
    answered->changed.wait(lock, stop, [&] { return answered->decision.has_value(); });
    const auto decision = answered->decision;
    lock.unlock();
    if (!decision) {
        engine.approvals().withdraw(request.run);
        return fail(ErrorCode::Cancelled,
                    QT_TRANSLATE_NOOP("engine", "Nothing was installed, as the call was cancelled."), {});
    }
    if (decision->allowed)
        return {};
    if (!asked.built.isEmpty())
        return fail(ErrorCode::PermissionDenied,
                    QT_TRANSLATE_NOOP("engine", "Nothing was installed. The person would have to allow that this is "
                                                "built from source, sealed and without a network: %1. %2"),
                    {asked.built, decision->reason.english()});
    return fail(ErrorCode::PermissionDenied,
                QT_TRANSLATE_NOOP("engine", "Nothing was installed. The person would have to allow packages from %1: "
                                            "%2. %3"),
                {asked.source, asked.packages.join(u", "_s), decision->reason.english()});
}

std::unexpected<Error> refused(const Text &reason)
{
    return fail(ErrorCode::PermissionDenied, reason);
}

QStringList doubtfulNames(const QList<Text> &doubts)
{
    QStringList names;
    for (const Text &doubt : doubts)
        names.append(u"%1 (like %2)"_s.arg(doubt.args.value(0), doubt.args.value(1)));
    return names;
}

// Before code of the package is run.
AskedPackages askedAboutBuild(const LockedPackage &package, const QString &source)
{
    return {source,
            {package.name + u' ' + package.version},
            doubtfulNames(doubtsAboutBuild(package)),
            {},
            {},
            u"%1, of a source with the SHA-256 %2"_s.arg(wordsAboutBuild(package).english(),
                                                         package.builtFrom.value_or(BuiltFrom()).hash)};
}

Status authorise(Engine &engine, const WantedInstallation &wanted, const AskedPackages &asked, const PackageLock *lock,
                 const std::stop_token &stop, const TellStep &told)
{
    ApprovalRequest request = questionFor(engine, wanted, asked, lock);
    const AuthorisationDecision decision = engine.approvals().decide(request);
    switch (decision.verdict) {
    case Verdict::Allow:
        return {};
    case Verdict::Deny:
        return refused(decision.reason);
    case Verdict::Ask:
        break;
    }
    request.wants = decision.wants;
    return askThePerson(engine, request, asked, stop, told);
}

Result<InstalledPackages> obtain(Engine &engine, const WantedInstallation &wanted, const std::stop_token &stop,
                                 const TellStep &told)
{
    const Packages &packages = engine.packages();
    RETURN_IF_ERROR(checkInstallation(engine, wanted)); // what is refused anyway reaches no index
    ASSIGN_OR_RETURN(const auto found, packages.find(wanted.wish));
    if (found) // by somebody's word then; a run can only read them
        return *found;
    ASSIGN_OR_RETURN(const Text sources, packages.sources(wanted.wish));
    const FollowRun follow = [&stop](const std::shared_ptr<Run> &run) {
        const std::stop_callback cancelled(stop, [&run] {
            run->cancel();
            run->cancel(); // at once: nothing in it has anything to finish
        });
        return run->wait();
    };
    const QString fetching =
        u"fetching %1 from %2"_s.arg(requirementTexts(wanted.wish).join(u", "_s), sources.english());
    Status mayBuild;
    told({fetching, {}});
    const auto fetched = packages.fetch(wanted.wish, follow, {}, [&](const LockedPackage &package) {
        mayBuild = authorise(engine, wanted, askedAboutBuild(package, sources.english()), nullptr, stop, told);
        told({mayBuild ? u"building %1"_s.arg(package.name) : fetching, {}});
        return mayBuild.has_value();
    });
    RETURN_IF_ERROR(mayBuild);
    if (!fetched)
        return std::unexpected(fetched.error());
    const AskedPackages asked{fetched->source.english(), fetched->lock.names(), doubtfulNames(fetched->doubts),
                              fetched->lock.scripts(),   fetched->scripted,     {}};
    RETURN_IF_ERROR(authorise(engine, wanted, asked, &fetched->lock, stop, told));
    told({u"installing %1"_s.arg(fetched->lock.summary().english()), {}});
    return packages.install(*fetched, wanted.wish, follow, {}, [&stop] { return stop.stop_requested(); });
}

} // namespace

Status checkInstallation(Engine &engine, const WantedInstallation &wanted)
{
    ASSIGN_OR_RETURN(const QString source, engine.packages().indexHost(wanted.wish));
    const ApprovalRequest early =
        questionFor(engine, wanted, {source, requirementTexts(wanted.wish), {}, {}, {}, {}}, nullptr);
    const AuthorisationDecision decision = engine.approvals().decide(early);
    return decision.verdict == Verdict::Deny ? refused(decision.reason) : Status();
}

Result<InstalledPackages> installOnWord(Engine &engine, const WantedInstallation &wanted, const std::stop_token &stop,
                                        const TellStep &told)
{
    ASSIGN_OR_RETURN(InstalledPackages installed, obtain(engine, wanted, stop, told));
    if (!wanted.session.isEmpty()) {
        ASSIGN_OR_RETURN(
            std::ignore,
            engine.changeSession(wanted.session, SetPackages{ofSession(installed), wanted.before}, wanted.wish.caller));
    }
    return installed;
}

Installation::Installation(Engine &engine, const WantedInstallation &wanted)
    : m_wanted(wanted)
    , m_thread([this, &engine](const std::stop_token &stop) {
        auto result = installOnWord(engine, m_wanted, stop, [this](const InstallationStep &step) {
            const std::lock_guard lock(m_mutex);
            m_step = step;
            m_changed.notify_all();
        });
        const std::lock_guard lock(m_mutex);
        m_result = std::move(result);
        m_changed.notify_all();
    })
{
}

InstallationStep Installation::step() const
{
    const std::lock_guard lock(m_mutex);
    return m_step;
}

std::optional<Result<InstalledPackages>> Installation::result() const
{
    const std::lock_guard lock(m_mutex);
    return m_result;
}

void Installation::waitForChange(const InstallationStep &seen, std::chrono::steady_clock::time_point until,
                                 const std::stop_token &stop)
{
    std::unique_lock lock(m_mutex);
    m_changed.wait_until(lock, stop, until, [&] { return m_result || m_step != seen; });
}

std::shared_ptr<Installation> Installations::find(const QByteArray &call)
{
    const std::lock_guard lock(m_mutex);
    const auto found = std::ranges::find_if(m_all, [&](const auto &each) { return each->wanted().call == call; });
    return found == m_all.end() ? nullptr : *found;
}

Result<std::shared_ptr<Installation>> Installations::start(Engine &engine, const WantedInstallation &wanted)
{
    const std::lock_guard lock(m_mutex);
    std::erase_if(m_all, [](const auto &each) { return each->result().has_value(); });
    if (m_all.size() >= most)
        return fail(ErrorCode::Busy,
                    QT_TRANSLATE_NOOP("engine",
                                      "%1 installations of yours go on already, and that is the most. Wait for "
                                      "one of them: repeat its call."),
                    {QString::number(m_all.size())});
    m_all.push_back(std::make_shared<Installation>(engine, wanted));
    return m_all.back();
}

void Installations::drop(const std::shared_ptr<Installation> &installation)
{
    const std::lock_guard lock(m_mutex);
    std::erase(m_all, installation);
}

void Installations::close()
{
    std::vector<std::shared_ptr<Installation>> all;
    {
        const std::lock_guard lock(m_mutex);
        all.swap(m_all);
    }
    for (const auto &each : all)
        each->cancel();
}

} // namespace glovebox::mcp
