// SPDX-License-Identifier: Apache-2.0
#include "policysentence.h"

#include "editors/foldereditor.h"
#include "editors/hosteditor.h"
#include "editors/limiteditor.h"
#include "editors/terminaleditor.h"
#include "flowlayout.h"

#include "app/workbench/shell/look.h"

#include <QRegularExpression>
#include <QToolButton>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// In the order of the sentence. A limit of processor time is seldom wanted beside that of real time: it has no word here.
constexpr LimitKind words[] = {LimitKind::Wall,      LimitKind::CpuShare, LimitKind::Memory,
                               LimitKind::Processes, LimitKind::Output,   LimitKind::Disk};

QString sentencePattern()
{
    return PolicySentence::tr("%1 may use %2, %3, %4, %5, %6, %7, %8, %9, %10",
                              "language, time, processors, memory, processes, output, disk, hosts, folders, terminal");
}

} // namespace

PolicySentence::PolicySentence(Theme &theme, QWidget *parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_language(new QToolButton(this))
    , m_terminal(new QToolButton(this))
    , m_hosts(new QToolButton(this))
    , m_folders(new QToolButton(this))
{
    setObjectName(u"bench.policy"_s);
    auto *layout = new FlowLayout(this);
    const auto makeWord = [](QToolButton *button, const QString &name) {
        setLook(button, ButtonLook::Word);
        button->setObjectName(u"bench.policy."_s + name);
    };
    makeWord(m_language, u"language"_s);
    for (const LimitKind kind : words) {
        auto *button = new QToolButton(this);
        makeWord(button, limitId(kind));
        connect(button, &QToolButton::clicked, this, [this, kind, button] { editLimit(kind, button); });
        m_limits.insert(kind, button);
    }
    makeWord(m_hosts, u"hosts"_s);
    makeWord(m_folders, u"folders"_s);
    makeWord(m_terminal, u"terminal"_s);
    connect(m_language, &QToolButton::clicked, this, &PolicySentence::editLanguage);
    connect(m_hosts, &QToolButton::clicked, this, &PolicySentence::openHosts);
    connect(m_folders, &QToolButton::clicked, this, &PolicySentence::openFolders);
    connect(m_terminal, &QToolButton::clicked, this, &PolicySentence::openTerminal);

    // Translators order the words; what is between them stays text.
    const QString pattern = sentencePattern();
    const auto makeText = [this](const QString &text) {
        auto *label = makeLabel(text, this, FontRole::Base, Colour::Dim);
        label->setWordWrap(false);
        label->setTextInteractionFlags(Qt::NoTextInteraction);
        return label;
    };
    // A word with the comma behind it is never torn apart.
    static const QRegularExpression piece(u"%([0-9]+)([^%\\s]*)|([^%]+)"_s);
    for (QRegularExpressionMatchIterator it = piece.globalMatch(pattern); it.hasNext();) {
        const QRegularExpressionMatch match = it.next();
        const int number = match.captured(1).toInt();
        if (number == 0) {
            layout->addWidget(makeText(match.captured(3)));
            continue;
        }
        QToolButton *word = number == 1    ? m_language
                            : number == 8  ? m_hosts
                            : number == 9  ? m_folders
                            : number == 10 ? m_terminal
                                           : m_limits.value(words[number - 2]);
        layout->addWidget(word);
        if (!match.captured(2).isEmpty())
            layout->addJoined(makeText(match.captured(2)), 3); // the style leaves as much behind a word
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

void PolicySentence::setLanguage(const QString &shown, const QString &chosen)
{
    m_chosen = chosen;
    m_language->setText(shown);
    const QString how =
        chosen.isEmpty() ? tr("Language: %1, as the code says").arg(shown) : tr("Language: %1").arg(shown);
    setNames(m_language, m_language->objectName(), how, how);
    updateGeometry();
}

void PolicySentence::setLanguages(const QList<LanguageChoice> &languages)
{
    m_languages = languages;
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

void PolicySentence::showPolicy()
{
    for (const LimitKind kind : words) {
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
    const bool reaches = !m_policy.allow.isEmpty();
    m_hosts->setText((reaches ? u"▲ "_s : QString()) + hostsPhrase(m_policy.allow));
    setTextColour(m_hosts, reaches ? Colour::Warn : Colour::Text);
    const QString hosts = reaches ? tr("The run may reach: %1").arg(m_policy.allow.join(tr(", ")))
                                  : tr("The run reaches nothing of the network");
    setNames(m_hosts, m_hosts->objectName(), hosts, hosts);
    const bool writable = areWritable(m_policy.folders);
    m_folders->setText((writable ? u"▲ "_s : QString()) + foldersPhrase(m_policy.folders));
    setTextColour(m_folders, writable ? Colour::Warn : Colour::Text);
    const QString tip = m_policy.folders.isEmpty() ? tr("No folder of this machine is shown to the run")
                        : writable ? tr("Folders of this machine that the run sees; it may change some of them")
                                   : tr("Folders of this machine that the run sees; the originals stay as they are");
    setNames(m_folders, m_folders->objectName(), tip, tip);
    updateGeometry();
}

QString PolicySentence::sentence() const
{
    QString text = sentencePattern().arg(m_language->text());
    for (const LimitKind kind : words)
        text = text.arg(limitPhrase(kind, limitValue(m_policy.limits, kind)));
    return text.arg(hostsPhrase(m_policy.allow), foldersPhrase(m_policy.folders), terminalPhrase());
}

void PolicySentence::openLimit(LimitKind kind)
{
    editLimit(kind, m_limits.value(kind));
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

void PolicySentence::openLanguage()
{
    editLanguage();
}

void PolicySentence::openHosts()
{
    auto *editor = new HostEditor(m_theme, m_hosts, m_policy.allow);
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

void PolicySentence::editLanguage()
{
    auto *editor = new LanguageEditor(m_theme, m_language, m_languages, m_chosen);
    connect(editor, &LanguageEditor::chosen, this, &PolicySentence::languageChosen);
}

} // namespace glovebox
