// SPDX-License-Identifier: Apache-2.0
#include "packagegetting.h"

#include "app/workbench/shell/words/sessionwords.h"

#include <QPointer>

#include <algorithm>
#include <condition_variable>
#include <mutex>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 mostAtOnce = 64 * kibibyte; // of output

std::unexpected<Error> cancelled(const PackageOrder &order)
{
    return fail(ErrorCode::Cancelled,
                Text(order.without.isEmpty()
                         ? QT_TRANSLATE_NOOP("engine", "Nothing was installed, as you cancelled it.")
                         : QT_TRANSLATE_NOOP("engine", "The session keeps its packages, as you cancelled it.")));
}

// Together with what the session has, or of that what shall be left.
Result<PackageWish> wishOf(const PackageOrder &order, const SessionPackages &has, PackageWish wish)
{
    if (!order.without.isEmpty())
        return leftWithout(has, order.without, wish.caller);
    return addedTo(has, std::move(wish), order.keeps ? SameName::Replaces : SameName::Both);
}

} // namespace

// Between the window and the thread of the work. Thread-safe.
class PackageGetting::Talk
{
public:
    explicit Talk(PackageGetting *getting)
        : m_getting(getting)
    {
    }

    // Of the window.
    void cancel()
    {
        std::shared_ptr<Run> run;
        {
            const std::scoped_lock lock(m_mutex);
            m_isCancelled = true;
            run = m_run;
        }
        m_changed.notify_all();
        if (run)
            run->cancel();
    }
    void answer(bool agrees, const QStringList &scripts)
    {
        {
            const std::scoped_lock lock(m_mutex);
            m_agrees = agrees;
            m_scripts = scripts;
        }
        m_changed.notify_all();
    }

    // Of the work.
    bool isCancelled() const
    {
        const std::scoped_lock lock(m_mutex);
        return m_isCancelled;
    }
    void tell(Stage stage)
    {
        post([stage](PackageGetting &getting) { getting.take(stage); });
    }
    void tellSources(const QString &host, const Text &sources)
    {
        post([host, sources](PackageGetting &getting) {
            getting.m_host = host;
            getting.m_sources = sources;
        });
    }
    // What the last answer allowed.
    QStringList scripts() const
    {
        const std::scoped_lock lock(m_mutex);
        return m_scripts;
    }
    // Waits for the person. False: the packages are not to be installed.
    bool ask(const PackageQuestion &question)
    {
        post([question](PackageGetting &getting) {
            getting.m_question = question;
            getting.take(Stage::Asking);
        });
        return waitForAnswer();
    }
    // Before code of the package is run, which the next run that is followed does.
    bool askToBuild(const BuildQuestion &question)
    {
        post([question](PackageGetting &getting) {
            getting.m_buildQuestion = question;
            getting.take(Stage::AskingToBuild);
        });
        m_builds = waitForAnswer();
        return m_builds;
    }
    std::shared_ptr<const RunResult> follow(const std::shared_ptr<Run> &run)
    {
        bool isNew = false;
        if (m_builds || m_hasBuilt) {
            post([builds = m_builds](PackageGetting &getting) {
                getting.take(builds ? Stage::Building : Stage::Fetching);
            });
        }
        m_hasBuilt = std::exchange(m_builds, false);
        {
            const std::scoped_lock lock(m_mutex);
            m_run = run;
        }
        if (isCancelled())
            run->cancel();
        run->onChange([&] {
            {
                const std::scoped_lock lock(m_mutex);
                isNew = true;
            }
            m_changed.notify_all();
        });
        qint64 cursor = 0;
        for (;;) {
            const OutputSlice slice = run->output(cursor, mostAtOnce);
            cursor = slice.next;
            print(slice);
            if (slice.atEnd)
                break;
            if (!slice.chunks.isEmpty())
                continue;
            std::unique_lock lock(m_mutex);
            m_changed.wait(lock, [&] { return isNew; });
            isNew = false;
        }
        run->onChange({});
        const std::scoped_lock lock(m_mutex);
        m_run.reset();
        return run->wait();
    }

private:
    bool waitForAnswer()
    {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [this] { return m_isCancelled || m_agrees; });
        const bool agrees = !m_isCancelled && m_agrees.value_or(false);
        m_agrees.reset();
        return agrees;
    }
    // What the tasks print on standard output is for Glovebox.
    void print(const OutputSlice &slice)
    {
        QByteArray text;
        for (const OutputChunk &chunk : slice.chunks) {
            if (chunk.stream == OutputStream::Err)
                text += chunk.bytes;
        }
        if (!text.isEmpty())
            post([text](PackageGetting &getting) { Q_EMIT getting.printed(text); });
    }
    template<typename Call> void post(Call call)
    {
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [getting = m_getting, call = std::move(call), talk = this] {
                if (getting && getting->m_talk.get() == talk && getting->m_stage != Stage::Cancelling)
                    call(*getting);
            },
            Qt::QueuedConnection);
    }

    const QPointer<PackageGetting> m_getting; // looked at on the GUI thread only
    bool m_builds = false; // the next run; of the work, as the next
    bool m_hasBuilt = false; // the last one
    mutable std::mutex m_mutex; // guards the rest
    std::condition_variable m_changed;
    bool m_isCancelled = false;
    std::optional<bool> m_agrees;
    QStringList m_scripts;
    std::shared_ptr<Run> m_run; // that goes on
};

// What was downloaded lives on this thread only, and goes with it: before the engine does.
template<typename Talk>
static Result<InstalledPackages> fetchAndInstall(const Packages &packages, const PackageOrder &order,
                                                 const PackageWish &wish, Talk &talk, QString &lacking,
                                                 bool &wereBuiltBefore)
{
    using Stage = PackageGetting::Stage;
    ASSIGN_OR_RETURN(const QString host, packages.indexHost(wish));
    ASSIGN_OR_RETURN(const Text sources, packages.sources(wish));
    talk.tellSources(host, sources);
    talk.tell(Stage::Fetching);
    const FollowRun follow = [&talk](const std::shared_ptr<Run> &run) { return talk.follow(run); };
    bool isDeclined = false;
    const auto mayBuild = [&](const LockedPackage &package) {
        isDeclined = !talk.askToBuild({.name = package.name,
                                       .what = wordsAboutBuild(package),
                                       .hasTools = !package.tools().isEmpty(),
                                       .doubts = doubtsAboutBuild(package)});
        return !isDeclined;
    };
    auto fetched = packages.fetch(wish, follow, {}, mayBuild, [&lacking](const QString &name) { lacking = name; });
    if (isDeclined)
        return cancelled(order);
    if (!fetched)
        return std::unexpected(fetched.error());
    PackageWish same = wish;
    same.locked = fetched->lock;
    ASSIGN_OR_RETURN(const auto before, packages.find(same));
    wereBuiltBefore = before && std::ranges::any_of(fetched->lock.packages, [](const LockedPackage &each) {
                          return each.builtFrom.has_value();
                      });
    QList<Text> doubts = fetched->doubts;
    if (const QStringList scripts = fetched->lock.scripts(); !scripts.isEmpty())
        doubts.append(wordsAboutScriptsToRun(scripts));
    if (!fetched->scripted.isEmpty())
        doubts.append(wordsAboutScripts(fetched->scripted));
    const bool areAllNew = fetched->newNames.size() == fetched->lock.packages.size();
    if (!wereBuiltBefore
        && !talk.ask({.summary = fetched->lock.summary(),
                      .source = fetched->source,
                      .bytes = fetched->lock.bytes(),
                      .newNames = areAllNew ? QStringList() : fetched->newNames,
                      .doubts = doubts,
                      .scripted = fetched->scripted}))
        return cancelled(order);
    runScriptsOf(*fetched, talk.scripts());
    talk.tell(Stage::Installing);
    return packages.install(*fetched, wish, follow, {}, [&talk] { return talk.isCancelled(); });
}

template<typename Talk>
static Result<GotPackages> get(Engine &engine, const PackageOrder &order, Talk &talk, QString &lacking)
{
    PackageWish wish = order.wish;
    wish.caller = engine.caller();
    RETURN_IF_ERROR(addNamedInCode(wish, order.code));
    GotPackages got;
    QString before;
    if (!order.session.isEmpty()) {
        ASSIGN_OR_RETURN(const Session session, engine.sessions().find(order.session));
        // Who is told at the end only has waited for nothing.
        if (order.keeps && engine.sessions().isBusy(session.id))
            return fail(ErrorCode::Busy,
                        Text(QT_TRANSLATE_NOOP("engine", "The session %1 is in use, so its packages can't be changed "
                                                         "now. Try again when nothing runs in it."),
                             {sessionName(session)}));
        if (const SessionPackages *const has = session.packagesOf(wish.language)) {
            before = has->id;
            ASSIGN_OR_RETURN(wish, wishOf(order, *has, std::move(wish)));
        } else if (!order.without.isEmpty()) {
            return fail(ErrorCode::NotFound, Text(QT_TRANSLATE_NOOP("engine", "The session %1 no longer has packages."),
                                                  {sessionName(session)}));
        }
    }
    wish.sources = order.wish.sources;
    got.installed.lock.language = wish.language;
    if (order.without.isEmpty() || !wish.requirements.isEmpty()) {
        ASSIGN_OR_RETURN(const auto found, engine.packages().find(wish));
        if (found) {
            got.installed = *found;
        } else if (!order.fetches) {
            got.areHere = false;
            return got;
        } else {
            ASSIGN_OR_RETURN(got.installed,
                             fetchAndInstall(engine.packages(), order, wish, talk, lacking, got.wereBuiltBefore));
        }
    }
    if (talk.isCancelled())
        return cancelled(order);
    if (order.keeps) {
        const SessionPackages packages =
            got.installed.id.isEmpty() ? SessionPackages{.language = wish.language} : ofSession(got.installed);
        ASSIGN_OR_RETURN(got.session,
                         engine.changeSession(order.session, SetPackages{packages, before}, engine.caller()));
    }
    return got;
}

PackageGetting::PackageGetting(WorkbenchContext &context, QObject *parent)
    : QObject(parent)
    , m_context(context)
{
    // So it ends while the engine can still take away what it left.
    connect(&context, &WorkbenchContext::engineChanged, this, [this] {
        if (!m_context.engine())
            cancel();
    });
}

PackageGetting::~PackageGetting()
{
    cancel();
}

bool PackageGetting::begin(const PackageOrder &order)
{
    if (isBusy() || !m_context.engine())
        return false;
    m_order = order;
    m_host.clear();
    m_sources = {};
    m_lacking.clear();
    m_talk = std::make_shared<Talk>(this);
    inBackground(
        m_context.lastingWork(), this,
        [engine = m_context.engine(), order, talk = m_talk] {
            QString lacking;
            auto got = get(*engine, order, *talk, lacking);
            return std::pair(std::move(got), lacking);
        },
        [this](const std::pair<Result<GotPackages>, QString> &end) {
            const Result<GotPackages> got = end.first;
            m_lacking = got || got.error().code == ErrorCode::Cancelled ? QString() : end.second;
            m_talk.reset();
            take(Stage::Idle);
            Q_EMIT ended(got);
        });
    take(Stage::Looking);
    return true;
}

void PackageGetting::answer(bool agrees, const QStringList &scripts)
{
    if (!isAsking())
        return;
    take(!agrees ? Stage::Cancelling : m_stage == Stage::Asking ? Stage::Installing : Stage::Building);
    m_talk->answer(agrees, scripts);
}

bool PackageGetting::beginWithSource()
{
    PackageOrder order = m_order;
    order.wish.sources.append(m_lacking);
    return !m_lacking.isEmpty() && begin(order);
}

void PackageGetting::cancel()
{
    if (!m_talk)
        return;
    m_talk->cancel();
    take(Stage::Cancelling);
}

QString PackageGetting::names() const
{
    QStringList names = m_order.without;
    for (const Requirement &requirement : m_order.wish.requirements)
        names.append(requirement.text);
    return names.join(tr(", ", "between packages"));
}

void PackageGetting::take(Stage stage)
{
    if (m_stage == stage)
        return;
    m_stage = stage;
    Q_EMIT stageChanged();
}

QString onlySourceWords(const QString &name, const QString &host)
{
    return PackageGetting::tr("%1 has %2 only as source code. Glovebox installs wheels, as building one runs its code.",
                              "host, package")
        .arg(host, name);
}

} // namespace glovebox
