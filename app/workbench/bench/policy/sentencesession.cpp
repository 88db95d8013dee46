// SPDX-License-Identifier: Apache-2.0
// The session of the sentence, and the interpreter that may stay in it.
#include "policysentence.h"

#include "start/interpretereditor.h"

#include "app/workbench/shell/look.h"
#include "app/workbench/shell/words/words.h"

#include <QToolButton>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

const Profile *profileIn(const QList<Profile> &profiles, const QString &name)
{
    const auto found = std::ranges::find(profiles, name, &Profile::name);
    return found == profiles.end() ? nullptr : &*found;
}

} // namespace

void PolicySentence::setSession(const SessionChoice &session)
{
    m_sessionChoice = session;
    showSession();
    showHosts();
    showSecrets(); // a secret may be for some hosts only
    showInterpreter();
}

void PolicySentence::setSessions(const QList<SessionChoice> &sessions)
{
    m_sessions = sessions;
    if (m_sessionEditor)
        m_sessionEditor->setSessions(withProfiles(sessions));
}

// The command line gives runs in a session its profile. Here the sentence says what a run may use, and a session alone loosens nothing.
QList<SessionChoice> PolicySentence::withProfiles(QList<SessionChoice> sessions) const
{
    const auto profiles = m_profiles ? m_profiles() : QList<Profile>();
    Policy own = m_policy; // without what the settings make strict
    own.strict = m_isStrictHere;
    for (SessionChoice &session : sessions) {
        if (session.profile.isEmpty())
            continue;
        const Profile *const profile = profiles ? profileIn(*profiles, session.profile) : nullptr;
        const auto policy = profile ? policyWith(*profile) : Result<Policy>(own);
        if (policy && *policy != own)
            continue;
        const QString state = !profile  ? tr("its profile %1 is gone")
                              : !policy ? tr("its profile %1 can't be used")
                                        : tr("its profile %1 is applied");
        session.remark += u" · "_s + state.arg(session.profile);
        session.profile.clear();
    }
    return sessions;
}

Policy PolicySentence::policyInSession() const
{
    Policy policy = m_policy;
    if (keepsInterpreter())
        return policy; // which reaches nothing
    for (const QString &host : m_sessionChoice.allow) {
        if (!policy.allow.contains(host))
            policy.allow.append(host);
    }
    return policy;
}

void PolicySentence::showSession()
{
    const SessionChoice &session = m_sessionChoice;
    QString text = tr("no session", "what a run may use");
    QString tip = tr("The run begins with an empty /work, and nothing of it is kept");
    if (session.isGone) {
        text = u"▲ "_s + tr("session %1 (deleted)").arg(session.name);
        tip = tr("The session %1 was deleted, so the run would not start. Choose another one, or none.")
                  .arg(session.name);
    } else if (!session.id.isEmpty()) {
        text = tr("session %1").arg(session.name);
        tip = tr("The files of the session %1 are in /work, and the run's changes to them are kept").arg(session.name);
        if (session.diskBytes > 0)
            tip = tr("%1. The disk of the run is the session's: %2").arg(tip, sizeWord(session.diskBytes));
    }
    m_session->setText(text);
    setTextColour(m_session, session.isGone ? Colour::Warn : Colour::Text);
    setNames(m_session, m_session->objectName(), tip, tip);
}

void PolicySentence::openSession()
{
    auto *editor = new SessionEditor(m_theme, anchorOf(m_session), withProfiles(m_sessions), m_sessionChoice.id);
    m_sessionEditor = editor;
    connect(editor, &SessionEditor::chosen, this, [this](const SessionChoice &session) {
        setSession(session.id.isEmpty() ? SessionChoice() : session);
        Q_EMIT sessionChosen();
    });
    connect(editor, &SessionEditor::chosenWithProfile, this, [this](const SessionChoice &session) {
        const auto profiles = m_profiles ? m_profiles() : QList<Profile>();
        const Profile *const profile = profiles ? profileIn(*profiles, session.profile) : nullptr;
        if (!profile || !policyWith(*profile)) { // removed, or changed, since it was shown
            Q_EMIT sessionsNeeded();
            return;
        }
        setSession(session);
        takeProfile(*profile);
        Q_EMIT sessionChosen();
    });
    connect(editor, &SessionEditor::newWanted, this, &PolicySentence::newSessionWanted);
    connect(editor, &SessionEditor::pageWanted, this, &PolicySentence::sessionsPageWanted);
    Q_EMIT sessionsNeeded();
}

// --- the interpreter

bool PolicySentence::canKeepInterpreter() const
{
    const auto language = Languages::byId(m_languageId);
    return !m_sessionChoice.id.isEmpty() && !m_sessionChoice.isGone && language && (*language)->cellRecipe({}, {});
}

void PolicySentence::setKeepsInterpreter(bool keeps)
{
    m_wantsInterpreter = keeps;
    showHosts();
    showSecrets();
    showInterpreter();
}

void PolicySentence::setInterpreterWaits(bool waits)
{
    if (std::exchange(m_interpreterWaits, waits) != waits)
        showInterpreter();
}

// Of what a run may be given, an interpreter that stays gets tools alone.
QString PolicySentence::whyNotKept() const
{
    QStringList given;
    if (!m_policy.allow.isEmpty())
        given << tr("hosts");
    if (!m_secrets.empty())
        given << tr("secrets");
    if (!m_policy.folders.isEmpty())
        given << tr("folders");
    if (!m_start.arguments.isEmpty())
        given << tr("arguments");
    if (!m_start.variables.isEmpty())
        given << tr("variables of the environment");
    if (m_hasTerminal)
        given << tr("a terminal");
    return given.isEmpty()
               ? QString()
               : tr("The run would not start, because an interpreter that stays can't be given %1. Take that "
                    "back, or choose a new interpreter for each run.")
                     .arg(given.join(tr(", ")));
}

void PolicySentence::showInterpreter()
{
    const QString why = keepsInterpreter() ? whyNotKept() : QString();
    QString text = tr("a new interpreter", "what a run may use");
    QString tip = tr("Each run starts a new interpreter, and nothing but files is kept");
    if (keepsInterpreter()) {
        text = m_interpreterWaits ? tr("kept variables", "what a run may use")
                                  : tr("an interpreter that stays", "what a run may use");
        tip = m_interpreterWaits ? tr("%1 keeps its variables", "a language").arg(m_language->text())
                                 : tr("The run starts an interpreter that stays, and later runs see its variables");
    }
    if (!why.isEmpty()) {
        text = u"▲ "_s + tr("%1 (refused)", "an interpreter that stays").arg(text);
        tip += u'\n' + why;
    }
    m_kept->setText(text);
    setTextColour(m_kept, !why.isEmpty()                             ? Colour::Warn
                          : keepsInterpreter() && m_interpreterWaits ? Colour::Accent
                                                                     : Colour::Text);
    setNames(m_kept, m_kept->objectName(), tip, tip);
    showWords();
}

void PolicySentence::openInterpreter()
{
    if (!canKeepInterpreter())
        return openSession();
    auto *editor = new InterpreterEditor(m_theme, anchorOf(m_kept),
                                         {.language = m_language->text(),
                                          .keeps = m_wantsInterpreter,
                                          .waits = m_interpreterWaits,
                                          .obstacle = whyNotKept()});
    connect(editor, &InterpreterEditor::chosen, this, [this](bool keeps) {
        setKeepsInterpreter(keeps);
        Q_EMIT interpreterChosen();
    });
    connect(editor, &InterpreterEditor::cleanWanted, this, &PolicySentence::cleanInterpreterWanted);
}

} // namespace glovebox
