// SPDX-License-Identifier: Apache-2.0
#include "packagespanel.h"

#include "app/workbench/editor/file/hiddentext.h"
#include "app/workbench/packages/gettingbar.h"
#include "app/workbench/runpanel/output/outputview.h"
#include "app/workbench/sessions/rowmenu.h"
#include "app/workbench/shell/look.h"
#include "app/workbench/shell/look/paddedcells.h"
#include "app/workbench/shell/words/sessionwords.h"

#include <QClipboard>
#include <QFileDialog>
#include <QKeyEvent>
#include <QStackedWidget>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

QString languageOf(const QString &id)
{
    const auto language = Languages::byId(id);
    return language ? (*language)->name() : id;
}

} // namespace

PackagesPanel::PackagesPanel(WorkbenchContext &context, SessionDeeds &deeds, QWidget *parent)
    : QWidget(parent)
    , m_context(context)
    , m_deeds(deeds)
    , m_getting(context)
    , m_model(context.theme())
    , m_barRoom(new QWidget(this))
    , m_bar(new GettingBar(m_getting, u"sessions.packages"_s, m_barRoom))
    , m_parts(new QStackedWidget(this))
    , m_form(new InstallForm(context.theme(), m_parts))
    , m_output(new OutputView(context.theme(), m_parts))
{
    setObjectName(u"sessions.packages.panel"_s);
    setBackground(this, Colour::Panel);
    auto *column = columnIn(this, 0);
    column->addWidget(makeRule(Qt::Horizontal, this));
    makeHead();
    columnIn(m_barRoom, 0, {Space::l, 0, Space::l, Space::xs})->addWidget(m_bar);
    column->addWidget(m_barRoom);
    column->addWidget(m_parts, 1);
    makeList();
    setNames(m_output, u"sessions.packages.output"_s, tr("Log of the installation"));
    m_output->setMinimumHeight(m_context.theme().size(Size::Row));
    m_output->setWrap(true);
    for (QWidget *part : {m_listPart, static_cast<QWidget *>(m_form), static_cast<QWidget *>(m_output)})
        m_parts->addWidget(part);

    connect(m_form, &InstallForm::wanted, this, &PackagesPanel::install);
    connect(m_form, &InstallForm::dismissed, this, [this] { withdraw(); });
    connect(m_bar, &GettingBar::buildWanted, this, &PackagesPanel::build);
    connect(m_bar, &GettingBar::focusLeaves, this, [this] {
        m_hadFocus = true;
        m_output->setFocus();
    });
    connect(&m_getting, &PackageGetting::stageChanged, this, &PackagesPanel::follow);
    connect(&m_getting, &PackageGetting::printed, this, [this](const QByteArray &text) {
        m_log->append({.stream = OutputStream::Err, .offset = m_printed, .bytes = text});
        m_printed += text.size();
    });
    connect(&m_getting, &PackageGetting::ended, this, &PackagesPanel::end);
    show(m_listPart);
}

PackagesPanel::~PackagesPanel()
{
    m_output->setLog(nullptr);
}

void PackagesPanel::makeHead()
{
    auto *head = new QWidget(this);
    auto *row = rowIn(head, Space::m, {Space::l, Space::s, Space::l, Space::s});
    auto *title = makeLabel(tr("Packages"), head, FontRole::Strong);
    title->setWordWrap(false);
    row->addWidget(title);
    m_remark = makeLabel({}, head, FontRole::Base, Colour::Dim);
    m_remark->setObjectName(u"sessions.packages.remark"_s);
    m_remark->setWordWrap(false);
    m_remark->setMinimumWidth(1);
    row->addWidget(m_remark, 1);
    m_logLink = makeButton(tr("Log"), u"sessions.packages.log"_s, head, tr("Show the log of the installation"));
    setLook(m_logLink, ButtonLook::Link);
    row->addWidget(m_logLink);
    connect(m_logLink, &QPushButton::clicked, this,
            [this] { show(m_parts->currentWidget() == m_output ? m_listPart : static_cast<QWidget *>(m_output)); });
    auto *removal = m_context.actions().makeButton(u"sessions.uninstall"_s, u"sessions.packages.askremove"_s, head);
    removal->setText(tr("Remove…"));
    m_ask = m_context.actions().makeButton(u"sessions.install"_s, u"sessions.packages.ask"_s, head);
    m_ask->setText(tr("Install…"));
    for (QPushButton *link : {removal, m_ask}) {
        setLook(link, ButtonLook::Link);
        row->addWidget(link);
    }
    static_cast<QVBoxLayout *>(layout())->addWidget(head);
}

void PackagesPanel::makeList()
{
    m_listPart = new QWidget(m_parts);
    auto *column = columnIn(m_listPart, 0);
    m_empty = makeLabel(tr("No packages yet. Runs in the session import what their interpreter has."), m_listPart,
                        FontRole::Base, Colour::Dim);
    m_empty->setObjectName(u"sessions.packages.empty"_s);
    m_empty->setContentsMargins(Space::l, Space::xs, Space::l, Space::s);
    column->addWidget(m_empty);
    m_list = new QTreeView(m_listPart);
    showRows(m_list, &m_model);
    m_list->setRootIsDecorated(true);
    m_list->setAllColumnsShowFocus(true);
    m_list->header()->setStretchLastSection(true);
    m_list->header()->setSectionResizeMode(PackageTable::Name, QHeaderView::Stretch);
    for (const int other : {PackageTable::Version, PackageTable::From, PackageTable::Hash})
        m_list->header()->setSectionResizeMode(other, QHeaderView::ResizeToContents);
    setNames(m_list, u"sessions.packages"_s, tr("Packages of the session"));
    offerMenu(m_list, m_context.actions(), {u"install"_s, u"uninstall"_s});
    m_list->installEventFilter(this);
    connect(m_list->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &PackagesPanel::stateChanged);
    column->addWidget(m_list, 1);
    column->addWidget(makeQuestion());
    m_foot = new QWidget(m_listPart);
    columnIn(m_foot, 0);
    column->addWidget(m_foot);
}

QWidget *PackagesPanel::makeQuestion()
{
    m_question = new QWidget(m_listPart);
    auto *column = columnIn(m_question, Space::s, {Space::l, Space::s, Space::l, Space::s});
    m_questionWords = makeLabel({}, m_question, FontRole::Base, Colour::Warn);
    m_questionWords->setObjectName(u"sessions.packages.question"_s);
    m_questionWords->setMinimumWidth(1);
    column->addWidget(m_questionWords);
    auto *row = new QHBoxLayout;
    row->setSpacing(Space::s);
    auto *yes = makeButton(tr("Remove"), u"sessions.packages.remove"_s, m_question, tr("Remove the package"));
    m_keep = makeButton(tr("Keep"), u"sessions.packages.keep"_s, m_question, tr("Keep the package"));
    row->addWidget(yes);
    row->addWidget(m_keep);
    row->addStretch();
    column->addLayout(row);
    connect(yes, &QPushButton::clicked, this, &PackagesPanel::remove);
    connect(m_keep, &QPushButton::clicked, this, [this] { withdraw(); });
    m_question->hide();
    return m_question;
}

bool PackagesPanel::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::KeyPress && static_cast<QKeyEvent *>(event)->key() == Qt::Key_Delete)
        return m_context.actions().trigger(u"sessions.uninstall"_s);
    return QWidget::eventFilter(watched, event);
}

void PackagesPanel::askToRemove()
{
    if (!canRemove())
        return;
    Q_EMIT asked();
    show(m_listPart);
    ask(m_model.namedAt(m_list->currentIndex()));
    m_keep->setFocus(Qt::ShortcutFocusReason); // which is seen
}

void PackagesPanel::ask(const std::optional<PackageTable::Named> &package)
{
    m_asked = package;
    m_question->setVisible(package.has_value());
    if (package)
        m_questionWords->setText(tr("Remove %1 from %2? Packages that nothing else needs go with it, and the index is "
                                    "asked about the others again.",
                                    "package, session")
                                     .arg(withHiddenShown(package->name), sessionName(m_session)));
}

void PackagesPanel::remove()
{
    if (!m_asked)
        return;
    const PackageTable::Named package = *m_asked;
    ask({});
    begin({{.wish = {.language = package.language, .requirements = {}},
            .session = m_session.id,
            .keeps = true,
            .code = {},
            .without = {package.name}}});
}

void PackagesPanel::setSession(const ShownSession &shown)
{
    const bool isOther = shown.session.id != m_session.id;
    const bool isNew = isOther || shown.session.packages != m_session.packages;
    m_session = shown.session;
    if (isOther && !m_getting.isBusy()) {
        m_form->clear();
        m_bar->say({});
        m_output->setLog(nullptr);
        m_log.reset();
        m_for.clear();
    }
    if (isNew)
        ask({});
    if (isOther) {
        clearLayout(m_foot->layout());
        m_list->hide();
        m_empty->hide();
        m_remark->clear();
        show(m_getting.isBusy() && isOfShown() ? static_cast<QWidget *>(m_output) : m_listPart);
    }
    if (isNew)
        read();
}

void PackagesPanel::read()
{
    inBackground(
        m_context.pool(), this, [packages = m_session.packages] { return locksOf(packages); },
        [this, generation = ++m_generation](const Result<QList<ShownLock>> &locks) {
            if (generation == m_generation)
                take(locks);
        });
}

void PackagesPanel::take(const Result<QList<ShownLock>> &locks)
{
    const QList<ShownLock> shown = locks.value_or(QList<ShownLock>());
    m_model.setLocks(shown);
    for (int row = 0; row < m_model.rowCount(); ++row)
        m_list->setFirstColumnSpanned(row, {}, m_model.item(row)->hasChildren());
    m_remark->setText(m_model.packages() == 0 ? QString() : tr("%Ln, as locked", "packages", m_model.packages()));
    showText(m_empty, !locks            ? withHiddenShown(translated(locks.error().message))
                      : shown.isEmpty() ? tr("No packages yet. Runs in the session import what their interpreter has.")
                                        : QString());
    setTextColour(m_empty, locks ? Colour::Dim : Colour::Bad);
    m_list->setVisible(!shown.isEmpty());
    show(m_parts->currentWidget()); // and what has the focus there
    if (m_parts->currentWidget() == m_listPart && std::exchange(m_hadFocus, false))
        setFocus();
    clearLayout(m_foot->layout());
    if (!shown.isEmpty()) // where the list is cut, more of it comes
        m_foot->layout()->addWidget(makeRule(Qt::Horizontal, m_foot));
    for (const ShownLock &each : shown)
        m_foot->layout()->addWidget(makeFootOf(each));
}

QWidget *PackagesPanel::makeFootOf(const ShownLock &shown)
{
    auto *foot = new QWidget(m_foot);
    auto *row = rowIn(foot, Space::m, {Space::l, Space::xs, Space::l, Space::xs});
    const QString language = languageOf(shown.lock.language);
    auto *words = makeLabel(tr("The lock of %1 repeats exactly this.", "a language").arg(language), foot,
                            FontRole::Small, Colour::Dim);
    words->setMinimumWidth(1);
    row->addWidget(words, 1);
    auto *copy = makeButton(tr("Copy"), u"sessions.packages.copy"_s, foot, tr("Copy the lock of %1").arg(language));
    auto *save = makeButton(tr("Save…"), u"sessions.packages.save"_s, foot, tr("Save the lock of %1").arg(language));
    for (QPushButton *button : {copy, save}) {
        setLook(button, ButtonLook::Link);
        row->addWidget(button);
    }
    connect(copy, &QPushButton::clicked, this, [this, text = shown.text, language] {
        QGuiApplication::clipboard()->setText(QString::fromUtf8(text));
        m_context.notifications().show(
            {.id = u"sessions"_s, .tone = Tone::Ok, .text = tr("The lock of %1 is copied.").arg(language)});
    });
    connect(save, &QPushButton::clicked, this, [this, shown] { saveLock(shown); });
    return foot;
}

void PackagesPanel::saveLock(const ShownLock &shown)
{
    auto *dialog = new QFileDialog(this, tr("Save the lock of %1").arg(languageOf(shown.lock.language)));
    dialog->setObjectName(u"sessions.packages.dialog"_s);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->selectFile(u"%1-%2.lock"_s.arg(sessionName(m_session), shown.lock.language));
    connect(dialog, &QFileDialog::fileSelected, this, [this, text = shown.text](const QString &target) {
        inBackground(
            m_context.pool(), this, [target, text] { return writeLockFile(target, text); },
            [this, target](const Status &written) {
                m_context.notifications().show(
                    {.id = u"sessions"_s,
                     .tone = written ? Tone::Ok : Tone::Warn,
                     .text = withHiddenShown(
                         written ? tr("The lock is saved as %1. To repeat it: glovebox session install SESSION "
                                      "--locked FILE")
                                       .arg(target)
                                 : translated(written.error().message))});
            });
    });
    dialog->open();
}

void PackagesPanel::show(QWidget *part)
{
    m_parts->setCurrentWidget(part);
    m_barRoom->setVisible(isOfShown());
    m_logLink->setVisible(m_log != nullptr && isOfShown() && part != m_form && !m_getting.isBusy());
    m_logLink->setText(part == m_output ? tr("Hide the log") : tr("Log"));
    m_logLink->setAccessibleName(part == m_output ? tr("Hide the log of the installation")
                                                  : tr("Show the log of the installation"));
    const bool hasList = part == m_listPart && !m_list->isHidden();
    QWidget *const first = hasList ? static_cast<QWidget *>(m_list) : part == m_output ? part : m_ask;
    setFocusProxy(first);
}

void PackagesPanel::askToInstall(const QString &language, const QString &names)
{
    Q_EMIT asked();
    if (m_getting.isBusy() && !isOfShown()) {
        m_context.notifications().show(
            {.id = u"sessions"_s,
             .tone = Tone::Info,
             .text = tr("Packages are being installed into %1. Install others when these are done.").arg(m_name)});
        return;
    }
    if (m_getting.isBusy()) {
        show(m_output);
        return m_bar->takeFocus();
    }
    m_bar->say({});
    ask({});
    show(m_form);
    m_form->begin(language, names);
}

bool PackagesPanel::withdraw()
{
    const bool isAsking = m_asked.has_value();
    if ((m_parts->currentWidget() == m_listPart && !isAsking) || m_getting.isBusy())
        return false;
    ask({});
    m_bar->say({});
    show(m_listPart);
    setFocus();
    return true;
}

void PackagesPanel::install(const QList<WantedPackages> &packages)
{
    QList<PackageOrder> orders;
    for (const WantedPackages &each : packages)
        orders.append({.wish = {.language = each.language, .requirements = each.requirements},
                       .session = m_session.id,
                       .keeps = true,
                       .code = {},
                       .without = {}});
    begin(orders);
}

void PackagesPanel::begin(const QList<PackageOrder> &orders)
{
    m_orders = orders;
    m_installed.clear();
    m_for = m_session.id;
    m_name = sessionName(m_session);
    m_output->setLog(nullptr);
    m_log = std::make_unique<OutputLog>();
    m_printed = 0;
    m_output->setLog(m_log.get());
    m_hadFocus = true;
    show(m_output);
    beginNext();
}

void PackagesPanel::beginNext()
{
    const PackageOrder order = m_orders.takeFirst();
    if (!m_getting.begin(order))
        return show(order.without.isEmpty() ? static_cast<QWidget *>(m_form) : m_listPart);
    if (isOfShown())
        show(m_output);
    if (std::exchange(m_hadFocus, false))
        m_bar->takeFocus();
}

// What the order before said stays in the log.
void PackagesPanel::build()
{
    m_orders = m_after;
    m_hadFocus = true;
    if (m_getting.beginWithSource() && std::exchange(m_hadFocus, false))
        m_bar->takeFocus();
}

void PackagesPanel::follow()
{
    Q_EMIT stateChanged();
    if (!m_log)
        return;
    switch (m_getting.stage()) {
    case PackageGetting::Stage::Fetching:
        return m_log->remark(
            OutputLine::Kind::Note,
            (m_getting.isRemoval() ? tr("Removing %1, fetching the other packages from %2") : tr("Fetching %1 from %2"))
                .arg(withHiddenShown(m_getting.names()), translated(m_getting.sources())));
    case PackageGetting::Stage::Asking:
        return m_log->remark(OutputLine::Kind::Note,
                             tr("Fetched %1").arg(withHiddenShown(translated(m_getting.question().summary))));
    case PackageGetting::Stage::AskingToBuild:
        return m_log->remark(OutputLine::Kind::Note,
                             tr("Fetched what %1 is built of: %2")
                                 .arg(withHiddenShown(m_getting.buildQuestion().name),
                                      withHiddenShown(translated(m_getting.buildQuestion().what))));
    case PackageGetting::Stage::Building:
        return m_log->remark(
            OutputLine::Kind::Note,
            tr("Building %1, sealed and without a network").arg(withHiddenShown(m_getting.buildQuestion().name)));
    case PackageGetting::Stage::Installing:
        return m_log->remark(OutputLine::Kind::Note, tr("Installing, without a network"));
    case PackageGetting::Stage::Looking:
    case PackageGetting::Stage::Cancelling:
    case PackageGetting::Stage::Idle:
        return;
    }
}

// Languages before this one have their packages.
QString PackagesPanel::endOf(const Error &error) const
{
    const QString &lacking = m_getting.lacking();
    QString why = lacking.isEmpty() ? translated(error.message) : onlySourceWords(lacking, m_getting.host());
    if (m_installed.isEmpty())
        return why;
    const QString installed = m_installed.join(tr(", ", "between languages"));
    return error.code == ErrorCode::Cancelled
               ? tr("Packages of %1 were not installed, as you cancelled it. Those of %2 are installed.",
                    "a language, languages")
                     .arg(languageOf(m_getting.order().wish.language), installed)
               : tr("%1 Packages of %2 are installed.", "a sentence, languages").arg(why, installed);
}

void PackagesPanel::end(const Result<GotPackages> &got)
{
    m_log->finish();
    if (!got) {
        m_after = std::exchange(m_orders, {});
        m_hadFocus = false;
        const QString sentence = withHiddenShown(endOf(got.error()));
        m_log->remark(OutputLine::Kind::Warning, sentence);
        if (got.error().code != ErrorCode::Cancelled)
            m_bar->say(sentence);
        if (!isVisible() || !isOfShown())
            m_context.notifications().show({.id = u"sessions"_s, .tone = Tone::Warn, .text = sentence});
        return show(isOfShown() ? static_cast<QWidget *>(m_output) : m_listPart);
    }
    const QString language = languageOf(got->installed.lock.language);
    const QString sentence =
        got->installed.lock.packages.isEmpty()
            ? tr("Session %1: runs in it no longer get packages of %2.", "session, language").arg(m_name, language)
            : tr("Session %1: each %2 run in it can import %3.", "session, language, packages")
                  .arg(m_name, language,
                       withHiddenShown(got->installed.lock.names().join(tr(", ", "between packages"))));
    if (got->wereBuiltBefore)
        m_log->remark(OutputLine::Kind::Note,
                      tr("The packages were built of the same sources by the same tools before. "
                         "Those stay, and the new build isn't used."));
    m_log->remark(OutputLine::Kind::Summary, sentence);
    Q_EMIT m_deeds.changed();
    m_installed.append(language);
    if (!m_orders.isEmpty())
        return beginNext();
    m_context.notifications().show({.id = u"sessions"_s, .tone = Tone::Ok, .text = sentence});
    m_form->clear();
    if (const auto &session = got->session; session && isOfShown()) {
        m_session.packages = session->packages;
        read();
    }
    show(m_listPart);
}

} // namespace glovebox
