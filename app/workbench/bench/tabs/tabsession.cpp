// SPDX-License-Identifier: Apache-2.0
// The session that the runs of a tab are in.
#include "app/workbench/bench/benchtab.h"

#include "app/workbench/bench/missing/missingpackages.h"
#include "app/workbench/editor/file/noticebar.h"
#include "app/workbench/shell/words/sessionwords.h"

#include <QFileInfo>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

void BenchTab::followSessions()
{
    for (const auto changed : {&PolicySentence::sessionChosen, &PolicySentence::interpreterChosen}) {
        connect(m_sentence, changed, this, &BenchTab::stashNeeded);
        connect(m_sentence, changed, this, &BenchTab::takeInterpreter);
        connect(m_sentence, changed, this, &BenchTab::changed); // there may be other actions
    }
    connect(m_sentence, &PolicySentence::cleanInterpreterWanted, this, &BenchTab::endInterpreter);
    connect(m_sentence, &PolicySentence::sessionsNeeded, &m_sessions, &SessionsReader::read);
    connect(m_sentence, &PolicySentence::newSessionWanted, this,
            [this] { m_context.navigateTo(u"sessions"_s, {{u"add"_s, true}}); });
    connect(m_sentence, &PolicySentence::sessionsPageWanted, this,
            [this] { m_context.navigateTo(u"sessions"_s, {{u"session"_s, m_sentence->session().id}}); });
    connect(m_runs, &RunPanel::sessionWanted, this, &BenchTab::showSession);
    connect(&m_sessions, &SessionsReader::changed, this, &BenchTab::takeSessions);
    takeSessions();
}

// What is chosen follows what becomes of it.
void BenchTab::takeSessions()
{
    if (!m_sessions.isKnown())
        return;
    SessionChoice chosen = m_sentence->session();
    chosen.isGone = !chosen.id.isEmpty();
    QList<SessionChoice> choices;
    for (const OfferedSession &offered : m_sessions.sessions()) {
        const Session &session = offered.session;
        choices.append({.id = session.id,
                        .name = sessionName(session),
                        .allow = session.allow,
                        .diskBytes = session.diskBytes,
                        .remark = contentPhrase(session),
                        .profile = session.profile,
                        .isBusy = offered.isBusy});
        if (session.id == chosen.id)
            chosen = choices.last();
    }
    m_sentence->setSessions(choices);
    if (chosen != m_sentence->session())
        m_sentence->setSession(chosen);
    takeInterpreter();
}

// The engine would know it by its id alone, and name a command.
bool BenchTab::tellSessionGone(bool selectionOnly, Beside beside, const QStringList &alsoAllowed)
{
    const SessionChoice &session = m_sentence->session();
    if (!session.isGone)
        return false;
    m_editor->notice().show(
        Tone::Warn,
        tr("The session %1 was deleted, so nothing ran. Choose another one, or run without.").arg(session.name),
        {{tr("Choose a session"), [this] { m_sentence->openSession(); }},
         {tr("Run without a session"), [this, selectionOnly, beside, alsoAllowed] {
              chooseSession({});
              run(selectionOnly, beside, alsoAllowed);
          }}});
    return true;
}

// Lives on while it runs code of this tab.
void BenchTab::takeInterpreter()
{
    const QString session = m_sentence->session().id;
    const auto runsThere = [&](const ShownRun *run) {
        const bool isKnown =
            run->state() == RunState::Running || m_sentence->interpreterWaits(); // not before it starts
        return !run->isDone() && isKnown && run->request().isStateful && run->request().session == session
               && run->request().language == language();
    };
    const Engine *engine = m_context.engine();
    const bool waits = engine && m_sentence->keepsInterpreter()
                       && (std::ranges::any_of(m_runs->runs(), runsThere)
                           || engine->waitingInterpreters(session).contains(language()));
    if (waits == m_sentence->interpreterWaits())
        return;
    m_sentence->setInterpreterWaits(waits);
    Q_EMIT changed(); // there is another action
}

void BenchTab::keepInterpreter(bool keeps)
{
    m_sentence->setKeepsInterpreter(keeps);
    takeInterpreter();
    Q_EMIT stashNeeded();
    Q_EMIT changed();
}

bool BenchTab::canEndInterpreter() const
{
    const ShownRun *run = m_runs->current();
    const bool isUsed = run && !run->isDone() && run->request().isStateful;
    return !isUsed && m_context.engine() && m_sentence->keepsInterpreter() && m_sentence->interpreterWaits();
}

void BenchTab::endInterpreter()
{
    if (!canEndInterpreter())
        return;
    m_context.withEngine(
        this,
        [session = m_sentence->session().id, language = language()](Engine &engine) {
            engine.endInterpreter(session, language);
            return true;
        },
        [this](bool) { takeInterpreter(); });
}

void BenchTab::chooseSession(const QString &id)
{
    const OfferedSession *known = m_sessions.find(id);
    m_sentence->setSession(
        id.isEmpty() ? SessionChoice()
                     : SessionChoice{.id = id, .name = known ? sessionName(known->session) : sessionName(id, {})});
    if (known)
        takeSessions();
    m_sessions.read();
    Q_EMIT stashNeeded();
}

// The very code that missed one runs again, or the tab goes on in the session that has the package.
void BenchTab::followMissingModules()
{
    m_missing = new MissingPackages(
        m_context, *m_runs, m_sessions,
        [this] { return m_editor->path().isEmpty() ? QString() : QFileInfo(m_editor->path()).path(); }, this);
    connect(m_missing, &MissingPackages::runWanted, this, [this](const RunRequest &request, RunTitle title) {
        if (!m_context.engine())
            return;
        if (title.number == 0)
            title.number = ++m_runNumber;
        start(request, title);
    });
    // A run that waits has what the tab said when Run was pressed.
    const auto forget = [this] { m_missing->forgetHeld(); };
    connect(m_editor, &EditorPane::textChanged, m_missing, forget);
    connect(m_sentence, &PolicySentence::policyChanged, m_missing, forget);
    connect(m_sentence, &PolicySentence::languageChosen, m_missing, forget);
    for (const auto changed : {&PolicySentence::secretsChanged, &PolicySentence::startChanged,
                               &PolicySentence::sessionChosen, &PolicySentence::interpreterChosen})
        connect(m_sentence, changed, m_missing, forget);
    connect(m_sentence, &PolicySentence::terminalChanged, m_missing, forget);
    connect(m_missing, &MissingPackages::runInSessionWanted, this, [this](const QString &id) {
        chooseSession(id);
        run(false, Beside::Yes);
    });
}

QStringList BenchTab::closingEnds() const
{
    QStringList ends = m_runs->closingEnds();
    if (const QString sentence = m_missing->closingEnds(); !sentence.isEmpty())
        ends.append(sentence);
    return ends;
}

// run: that the person may want to undo; empty: none.
void BenchTab::showSession(const QString &id, const QString &run)
{
    QJsonObject request{{u"session"_s, id}};
    if (!run.isEmpty())
        request.insert(u"undo"_s, run);
    m_context.navigateTo(u"sessions"_s, request);
}

} // namespace glovebox
