// SPDX-License-Identifier: Apache-2.0
#include "benchtab.h"

#include "missing/missingpackages.h"
#include "policy/alwaysallowed.h"
#include "policy/sealbadge.h"

#include "app/workbench/runpanel/network/networktab.h"
#include "app/workbench/runpanel/output/outputview.h"
#include "app/workbench/shell/look.h"

#include <QGridLayout>
#include <QPushButton>
#include <QSplitter>
#include <QTextBlock>

namespace glovebox {

using namespace Qt::StringLiterals;

// By which the language is found again when the file is opened.
static QString extensionOf(const QString &language)
{
    const auto known = Languages::byId(language);
    return known ? u'.' + (*known)->newExtension() : QString();
}

BenchTab::BenchTab(WorkbenchContext &context, VaultReader &vault, SessionsReader &sessions,
                   const std::vector<RunTabFactory> &runTabs, const QString &id, const QString &name, QWidget *parent)
    : QWidget(parent)
    , m_context(context)
    , m_vault(vault)
    , m_sessions(sessions)
    , m_id(id)
    , m_ownName(name)
    , m_bar(new QWidget(this))
    , m_barLayout(new QGridLayout(m_bar))
    , m_run(new QPushButton(tr("Run"), m_bar))
    , m_stop(new QPushButton(tr("Stop"), m_bar))
    , m_sentence(new PolicySentence(context.theme(), m_bar))
    , m_badge(new SealBadge(context.theme(), m_bar))
    , m_splitter(new QSplitter(Qt::Vertical, this))
    , m_editor(new EditorPane(context, m_splitter))
    , m_runs(new RunPanel(context, runTabs, m_splitter))
{
    auto *layout = columnIn(this, 0);
    makePolicyBar();
    layout->addWidget(m_bar);
    layout->addWidget(makeRule(Qt::Horizontal, this));
    m_splitter->addWidget(m_editor);
    m_splitter->addWidget(m_runs);
    m_splitter->setStretchFactor(0, 4);
    m_splitter->setStretchFactor(1, 3);
    m_splitter->setChildrenCollapsible(false);
    layout->addWidget(m_splitter, 1);
    setFocusProxy(m_editor);

    m_detection.setSingleShot(true);
    m_detection.setInterval(300);
    connect(&m_detection, &QTimer::timeout, this, &BenchTab::takeLanguage);
    connect(&context, &WorkbenchContext::readinessChanged, this, [this] {
        takeLanguage();
        takeRuns();
    });
    connect(m_editor, &EditorPane::textChanged, this, [this] {
        if (const QString line = firstLine(); line != m_firstLine) { // by whatever way: it was typed, pasted, replaced
            m_firstLine = line;
            m_detection.start();
        }
        Q_EMIT stashNeeded();
    });
    connect(m_editor, &EditorPane::modifiedChanged, this, [this] {
        Q_EMIT changed();
        Q_EMIT stashNeeded();
    });
    connect(m_editor, &EditorPane::pathChanged, this, [this] {
        takeLanguage();
        Q_EMIT changed();
        Q_EMIT stashNeeded();
    });
    connect(m_editor, &EditorPane::filesDropped, this, &BenchTab::filesDropped);
    connect(m_runs, &RunPanel::runsChanged, this, &BenchTab::takeRuns);
    connect(m_runs, &RunPanel::hostAllowed, this, [this](ShownRun *run, const QString &host, AllowFor howLong) {
        allowAndRunAgain(run->request(), run->title(), host, howLong);
    });
    connect(m_runs, &RunPanel::roomWanted, this, [this] { setMaximised(true); });
    connect(m_runs, &RunPanel::maximiseWanted, this, [this] { setMaximised(!isMaximised()); });
    connect(m_runs, &RunPanel::placeActivated, this, [this](int line, int column) {
        setMaximised(false);
        m_editor->editor().goTo(line, std::max(column, 1));
        m_editor->editor().setFocus();
    });
    connect(m_sentence, &PolicySentence::policyChanged, this, &BenchTab::stashNeeded);
    connect(m_sentence, &PolicySentence::terminalChanged, this, &BenchTab::stashNeeded);
    connect(m_sentence, &PolicySentence::startChanged, this, &BenchTab::stashNeeded);
    connect(m_sentence, &PolicySentence::secretsChanged, this, &BenchTab::stashNeeded);
    connect(m_sentence, &PolicySentence::vaultNeeded, &m_vault, &VaultReader::read);
    connect(m_sentence, &PolicySentence::vaultPageWanted, this, &BenchTab::openVault);
    connect(m_sentence, &PolicySentence::serversNeeded, this, &BenchTab::readServers);
    connect(m_sentence, &PolicySentence::agentsPageWanted, this, [this] { m_context.navigateTo(u"agents"_s); });
    connect(&m_vault, &VaultReader::changed, this, [this] { m_sentence->setVault(m_vault.view()); });
    m_sentence->setVault(m_vault.view());
    followSessions();
    followMissingModules();
    connect(m_sentence, &PolicySentence::languageChosen, this, [this](const QString &chosen, const QString &path) {
        chooseLanguage(chosen, path);
        Q_EMIT languageChosen(chosen);
        Q_EMIT stashNeeded();
    });
    connect(m_badge, &SealBadge::lookWanted, &context, &WorkbenchContext::lookAgain);
    connect(m_badge, &SealBadge::doctorWanted, this, [this] { m_context.navigateTo(u"doctor"_s); });
    connect(m_badge, &SealBadge::detailsWanted, this, [this] { m_runs->showTab(u"isolation"_s); });
    if (auto *network = qobject_cast<NetworkTab *>(m_runs->tab(u"network"_s)))
        connect(network, &NetworkTab::allowWanted, this, &BenchTab::offerHost);
    m_sentence->setFolderCheck([this](const FolderGrant &grant, std::function<void(const QString &)> answer) {
        Engine *engine = m_context.engine();
        if (!engine)
            return answer(tr("Glovebox is still starting; try again in a moment."));
        inBackground(
            m_context.reading(), this, [engine, grant] { return engine->checkFolder(grant); },
            [answer = std::move(answer)](const Status &status) {
                answer(status ? QString() : translated(status.error().message));
            });
    });
    connect(&context, &WorkbenchContext::settingsChanged, this, &BenchTab::takeDefaults);
    setPolicy(defaultPolicy());
    takeLanguage();
    takeRuns();
}

BenchTab::~BenchTab() = default;

void BenchTab::makePolicyBar()
{
    setBackground(m_bar, Colour::Panel);
    m_barLayout->setContentsMargins(Space::l, Space::xs, Space::l, Space::xs);
    m_barLayout->setHorizontalSpacing(Space::m);
    m_barLayout->setVerticalSpacing(0);
    m_barLayout->setColumnStretch(2, 1);
    const auto make = [this](QPushButton *button, Icon icon, Colour colour, const QString &actionId,
                             const QString &name) {
        button->setIcon(m_context.theme().icon(icon, colour));
        button->setFocusPolicy(Qt::TabFocus); // a click leaves the focus in the code
        setNames(button, name, button->text());
        m_context.actions().keepToolTip(button, actionId);
        connect(button, &QPushButton::clicked, this, [this, actionId] { m_context.actions().trigger(actionId); });
    };
    make(m_run, Icon::Run, Colour::OnAccent, u"bench.run"_s, u"bench.run"_s);
    setLook(m_run, ButtonLook::Primary);
    make(m_stop, Icon::Stop, Colour::Text, u"bench.stop"_s, u"bench.stop"_s);
    m_barLayout->addWidget(m_run, 0, 0);
    m_barLayout->addWidget(m_stop, 0, 1);
    m_barLayout->addWidget(m_badge, 0, 3);
    m_bar->installEventFilter(this);
    arrangeBar();
}

// The sentence stands beside the buttons as long as a line is enough for it there; two, where the person wants to see all of it.
void BenchTab::arrangeBar()
{
    m_bar->setMinimumHeight(m_context.theme().size(Size::PolicyBar));
    const int taken = m_run->sizeHint().width() + m_stop->sizeHint().width() + m_badge->sizeHint().width()
                      + 2 * Space::l + 3 * Space::m;
    const QLayout *words = m_sentence->layout();
    const int lines = m_sentence->isUnfolded() ? 2 : 1;
    const bool beside = words->heightForWidth(m_bar->width() - taken) <= lines * words->sizeHint().height();
    if (const int at = m_barLayout->indexOf(m_sentence); at >= 0) {
        int row = 0, column = 0, rows = 0, columns = 0;
        m_barLayout->getItemPosition(at, &row, &column, &rows, &columns);
        if ((row == 0) == beside)
            return;
        m_barLayout->removeWidget(m_sentence);
    }
    if (beside)
        m_barLayout->addWidget(m_sentence, 0, 2);
    else
        m_barLayout->addWidget(m_sentence, 1, 0, 1, 4);
}

bool BenchTab::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_bar && (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest))
        arrangeBar();
    return QWidget::eventFilter(watched, event);
}

Policy BenchTab::defaultPolicy() const
{
    if (!m_context.settings())
        return {};
    Policy policy = m_context.settings()->policy();
    policy.allow = hostsAlwaysAllowed(*m_context.settings());
    return policy;
}

// What the person chose here stays; the rest follows the settings. So does strictness, but for one that a profile has brought.
void BenchTab::takeDefaults()
{
    if (!m_context.settings())
        return;
    Policy policy = defaultPolicy();
    const Policy &now = m_sentence->policy(), &before = m_sentence->defaults();
    for (const LimitKind kind : allLimits) {
        if (limitValue(now.limits, kind) != limitValue(before.limits, kind))
            setLimit(policy.limits, kind, limitValue(now.limits, kind));
    }
    QStringList hosts = now.allow;
    for (const QString &host : before.allow) {
        if (!policy.allow.contains(host))
            hosts.removeAll(host); // it was taken back
    }
    for (const QString &host : std::as_const(policy.allow)) {
        if (!hosts.contains(host) && !before.allow.contains(host))
            hosts.append(host);
    }
    policy.allow = hosts;
    policy.strict = policy.strict || m_sentence->isStrictHere();
    policy.folders = now.folders;
    policy.tools = now.tools;
    setPolicy(policy);
}

QList<QWidget *> BenchTab::areas() const
{
    return isMaximised() ? QList<QWidget *>{m_bar, m_runs} : QList<QWidget *>{m_bar, m_editor, m_runs};
}

void BenchTab::setMaximised(bool maximised)
{
    if (maximised == isMaximised())
        return;
    const QWidget *focus = focusWidget();
    const bool leaves = focus && m_editor->isAncestorOf(focus);
    if (maximised)
        m_sizes = m_splitter->sizes();
    m_editor->setVisible(!maximised);
    if (!maximised)
        m_splitter->setSizes(m_sizes);
    m_runs->setMaximised(maximised);
    setFocusProxy(maximised ? static_cast<QWidget *>(m_runs->output()) : m_editor);
    if (leaves)
        m_runs->output()->setFocus();
}

void BenchTab::setPinned(bool pinned)
{
    m_pinned = pinned;
    Q_EMIT changed();
    Q_EMIT stashNeeded();
}

void BenchTab::goBackToDefaults()
{
    chooseLanguage({});
    setPolicy(Policy()); // what was strict here isn't any more
    setPolicy(defaultPolicy());
    m_sentence->setSecrets({});
    m_sentence->setSession({});
    m_sentence->setKeepsInterpreter(false);
    m_sentence->setTerminal(false);
    m_sentence->setStart({});
    Q_EMIT stashNeeded();
}

bool BenchTab::hasUnsavedWork() const
{
    return m_editor->isModified() || (m_editor->path().isEmpty() && !m_editor->editor().document()->isEmpty());
}

bool BenchTab::isBlank() const
{
    return m_editor->path().isEmpty() && m_editor->editor().document()->isEmpty() && m_runs->runs().empty();
}

// --- language

void BenchTab::chooseLanguage(const QString &id, const QString &interpreter)
{
    m_chosen = id;
    m_interpreter = interpreter;
    takeLanguage();
    Q_EMIT changed();
}

QString BenchTab::firstLine() const
{
    return m_editor->editor().document()->begin().text().left(200);
}

void BenchTab::takeLanguage()
{
    m_detection.stop();
    m_firstLine = firstLine();
    m_detected = detectedLanguage(m_editor->fileName(), m_firstLine,
                                  m_fallback.isEmpty() ? Languages::fallback().id() : m_fallback);
    m_sentence->setLanguage(language(), shortLanguageName(m_context.readiness(), language(), m_interpreter), m_chosen,
                            m_interpreter);
    m_sentence->setLanguages(languageChoices(m_context.readiness(), m_detected));
    // A file that is no code that runs here (a README, a CSV) is coloured as what it is.
    const bool known =
        m_editor->fileName().isEmpty() || !m_chosen.isEmpty() || m_detected.by != DetectedLanguage::By::Nothing;
    m_editor->editor().setLanguage(known ? language() : QString(), m_editor->fileName());
    m_editor->setProposedName(m_ownName + extensionOf(language()));
    if (language() == m_taken)
        return;
    m_taken = language();
    takeRuns();
    expectRun();
    m_editor->guessIndentation();
}

// --- running

bool BenchTab::run(bool selectionOnly, Beside beside, const QStringList &alsoAllowed)
{
    Engine *engine = m_context.engine();
    if (m_detection.isActive())
        takeLanguage(); // nobody waits for it after pasting
    if (!canRun() || tellSessionGone(selectionOnly, beside, alsoAllowed))
        return false;
    RunRequest request;
    RunTitle title{.number = m_next ? m_next->second.number : ++m_runNumber,
                   .language = longLanguageName(m_context.readiness(), language(), m_interpreter),
                   .input = m_sentence->keepsInterpreter() ? QByteArray() : m_sentence->start().input.toUtf8()};
    const QTextCursor cursor = m_editor->editor().textCursor();
    if (selectionOnly && cursor.hasSelection()) {
        // Whole lines: half of one seldom runs.
        const auto [first, last] = touchedBlocks(cursor);
        QTextCursor lines(first);
        lines.setPosition(last.position() + last.length() - 1, QTextCursor::KeepAnchor);
        request.code =
            withoutCommonIndentation(lines.selectedText().replace(QChar::ParagraphSeparator, u'\n')).toUtf8() + '\n';
        title.firstLine = m_editor->editor().numberOf(first);
    } else {
        request.code = m_editor->codeBytes();
    }
    request.fileName = m_editor->fileName();
    request.language = language();
    request.session = m_sentence->session().id;
    request.isStateful = m_sentence->keepsInterpreter();
    title.session = m_sentence->session().name;
    request.policy = m_sentence->policyInSession();
    for (const QString &host : alsoAllowed) {
        if (!request.policy.allow.contains(host))
            request.policy.allow.append(host);
    }
    request.secrets = m_sentence->secrets();
    request.interpreter = m_interpreter;
    request.args = argumentsFrom(m_sentence->start().arguments).value_or(QByteArrayList());
    request.variables = variablesFrom(m_sentence->start().variables).value_or(std::vector<Variable>());
    request.caller = engine->caller();
    if (m_sentence->hasTerminal()) {
        const QSize cells = m_runs->output()->cells();
        request.terminal = Terminal{.rows = cells.height(), .columns = cells.width(), .type = "xterm-256color"};
        title.hasTerminal = true;
    }
    ShownRun *before = m_runs->current();
    if (beside == Beside::Yes || !canStop()) {
        if (!m_missing->holdsBack(request, title))
            start(std::move(request), title);
        return true;
    }
    if (!m_next)
        connect(before, &ShownRun::finished, this, &BenchTab::startNext,
                Qt::ConnectionType(Qt::QueuedConnection | Qt::SingleShotConnection));
    setNext(std::pair(std::move(request), title));
    before->stop(); // the second time, at once
    return true;
}

void BenchTab::setNext(std::optional<std::pair<RunRequest, RunTitle>> next)
{
    m_next = std::move(next);
    m_runs->setNextWaits(m_next.has_value());
}

void BenchTab::startNext()
{
    auto next = std::exchange(m_next, std::nullopt);
    m_runs->setNextWaits(false);
    if (next && m_context.engine() && !m_missing->holdsBack(next->first, next->second))
        start(std::move(next->first), next->second);
}

void BenchTab::start(RunRequest request, const RunTitle &title)
{
    auto run = m_context.engine()->start(request);
    auto shown = std::make_unique<ShownRun>(std::move(run), std::move(request), title);
    if (!title.input.isEmpty()) {
        shown->send(title.input);
        if (!title.hasTerminal) // there the person goes on
            shown->closeInput();
    }
    if (shown->request().isStateful)
        shown->closeInput(); // the interpreter stays, and its input ended before the first code
    m_runs->addRun(std::move(shown));
}

bool BenchTab::canRun() const
{
    return m_context.engine() && !m_context.readiness().obstacle(language());
}

void BenchTab::stop()
{
    setNext(std::nullopt);
    if (canStop())
        m_runs->current()->stop();
}

void BenchTab::stopAll()
{
    setNext(std::nullopt);
    for (ShownRun *run : m_runs->runs()) {
        if (!run->isDone())
            run->stop();
    }
}

void BenchTab::engineClosing()
{
    setNext(std::nullopt);
    m_runs->letGo();
}

void BenchTab::takeRuns()
{
    m_badge->setRun(m_runs->current(), m_context.readiness().obstacle(language()));
    m_stop->setEnabled(canStop());
    takeInterpreter();
    m_run->setEnabled(canRun());
    if (const ShownRun *run = m_runs->current(); run && run->isDone() && run->result()->outcome == Outcome::Denied)
        readVault(); // the sentence should say so, too
    Q_EMIT changed();
}

void BenchTab::engineReady()
{
    takeDefaults(); // they are known only now
    takeLanguage();
    expectRun();
    readVault();
    m_sessions.read();
    takeRuns();
}

// Of a hidden tab nobody presses Run. Another page, or another program, may have changed the vault.
void BenchTab::showEvent(QShowEvent *)
{
    expectRun();
    readVault();
    readServers();
    takeInterpreter(); // other tabs use it, too
    if (!m_sentence->session().id.isEmpty())
        m_sessions.read();
}

void BenchTab::readVault()
{
    if (isVisible() && !m_sentence->secrets().empty())
        m_vault.read();
}

// The person's file, which an editor may have changed since.
void BenchTab::readServers()
{
    inBackground(
        m_context.pool(), this, [file = m_context.paths().toolServersFile()] { return readToolServers(file); },
        [this](const Result<QList<ToolServer>> &servers) { m_sentence->setServers(servers); });
}

void BenchTab::openVault(bool add)
{
    m_context.navigateTo(u"vault"_s, add ? QJsonObject{{u"add"_s, true}} : QJsonObject());
}

// A sandbox for it is ready when Run is pressed.
void BenchTab::expectRun()
{
    if (Engine *engine = m_context.engine(); engine && isVisible() && m_interpreter.isEmpty())
        engine->expect(language());
}

} // namespace glovebox
