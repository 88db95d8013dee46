// SPDX-License-Identifier: Apache-2.0
#include "missingpackages.h"

#include "app/workbench/editor/file/hiddentext.h"
#include "app/workbench/runpanel/output/outputview.h"
#include "app/workbench/shell/words/sessionwords.h"

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// By a block in its code; nothing where such code runs as it is.
std::optional<InlineMetadata> namedBy(const RunRequest &request)
{
    const auto language = Languages::byId(request.language);
    if (!language || !(*language)->namesPackagesInCode() || request.isStateful || !request.packages.isEmpty())
        return std::nullopt;
    const auto named = readInlineMetadata(request.code).value_or(std::nullopt);
    return named && !named->requirements.isEmpty() ? named : std::nullopt;
}

} // namespace

MissingPackages::MissingPackages(WorkbenchContext &context, RunPanel &runs, SessionsReader &sessions,
                                 std::function<QString()> folder, QObject *parent)
    : QObject(parent)
    , m_context(context)
    , m_runs(runs)
    , m_sessions(sessions)
    , m_folder(std::move(folder))
    , m_getting(context)
    , m_line(new MissingLine(context.theme(), m_getting, &runs))
{
    runs.addBelow(m_line);
    connect(&runs, &RunPanel::runsChanged, this, &MissingPackages::takeRun);
    connect(m_line, &MissingLine::lendWanted, this, &MissingPackages::lend);
    connect(m_line, &MissingLine::installWanted, this, &MissingPackages::install);
    connect(m_line, &MissingLine::sessionChosen, this, &MissingPackages::installInto);
    connect(m_line, &MissingLine::buildWanted, this, [this] { m_getting.beginWithSource(); });
    connect(m_line, &MissingLine::runWithoutWanted, this, [this] {
        m_goesWithout = m_held;
        runHeld();
    });
    connect(m_line, &MissingLine::dismissed, this, [this] {
        m_dismissed = m_run;
        m_held.reset();
        m_line->hideOffer();
        m_runs.output()->setFocus();
    });
    connect(m_line, &MissingLine::focusLeaves, m_runs.output(), qOverload<>(&QWidget::setFocus));
    connect(&m_getting, &PackageGetting::ended, this, &MissingPackages::end);
}

QString MissingPackages::closingEnds() const
{
    return m_getting.isBusy() ? tr("Packages are being installed (%1); closing cancels that.").arg(m_getting.names())
                              : QString();
}

bool MissingPackages::holdsBack(const RunRequest &request, const RunTitle &title)
{
    const auto named = namedBy(request);
    if (named && m_getting.isBusy() && named == m_held) { // Run was pressed once more
        m_request = request;
        m_title = title;
        return true;
    }
    forgetHeld();
    if (!named || m_getting.isBusy() || named == m_goesWithout)
        return false;
    m_request = request;
    m_title = title;
    m_held = named;
    m_run = nullptr;
    m_line->hideOffer();
    PackageOrder order = orderFor(*named);
    order.fetches = false;
    m_isForHeld = true;
    return m_getting.begin(order);
}

void MissingPackages::forgetHeld()
{
    if (!m_held)
        return;
    m_held.reset();
    if (m_getting.isBusy())
        m_getting.cancel();
    m_line->hideOffer();
}

PackageOrder MissingPackages::orderFor(const InlineMetadata &named) const
{
    PackageOrder order{.wish = {.language = m_request.language, .requirements = named.requirements},
                       .session = m_request.session};
    order.wish.interpreter = m_request.interpreter;
    order.code = m_request.code;
    return order;
}

void MissingPackages::runHeld()
{
    m_held.reset();
    m_line->hideOffer();
    if (m_line->isAncestorOf(m_line->window()->focusWidget()))
        m_runs.output()->setFocus();
    Q_EMIT runWanted(m_request, m_title);
}

void MissingPackages::takeRun()
{
    if (m_held) // the line is about what runs next
        return;
    ShownRun *run = m_runs.current();
    if (run == m_lookedAt && run && run->isDone())
        return;
    m_lookedAt = run && run->isDone() ? run : nullptr;
    m_run = nullptr;
    m_line->hideOffer();
    if (!m_lookedAt || run == m_dismissed)
        return;
    const CodeOfRun code{
        .language = run->request().language, .hasTerminal = run->request().terminal.has_value(), .folder = m_folder()};
    inBackground(
        m_context.reading(), run, [result = run->result(), code] { return missingModule(*result, code); },
        [this, self = QPointer(this), run](const std::optional<MissingModule> &missing) {
            if (self && missing && m_runs.current() == run)
                take(run, *missing);
        });
}

void MissingPackages::take(ShownRun *run, const MissingModule &missing)
{
    m_run = run;
    m_missing = missing;
    const RunRequest &request = run->request();
    m_line->show({.missing = missing, .canLend = !request.isStateful, .session = run->title().session});
}

void MissingPackages::lend()
{
    if (m_held) {
        m_isForHeld = true;
        m_getting.begin(orderFor(*m_held));
        return;
    }
    const auto requirement = m_run ? readRequirement(m_missing.package, m_missing.language) : std::unexpected(Error());
    if (!requirement)
        return;
    m_request = m_run->request();
    m_title = m_run->title();
    QList<Requirement> all = m_lent.value(m_request.packages);
    all.append(*requirement);
    PackageOrder order{.wish = {.language = m_missing.language, .requirements = all}, .session = m_request.session};
    order.wish.interpreter = m_request.interpreter;
    order.code = m_request.code;
    m_isForHeld = false;
    m_getting.begin(order);
}

void MissingPackages::install()
{
    if (!m_run)
        return;
    if (!m_run->request().session.isEmpty())
        return installInto(m_run->request().session);
    QList<std::pair<QString, QString>> choices;
    for (const OfferedSession &offered : m_sessions.sessions())
        choices.append({offered.session.id, withHiddenShown(sessionName(offered.session))});
    m_line->chooseSession(choices);
}

void MissingPackages::installInto(const QString &session)
{
    if (!m_run)
        return;
    const auto requirement = readRequirement(m_missing.package, m_missing.language);
    if (session.isEmpty() || !requirement)
        return m_context.navigateTo(u"sessions"_s, {{u"session"_s, session},
                                                    {u"add"_s, session.isEmpty()},
                                                    {u"install"_s, m_missing.package},
                                                    {u"language"_s, m_missing.language}});
    m_request = m_run->request();
    m_title = m_run->title();
    PackageOrder order{
        .wish = {.language = m_missing.language, .requirements = {*requirement}}, .session = session, .keeps = true};
    order.wish.interpreter =
        m_request.packages.isEmpty() ? m_request.interpreter : QString(); // a lent one isn't chosen
    m_isForHeld = false;
    m_getting.begin(order);
}

void MissingPackages::end(const Result<GotPackages> &got)
{
    const bool hadFocus = m_line->isAncestorOf(m_line->window()->focusWidget());
    const PackageOrder &order = m_getting.order();
    if (m_isForHeld && !m_held) // nobody waits for the packages any more
        return m_line->hideOffer();
    if (!got && m_held && !order.fetches && got.error().code == ErrorCode::NotFound)
        return runHeld(); // its session is gone, which the run's end says
    const bool isAsked = m_held && !order.fetches && (!got || !got->areHere); // and so the person decides
    if (isAsked)
        m_line->show({.missing = {.language = m_request.language, .module = {}, .package = {}, .doubts = {}},
                      .named = m_held->requirements});
    if (got && isAsked)
        return;
    if (!got) {
        if (got.error().code != ErrorCode::Cancelled)
            m_line->say(withHiddenShown(m_getting.lacking().isEmpty()
                                            ? translated(got.error().message)
                                            : onlySourceWords(m_getting.lacking(), m_getting.host())));
        return;
    }
    if (hadFocus) // the line goes
        m_runs.output()->setFocus();
    if (m_held) {
        m_request.packages = got->installed.id;
        m_request.interpreter = got->installed.interpreter;
        m_lent.insert(got->installed.id, order.wish.requirements);
        return runHeld();
    }
    m_title.number = 0;
    if (order.keeps && m_request.session != order.session) {
        m_sessions.read();
        Q_EMIT runInSessionWanted(order.session);
        return;
    }
    if (order.keeps) {
        m_request.packages.clear();
    } else {
        m_lent.insert(got->installed.id, order.wish.requirements);
        m_request.packages = got->installed.id;
    }
    m_request.interpreter = got->installed.interpreter;
    Q_EMIT runWanted(m_request, m_title);
}

} // namespace glovebox
