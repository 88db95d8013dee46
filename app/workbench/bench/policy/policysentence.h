// SPDX-License-Identifier: Apache-2.0
// The rights of a run, and its start (arguments, variables, input), as one sentence; each underlined word opens its editor right there.
#pragma once

#include "editors/foldercheck.h"
#include "editors/languageeditor.h"
#include "editors/sessioneditor.h"
#include "limits/limitsheet.h"
#include "start/starteditor.h"
#include "tools/tooleditor.h"
#include "vaultview.h"

#include "app/workbench/shell/theme.h"
#include "app/workbench/shell/words/limitwords.h"

#include <QHash>
#include <QPointer>
#include <QWidget>

class QLabel;
class QToolButton;

namespace glovebox {

class SecretEditor;

class PolicySentence : public QWidget
{
    Q_OBJECT
public:
    PolicySentence(Theme &theme, QWidget *parent = nullptr);

    // defaults: what is weaker than these is marked.
    void setPolicy(const Policy &policy, const Policy &defaults);
    const Policy &policy() const { return m_policy; }
    const Policy &defaults() const { return m_defaults; }
    bool isStrictHere() const { return m_isStrictHere; } // by a profile, and not by the defaults alone
    void setStrictHere(bool is) { m_isStrictHere = is; } // as it was; setPolicy() brings the policy to it
    // id and shown: what the code will run as; chosen: empty when that was found out from the code; interpreter: its path,
    // empty: the usual one.
    void setLanguage(const QString &id, const QString &shown, const QString &chosen, const QString &interpreter);
    void setLanguages(const QList<LanguageChoice> &languages) { m_languages = languages; }
    void setTerminal(bool terminal);
    void setFolderCheck(FolderCheck check) { m_folderCheck = std::move(check); }
    bool hasTerminal() const { return m_hasTerminal; }
    void setStart(const StartChoice &start); // what makes no sense counts as not set
    const StartChoice &start() const { return m_start; }
    void setSecrets(const std::vector<SecretGrant> &secrets);
    const std::vector<SecretGrant> &secrets() const { return m_secrets; }
    // What speaks against a secret is said as soon as it is known.
    void setVault(const VaultView &vault);

    // The person's MCP servers. The word for their tools is there as soon as one of them has any.
    void setServers(const Result<QList<ToolServer>> &servers);

    void setSession(const SessionChoice &session); // without an id: none
    const SessionChoice &session() const { return m_sessionChoice; }
    void setSessions(const QList<SessionChoice> &sessions); // to choose from
    // The hosts of the policy, and those of the session; an interpreter that stays reaches none of the session's.
    Policy policyInSession() const;
    // Whether the session's interpreter stays, so that a run sees the variables of earlier ones (sentencesession.cpp).
    void setKeepsInterpreter(bool keeps); // where it can; else it is remembered
    bool wantsInterpreter() const { return m_wantsInterpreter; }
    bool keepsInterpreter() const { return m_wantsInterpreter && canKeepInterpreter(); }
    bool canKeepInterpreter() const; // a session is chosen, and a language that has such an interpreter
    void setInterpreterWaits(bool waits); // it lives
    bool interpreterWaits() const { return m_interpreterWaits; }

    void openLimit(LimitKind kind);
    void openLimits();
    void setProfiles(std::function<Result<QList<Profile>>()> read)
    {
        m_profiles = std::move(read);
    } // when they are shown
    void openLanguage();
    void openTerminal();
    void openStart(StartPart part);
    void openHosts();
    void openTools();
    void openSecrets();
    void openSession();
    void openInterpreter();
    void openFolders();
    void allow(const QString &host); // one more; a rule in its canonical text
    QString sentence() const; // as it can be read out
    bool isUnfolded() const { return m_isUnfolded; } // the person wants to see all of it

Q_SIGNALS:
    void policyChanged(const glovebox::Policy &policy);
    void languageChosen(const QString &id, const QString &interpreter);
    void terminalChanged(bool terminal); // by the person
    void startChanged(); // by the person
    void secretsChanged(); // by the person
    void profileKept(const QString &name, const glovebox::Limits &limits);
    void profileRemoved(const QString &name);
    void sessionChosen(); // by the person
    void interpreterChosen(); // by the person
    void cleanInterpreterWanted();
    void sessionsNeeded(); // somebody looks: setSessions() is welcome
    void newSessionWanted();
    void sessionsPageWanted();
    void vaultNeeded(); // somebody looks: setVault() is welcome
    void serversNeeded(); // somebody looks: setServers() is welcome
    void agentsPageWanted();
    void vaultPageWanted(bool add);

protected:
    bool event(QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    struct Word
    {
        QToolButton *button;
        QLabel *behind; // a comma
    };

    void showPolicy();
    void showHosts();
    void showSecrets();
    void showTools(); // tools/sentencetools.cpp
    bool showsTools() const;
    void showSession();
    QList<SessionChoice> withProfiles(QList<SessionChoice> sessions) const; // what the tab has of theirs
    Result<Policy> policyWith(const Profile &profile) const; // InvalidInput
    void takeProfile(const Profile &profile);
    void showInterpreter();
    QString whyNotKept() const; // empty: nothing speaks against it
    SecretBorrower borrower() const { return {Caller::Kind::Workbench, m_languageId, policyInSession().allow}; }
    bool shows(LimitKind kind) const;
    bool isStricter() const { return m_policy.strict && !m_defaults.strict; }
    bool shows(const QToolButton *word) const;
    // One line: what doesn't fit is folded from the end, but not everything (sentencefolding.cpp).
    void showWords();
    QList<Word> shownWords() const; // the folded ones, too
    bool isNeverFolded(const Word &word) const;
    QString between(const Word &before, const Word &word) const;
    QString inDirection(const QString &text) const;
    int lineWidth(const QList<Word> &words, qsizetype folded) const;
    void lay(const QList<Word> &words, bool canFold);
    void toggleFolded();
    QToolButton *anchorOf(QToolButton *word) const; // where its editor opens
    void editLimit(LimitKind kind, QWidget *anchor);
    QString terminalPhrase() const;

    Theme &m_theme;
    Policy m_policy;
    Policy m_defaults;
    bool m_isStrictHere = false;
    QString m_languageId;
    QString m_chosen;
    QString m_interpreter;
    QList<LanguageChoice> m_languages;
    bool m_hasTerminal = false;
    QToolButton *m_language;
    QToolButton *m_usual;
    QToolButton *m_terminal;
    QToolButton *m_arguments;
    QToolButton *m_variables;
    QToolButton *m_input;
    QToolButton *m_hosts;
    QToolButton *m_tools;
    QToolButton *m_lent;
    QToolButton *m_session;
    QToolButton *m_kept;
    QToolButton *m_folders;
    FolderCheck m_folderCheck;
    std::vector<SecretGrant> m_secrets;
    VaultView m_vault;
    QPointer<SecretEditor> m_secretEditor;
    ListedServers m_servers;
    QPointer<ToolEditor> m_toolEditor;
    SessionChoice m_sessionChoice;
    QList<SessionChoice> m_sessions;
    QPointer<SessionEditor> m_sessionEditor;
    bool m_wantsInterpreter = false;
    bool m_interpreterWaits = false;
    QHash<LimitKind, QToolButton *> m_limits;
    QList<Word> m_words; // what it may use, as it is read
    QList<QLabel *> m_texts; // around them
    QToolButton *m_more; // "and 2 more"
    QList<QToolButton *> m_folded;
    bool m_isUnfolded = false; // by the person, where something would be folded
    std::function<Result<QList<Profile>>()> m_profiles;
    StartChoice m_start;
};

} // namespace glovebox
