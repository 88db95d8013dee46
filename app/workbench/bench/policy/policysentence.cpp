// SPDX-License-Identifier: Apache-2.0
#include "policysentence.h"

#include "editors/foldereditor.h"
#include "editors/hosteditor.h"
#include "editors/limiteditor.h"
#include "editors/secreteditor.h"
#include "editors/terminaleditor.h"
#include "flowlayout.h"

#include "app/workbench/shell/look.h"

#include <QRegularExpression>
#include <QToolButton>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// Those with a word of their own; their numbers in the pattern are these, plus firstLimit.
constexpr LimitKind limitWords[] = {LimitKind::Wall,      LimitKind::CpuTime, LimitKind::CpuShare, LimitKind::Memory,
                                    LimitKind::Processes, LimitKind::Output,  LimitKind::Disk};
constexpr int firstLimit = 2;
constexpr int hostsNumber = 9, secretsNumber = 10, foldersNumber = 11, terminalNumber = 12;

struct Piece
{
    int number = 0; // of a word; 0: text between words
    QString text; // behind a word, and never torn from it: a comma
};

// Translators order the words; what is between them stays text.
QList<Piece> sentencePieces()
{
    const QString pattern = PolicySentence::tr("%1 may use %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12",
                                               "language, time, processor time, processors, memory, processes, output, "
                                               "disk, hosts, secrets, folders, terminal");
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
    , m_terminal(new QToolButton(this))
    , m_hosts(new QToolButton(this))
    , m_lent(new QToolButton(this))
    , m_folders(new QToolButton(this))
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
    makeWord(m_hosts, u"hosts"_s);
    makeWord(m_lent, u"secrets"_s);
    makeWord(m_folders, u"folders"_s);
    makeWord(m_terminal, u"terminal"_s);
    connect(m_language, &QToolButton::clicked, this, &PolicySentence::openLanguage);
    connect(m_hosts, &QToolButton::clicked, this, &PolicySentence::openHosts);
    connect(m_lent, &QToolButton::clicked, this, &PolicySentence::openSecrets);
    connect(m_folders, &QToolButton::clicked, this, &PolicySentence::openFolders);
    connect(m_terminal, &QToolButton::clicked, this, &PolicySentence::openTerminal);

    const auto makeText = [this](const QString &text) {
        auto *label = makeLabel(text, this, FontRole::Base, Colour::Dim);
        label->setWordWrap(false);
        label->setTextInteractionFlags(Qt::NoTextInteraction);
        return label;
    };
    QToolButton *word = nullptr;
    for (const Piece &piece : sentencePieces()) {
        QLabel *text = piece.text.isEmpty() ? nullptr : makeText(piece.text);
        if (piece.number > 0) {
            word = piece.number == 1                ? m_language
                   : piece.number == hostsNumber    ? m_hosts
                   : piece.number == secretsNumber  ? m_lent
                   : piece.number == foldersNumber  ? m_folders
                   : piece.number == terminalNumber ? m_terminal
                                                    : m_limits.value(limitWords[piece.number - firstLimit]);
            layout->addWidget(word);
            if (text)
                layout->addJoined(text, 3); // the style leaves as much behind a word
        } else if (text) {
            layout->addWidget(text);
        }
        if (text && word == m_limits.value(LimitKind::CpuTime))
            m_behindCpuTime.append(text);
    }
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    showPolicy();
    setTerminal(false);
}

void PolicySentence::setPolicy(const Policy &policy, const Policy &defaults)
{
    m_policy = policy;
    m_defaults = defaults;
    showPolicy();
}

void PolicySentence::setLanguage(const QString &id, const QString &shown, const QString &chosen)
{
    m_languageId = id;
    m_chosen = chosen;
    m_language->setText(shown);
    const QString how =
        chosen.isEmpty() ? tr("Language: %1, as the code says").arg(shown) : tr("Language: %1").arg(shown);
    setNames(m_language, m_language->objectName(), how, how);
    showSecrets(); // a secret may be for some languages only
}

void PolicySentence::setTerminal(bool terminal)
{
    m_hasTerminal = terminal;
    m_terminal->setText(terminalPhrase());
    const QString tip = terminal ? tr("The run has a terminal of its own") : tr("The run has no terminal");
    setNames(m_terminal, m_terminal->objectName(), tip, tip);
    updateGeometry();
}

QString PolicySentence::terminalPhrase() const
{
    return m_hasTerminal ? tr("a terminal", "what a run may use") : tr("no terminal", "what a run may use");
}

// Processor time is seldom limited beside real time: without a limit there is no word for it.
bool PolicySentence::shows(LimitKind kind) const
{
    return kind != LimitKind::CpuTime || limitValue(m_policy.limits, kind) != 0
           || limitValue(m_defaults.limits, kind) != 0;
}

void PolicySentence::showPolicy()
{
    for (QWidget *behind : std::as_const(m_behindCpuTime))
        behind->setVisible(shows(LimitKind::CpuTime));
    for (const LimitKind kind : limitWords) {
        QToolButton *button = m_limits.value(kind);
        button->setVisible(shows(kind));
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
    showHosts();
    const bool writable = areWritable(m_policy.folders);
    m_folders->setText((writable ? u"▲ "_s : QString()) + foldersPhrase(m_policy.folders));
    setTextColour(m_folders, writable ? Colour::Warn : Colour::Text);
    const QString tip = m_policy.folders.isEmpty() ? tr("No folder of this machine is shown to the run")
                        : writable ? tr("Folders of this machine that the run sees; it may change some of them")
                                   : tr("Folders of this machine that the run sees; the originals stay as they are");
    setNames(m_folders, m_folders->objectName(), tip, tip);
    showSecrets(); // a secret may be for some hosts only
}

void PolicySentence::showHosts()
{
    const auto isNew = [this](const QString &host) { return !m_defaults.allow.contains(host); };
    const auto isMore = [this](LimitKind kind) {
        return isMoreThan(kind, limitValue(m_policy.limits, kind), limitValue(m_defaults.limits, kind));
    };
    const bool more = std::ranges::any_of(m_policy.allow, isNew)
                      || (!m_policy.allow.isEmpty() && std::ranges::any_of(networkLimits, isMore));
    m_hosts->setText((more ? u"▲ "_s : QString()) + hostsPhrase(m_policy));
    setTextColour(m_hosts, more ? Colour::Warn : Colour::Text);
    QString hosts = m_policy.allow.isEmpty() ? tr("The run reaches nothing of the network")
                                             : tr("The run may reach: %1").arg(m_policy.allow.join(tr(", ")));
    if (more)
        hosts = tr("%1. This is more than the default.").arg(hosts);
    setNames(m_hosts, m_hosts->objectName(), hosts, hosts);
}

// --- secrets

void PolicySentence::setSecrets(const std::vector<SecretGrant> &secrets)
{
    m_secrets = secrets;
    showSecrets();
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
    QString tip = tr("The run is lent no secret");
    if (!m_secrets.empty()) {
        text = u"▲ "_s + (refusals.isEmpty() ? text : tr("%1 (refused)", "secrets").arg(text));
        tip = tr("The run is lent: %1. This is more than the default.").arg(lent.join(tr(", ")));
    }
    if (!refusals.isEmpty())
        tip += u'\n' + tr("It would not start: %1").arg(refusals.join(u' '));
    m_lent->setText(text);
    setTextColour(m_lent, m_secrets.empty() ? Colour::Text : Colour::Warn);
    setNames(m_lent, m_lent->objectName(), tip, tip);
    updateGeometry();
}

void PolicySentence::openSecrets()
{
    auto *editor = new SecretEditor(m_theme, m_lent, m_secrets, m_vault, borrower());
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
    QString sentence;
    bool left = false; // the word before is, and what belongs to it
    for (const Piece &piece : sentencePieces()) {
        if (piece.number >= firstLimit && piece.number < hostsNumber) {
            const LimitKind kind = limitWords[piece.number - firstLimit];
            left = !shows(kind);
            sentence += left ? QString() : limitPhrase(kind, limitValue(m_policy.limits, kind));
        } else if (piece.number > 0) {
            left = false;
            sentence += piece.number == 1               ? m_language->text()
                        : piece.number == hostsNumber   ? hostsPhrase(m_policy)
                        : piece.number == secretsNumber ? secretsPhrase(m_secrets)
                        : piece.number == foldersNumber ? foldersPhrase(m_policy.folders)
                                                        : terminalPhrase();
        }
        sentence += left ? QString() : piece.text;
    }
    return sentence;
}

void PolicySentence::openLimit(LimitKind kind)
{
    editLimit(kind, m_limits.value(shows(kind) ? kind : LimitKind::Wall));
}

void PolicySentence::editLimit(LimitKind kind, QWidget *anchor)
{
    auto *editor =
        new LimitEditor(m_theme, anchor, kind, limitValue(m_policy.limits, kind), limitValue(m_defaults.limits, kind));
    connect(editor, &LimitEditor::chosen, this, [this, kind](qint64 value) {
        setLimit(m_policy.limits, kind, value);
        showPolicy();
        Q_EMIT policyChanged(m_policy);
    });
}

void PolicySentence::openHosts()
{
    auto *editor = new HostEditor(m_theme, m_hosts, m_policy, m_defaults);
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
    auto *editor = new FolderEditor(m_theme, m_folders, m_policy, m_folderCheck);
    connect(editor, &FolderEditor::chosen, this, [this](const QList<FolderGrant> &folders) {
        m_policy.folders = folders;
        showPolicy();
        Q_EMIT policyChanged(m_policy);
    });
}

void PolicySentence::openTerminal()
{
    auto *editor = new TerminalEditor(m_theme, m_terminal, m_hasTerminal);
    connect(editor, &TerminalEditor::chosen, this, [this](bool terminal) {
        setTerminal(terminal);
        Q_EMIT terminalChanged(terminal);
    });
}

void PolicySentence::openLanguage()
{
    auto *editor = new LanguageEditor(m_theme, m_language, m_languages, m_chosen);
    connect(editor, &LanguageEditor::chosen, this, &PolicySentence::languageChosen);
}

} // namespace glovebox
