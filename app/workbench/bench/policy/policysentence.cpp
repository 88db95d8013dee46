// SPDX-License-Identifier: Apache-2.0
#include "policysentence.h"

#include "editors/foldereditor.h"
#include "editors/hosteditor.h"
#include "editors/secreteditor.h"
#include "editors/terminaleditor.h"
#include "flowlayout.h"
#include "limits/limiteditor.h"

#include "app/workbench/shell/look.h"
#include "app/workbench/shell/words/words.h"

#include <QApplication>
#include <QRegularExpression>
#include <QTimer>
#include <QToolButton>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

struct Piece
{
    int number = 0; // of a word; 0: text between words
    QString text; // behind a word, and never torn from it: a comma
};

// Translators order the two; what is between them stays text.
QList<Piece> sentencePieces()
{
    const QString pattern = PolicySentence::tr("%1 may use %2", "language, what a run of it may use");
    static const QRegularExpression piece(u"%([0-9]+)([^%\\s]*)|([^%]+)"_s);
    QList<Piece> pieces;
    for (QRegularExpressionMatchIterator it = piece.globalMatch(pattern); it.hasNext();) {
        const QRegularExpressionMatch match = it.next();
        const int number = match.captured(1).toInt();
        pieces.append({number, match.captured(number > 0 ? 2 : 3)});
    }
    return pieces;
}

} // namespace

PolicySentence::PolicySentence(Theme &theme, QWidget *parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_language(new QToolButton(this))
    , m_usual(new QToolButton(this))
    , m_terminal(new QToolButton(this))
    , m_arguments(new QToolButton(this))
    , m_variables(new QToolButton(this))
    , m_input(new QToolButton(this))
    , m_hosts(new QToolButton(this))
    , m_tools(new QToolButton(this))
    , m_lent(new QToolButton(this))
    , m_session(new QToolButton(this))
    , m_kept(new QToolButton(this))
    , m_folders(new QToolButton(this))
    , m_more(new QToolButton(this))
{
    setObjectName(u"bench.policy"_s);
    auto *layout = new FlowLayout(this);
    const auto makeWord = [](QToolButton *button, const QString &name) {
        setLook(button, ButtonLook::Word);
        button->setObjectName(u"bench.policy."_s + name);
    };
    makeWord(m_language, u"language"_s);
    for (const LimitKind kind : limitWords) {
        auto *button = new QToolButton(this);
        makeWord(button, toString(kind));
        connect(button, &QToolButton::clicked, this, [this, kind, button] { editLimit(kind, button); });
        m_limits.insert(kind, button);
    }
    makeWord(m_usual, u"limits"_s);
    makeWord(m_hosts, u"hosts"_s);
    makeWord(m_tools, u"tools"_s);
    makeWord(m_lent, u"secrets"_s);
    makeWord(m_session, u"session"_s);
    makeWord(m_kept, u"interpreter"_s);
    makeWord(m_folders, u"folders"_s);
    makeWord(m_terminal, u"terminal"_s);
    makeWord(m_arguments, u"arguments"_s);
    makeWord(m_variables, u"variables"_s);
    makeWord(m_input, u"input"_s);
    makeWord(m_more, u"more"_s);
    connect(m_more, &QToolButton::clicked, this, &PolicySentence::toggleFolded);
    connect(m_language, &QToolButton::clicked, this, &PolicySentence::openLanguage);
    connect(m_usual, &QToolButton::clicked, this, &PolicySentence::openLimits);
    connect(m_hosts, &QToolButton::clicked, this, &PolicySentence::openHosts);
    connect(m_tools, &QToolButton::clicked, this, &PolicySentence::openTools);
    connect(m_lent, &QToolButton::clicked, this, &PolicySentence::openSecrets);
    connect(m_session, &QToolButton::clicked, this, &PolicySentence::openSession);
    connect(m_kept, &QToolButton::clicked, this, &PolicySentence::openInterpreter);
    connect(m_folders, &QToolButton::clicked, this, &PolicySentence::openFolders);
    connect(m_terminal, &QToolButton::clicked, this, &PolicySentence::openTerminal);
    connect(m_arguments, &QToolButton::clicked, this, [this] { openStart(StartPart::Arguments); });
    connect(m_variables, &QToolButton::clicked, this, [this] { openStart(StartPart::Variables); });
    connect(m_input, &QToolButton::clicked, this, [this] { openStart(StartPart::Input); });

    const auto makeText = [this](const QString &text) {
        auto *label = makeLabel(text, this, FontRole::Base, Colour::Dim);
        label->setWordWrap(false);
        label->setTextInteractionFlags(Qt::NoTextInteraction);
        return label;
    };
    const auto addWord = [&](QToolButton *word) {
        auto *behind = makeText({});
        layout->addWidget(word);
        layout->addJoined(behind, 3); // the style leaves as much behind a word
        m_words.append({word, behind});
    };
    for (const Piece &piece : sentencePieces()) {
        if (piece.number == 1) {
            layout->addWidget(m_language);
        } else if (piece.number == 2) {
            for (const LimitKind kind : limitWords)
                addWord(m_limits.value(kind));
            for (QToolButton *word : {m_usual, m_hosts, m_tools, m_lent, m_session, m_kept, m_folders, m_arguments,
                                      m_variables, m_input, m_terminal})
                addWord(word);
            layout->addWidget(m_more);
        }
        if (piece.text.isEmpty())
            continue;
        m_texts.append(makeText(inDirection(piece.text)));
        if (piece.number > 0)
            layout->addJoined(m_texts.last(), 3);
        else
            layout->addWidget(m_texts.last());
    }
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    setSession({});
    showPolicy();
    setTerminal(false);
    setStart({});
}

void PolicySentence::setPolicy(const Policy &policy, const Policy &defaults)
{
    m_policy = policy;
    m_defaults = defaults;
    m_isStrictHere = policy.strict && (m_isStrictHere || !defaults.strict);
    showPolicy();
}

void PolicySentence::setLanguage(const QString &id, const QString &shown, const QString &chosen,
                                 const QString &interpreter)
{
    m_languageId = id;
    m_chosen = chosen;
    m_interpreter = interpreter;
    m_language->setText(shown);
    const QString how = !interpreter.isEmpty() ? tr("Language: %1, by %2").arg(shown, interpreter)
                        : chosen.isEmpty()     ? tr("Language: %1, as the code says").arg(shown)
                                               : tr("Language: %1").arg(shown);
    setNames(m_language, m_language->objectName(), how, how);
    showSecrets(); // a secret may be for some languages only
    showHosts(); // those of the session are for an interpreter that doesn't stay
    showTools(); // not every language can call one
}

void PolicySentence::setTerminal(bool terminal)
{
    m_hasTerminal = terminal;
    m_terminal->setText(terminalPhrase());
    const QString tip = terminal ? tr("The run has a terminal of its own") : tr("The run has no terminal");
    setNames(m_terminal, m_terminal->objectName(), tip, tip);
    showInterpreter();
}

QString PolicySentence::terminalPhrase() const
{
    return m_hasTerminal ? tr("a terminal", "what a run may use") : tr("no terminal", "what a run may use");
}

// Limits at their defaults share one word, or have none.
bool PolicySentence::shows(LimitKind kind) const
{
    return limitValue(m_policy.limits, kind) != limitValue(m_defaults.limits, kind);
}

bool PolicySentence::shows(const QToolButton *word) const
{
    if (word == m_terminal)
        return m_hasTerminal;
    if (word == m_kept)
        return canKeepInterpreter();
    if (word == m_tools)
        return showsTools();
    if (word == m_arguments)
        return !m_start.arguments.isEmpty();
    if (word == m_variables)
        return !m_start.variables.isEmpty();
    if (word == m_input)
        return !m_start.input.isEmpty();
    if (word == m_usual)
        return isStricter() || !std::ranges::all_of(limitWords, [this](LimitKind kind) { return shows(kind); });
    const auto it = std::ranges::find_if(limitWords, [&](LimitKind kind) { return m_limits.value(kind) == word; });
    return it == std::end(limitWords) || shows(*it);
}

void PolicySentence::showPolicy()
{
    for (const LimitKind kind : limitWords) {
        QToolButton *button = m_limits.value(kind);
        const qint64 value = limitValue(m_policy.limits, kind);
        const qint64 usual = limitValue(m_defaults.limits, kind);
        const bool weakened = isMoreThan(kind, value, usual);
        button->setText((weakened ? u"▲ "_s : QString()) + limitPhrase(kind, value));
        setTextColour(button, weakened ? Colour::Warn : Colour::Text);
        QString tip = u"%1: %2"_s.arg(limitTitle(kind), limitText(kind, value));
        if (weakened)
            tip = tr("%1, more than the default of %2").arg(tip, limitText(kind, usual));
        else if (value != usual)
            tip = tr("%1, less than the default of %2").arg(tip, limitText(kind, usual));
        setNames(button, button->objectName(), tip, tip);
    }
    const bool areUsual = !std::ranges::all_of(limitWords, [this](LimitKind kind) { return shows(kind); });
    m_usual->setText(!isStricter() ? tr("the usual limits")
                     : areUsual    ? tr("the usual limits (strict)")
                                   : tr("strict limits"));
    setNames(m_usual, m_usual->objectName(), isStricter() ? tr("The usual limits, strict") : tr("The usual limits"),
             isStricter() ? tr("The run doesn't start where a protection is missing. All other limits are at their "
                               "default.")
                          : tr("All other limits are at their default"));
    showHosts();
    const bool writable = areWritable(m_policy.folders);
    m_folders->setText((writable ? u"▲ "_s : QString()) + foldersPhrase(m_policy.folders));
    setTextColour(m_folders, writable ? Colour::Warn : Colour::Text);
    const QString tip = m_policy.folders.isEmpty() ? tr("No folder of this machine is shown to the run")
                        : writable ? tr("Folders of this machine that the run sees; it may change some of them")
                                   : tr("Folders of this machine that the run sees; the originals stay as they are");
    setNames(m_folders, m_folders->objectName(), tip, tip);
    showSecrets(); // a secret may be for some hosts only
    showTools();
}

void PolicySentence::showHosts()
{
    const Policy policy = policyInSession();
    const auto isNew = [this](const QString &host) { return !m_defaults.allow.contains(host); };
    const auto isMore = [this](LimitKind kind) {
        return isMoreThan(kind, limitValue(m_policy.limits, kind), limitValue(m_defaults.limits, kind));
    };
    const bool more = std::ranges::any_of(policy.allow, isNew)
                      || (!policy.allow.isEmpty() && std::ranges::any_of(networkLimits, isMore));
    m_hosts->setText((more ? u"▲ "_s : QString()) + hostsPhrase(policy));
    setTextColour(m_hosts, more ? Colour::Warn : Colour::Text);
    QString hosts = policy.allow.isEmpty() ? tr("The run reaches nothing of the network")
                                           : tr("The run may reach: %1").arg(policy.allow.join(tr(", ")));
    if (more)
        hosts = tr("%1. This is more than the default.").arg(hosts);
    setNames(m_hosts, m_hosts->objectName(), hosts, hosts);
}

// --- secrets

void PolicySentence::setSecrets(const std::vector<SecretGrant> &secrets)
{
    m_secrets = secrets;
    showSecrets();
    showInterpreter();
}

void PolicySentence::setVault(const VaultView &vault)
{
    m_vault = vault;
    if (m_secretEditor)
        m_secretEditor->setVault(vault);
    showSecrets();
}

void PolicySentence::showSecrets()
{
    QStringList refusals, lent;
    for (const SecretGrant &secret : m_secrets) {
        lent.append(secret.asFile ? tr("%1 as the file %2", "a secret").arg(secret.name, secretPlace(secret))
                                  : tr("%1 as the variable %2", "a secret").arg(secret.name, secretPlace(secret)));
        if (const QString why = whyNotLent(secret.name, m_vault, borrower()); !why.isEmpty())
            refusals.append(why);
    }
    QString text = secretsPhrase(m_secrets);
    QString tip = tr("The run gets no secret");
    if (!m_secrets.empty()) {
        text = u"▲ "_s + (refusals.isEmpty() ? text : tr("%1 (refused)", "secrets").arg(text));
        tip = tr("The run gets: %1. This is more than the default.").arg(lent.join(tr(", ")));
    }
    if (!refusals.isEmpty())
        tip += u'\n' + tr("The run would not start: %1").arg(refusals.join(u' '));
    m_lent->setText(text);
    setTextColour(m_lent, m_secrets.empty() ? Colour::Text : Colour::Warn);
    setNames(m_lent, m_lent->objectName(), tip, tip);
    updateGeometry();
}

void PolicySentence::openSecrets()
{
    auto *editor = new SecretEditor(m_theme, anchorOf(m_lent), m_secrets, m_vault, borrower());
    m_secretEditor = editor;
    connect(editor, &SecretEditor::chosen, this, [this](const std::vector<SecretGrant> &secrets) {
        setSecrets(secrets);
        Q_EMIT secretsChanged();
    });
    connect(editor, &SecretEditor::vaultPageWanted, this, &PolicySentence::vaultPageWanted);
    Q_EMIT vaultNeeded();
}

QString PolicySentence::sentence() const
{
    QString list;
    const QList<Word> words = shownWords();
    for (qsizetype i = 0; i < words.size(); ++i)
        list +=
            (i > 0 ? between(words[i - 1], words[i]) : QString()) + QString(words[i].button->text()).remove(u"▲ "_s);
    QString sentence;
    for (const Piece &piece : sentencePieces())
        sentence += (piece.number == 1 ? m_language->text() : piece.number == 2 ? list : QString()) + piece.text;
    return sentence;
}

void PolicySentence::openLimit(LimitKind kind)
{
    editLimit(kind, anchorOf(shows(kind) ? m_limits.value(kind) : m_usual));
}

void PolicySentence::openLimits()
{
    const auto shown = std::ranges::find_if(m_words, [this](const Word &word) { return shows(word.button); });
    QToolButton *anchor = anchorOf(shows(m_usual) ? m_usual : shown->button);
    auto *sheet = new LimitSheet(m_theme, anchor, m_policy.limits, m_defaults.limits, isStricter(),
                                 m_profiles ? m_profiles() : QList<Profile>());
    connect(sheet, &LimitSheet::limitWanted, this, &PolicySentence::openLimit);
    connect(sheet, &LimitSheet::chosen, this, [this](const Limits &limits) { // the default ones
        m_policy.limits = limits;
        m_policy.strict = m_defaults.strict;
        m_isStrictHere = false;
        showPolicy();
        Q_EMIT policyChanged(m_policy);
    });
    connect(sheet, &LimitSheet::profileChosen, this, &PolicySentence::takeProfile);
    connect(sheet, &LimitSheet::profileKept, this,
            [this](const QString &name) { Q_EMIT profileKept(name, m_policy.limits); });
    connect(sheet, &LimitSheet::profileRemoved, this, &PolicySentence::profileRemoved);
}

Result<Policy> PolicySentence::policyWith(const Profile &profile) const
{
    Policy usual = m_policy; // with its hosts and folders
    usual.limits = m_defaults.limits;
    usual.strict = false; // which the profile before this one may have brought
    return profile.on(usual);
}

void PolicySentence::takeProfile(const Profile &profile)
{
    if (const auto policy = policyWith(profile)) { // nobody offers another
        m_policy = *policy;
        m_isStrictHere = policy->strict;
        m_policy.strict = policy->strict || m_defaults.strict;
        showPolicy();
        Q_EMIT policyChanged(m_policy);
    }
}

void PolicySentence::editLimit(LimitKind kind, QWidget *anchor)
{
    auto *editor =
        new LimitEditor(m_theme, anchor, kind, limitValue(m_policy.limits, kind), limitValue(m_defaults.limits, kind));
    connect(editor, &LimitEditor::chosen, this, [this, kind](qint64 value) {
        setLimit(m_policy.limits, kind, value);
        showPolicy();
        Q_EMIT policyChanged(m_policy);
        // The word that was clicked may be folded away by now, and its focus with it.
        QTimer::singleShot(0, this, [this, kind] {
            const QWidget *focus = QApplication::focusWidget();
            if (!focus || !focus->isVisible())
                anchorOf(shows(kind) ? m_limits.value(kind) : m_usual)->setFocus(Qt::PopupFocusReason);
        });
    });
}

void PolicySentence::openHosts()
{
    auto *editor = new HostEditor(m_theme, anchorOf(m_hosts), m_policy, m_defaults, m_sessionChoice);
    connect(editor, &HostEditor::limitChosen, this, [this](LimitKind kind, qint64 value) {
        setLimit(m_policy.limits, kind, value);
        showPolicy();
        Q_EMIT policyChanged(m_policy);
    });
    connect(editor, &HostEditor::chosen, this, [this](const QStringList &hosts) {
        m_policy.allow = hosts;
        showPolicy();
        Q_EMIT policyChanged(m_policy);
    });
}

void PolicySentence::allow(const QString &host)
{
    if (m_policy.allow.contains(host))
        return;
    m_policy.allow.append(host);
    showPolicy();
    Q_EMIT policyChanged(m_policy);
}

void PolicySentence::openFolders()
{
    auto *editor = new FolderEditor(m_theme, anchorOf(m_folders), m_policy, m_folderCheck);
    connect(editor, &FolderEditor::chosen, this, [this](const QList<FolderGrant> &folders) {
        m_policy.folders = folders;
        showPolicy();
        Q_EMIT policyChanged(m_policy);
    });
}

void PolicySentence::openTerminal()
{
    auto *editor = new TerminalEditor(m_theme, anchorOf(m_terminal), m_hasTerminal);
    connect(editor, &TerminalEditor::chosen, this, [this](bool terminal) {
        setTerminal(terminal);
        Q_EMIT terminalChanged(terminal);
    });
}

void PolicySentence::setStart(const StartChoice &start)
{
    m_start = start;
    const QByteArrayList arguments = argumentsFrom(start.arguments).value_or(QByteArrayList());
    const std::vector<Variable> variables = variablesFrom(start.variables).value_or(std::vector<Variable>());
    if (arguments.isEmpty())
        m_start.arguments.clear();
    if (variables.empty())
        m_start.variables.clear();
    QStringList names;
    for (const Variable &variable : variables)
        names.append(variable.name);
    m_arguments->setText(tr("%Ln argument(s)", "", int(arguments.size())));
    m_variables->setText(tr("%Ln variable(s)", "", int(variables.size())));
    m_input->setText(tr("fixed input"));
    const auto name = [](QToolButton *word, const QString &tip) { setNames(word, word->objectName(), tip, tip); };
    name(m_arguments, tr("The program is started with: %1").arg(m_start.arguments));
    name(m_variables, tr("Variables of its environment: %1").arg(names.join(tr(", "))));
    name(m_input, tr("Each run reads the same input: %1").arg(sizeWord(start.input.toUtf8().size())));
    showInterpreter();
}

void PolicySentence::openStart(StartPart part)
{
    const auto shown = std::ranges::find_if(m_words, [this](const Word &word) { return shows(word.button); });
    QToolButton *own = part == StartPart::Arguments   ? m_arguments
                       : part == StartPart::Variables ? m_variables
                                                      : m_input;
    auto *editor = new StartEditor(m_theme, anchorOf(shows(own) ? own : shown->button), m_start, part);
    connect(editor, &StartEditor::chosen, this, [this](const StartChoice &start) {
        setStart(start);
        Q_EMIT startChanged();
    });
}

void PolicySentence::openLanguage()
{
    auto *editor = new LanguageEditor(m_theme, m_language, m_languages, m_chosen, m_interpreter);
    connect(editor, &LanguageEditor::chosen, this, &PolicySentence::languageChosen);
}

} // namespace glovebox
