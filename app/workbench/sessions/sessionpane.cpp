// SPDX-License-Identifier: Apache-2.0
#include "sessionpane.h"

#include "list/sessionsmodel.h"

#include "app/workbench/editor/file/hiddentext.h"
#include "app/workbench/shell/look.h"
#include "app/workbench/shell/words/sessionwords.h"

#include <QKeyEvent>
#include <QMenu>
#include <QSplitter>
#include <QTabBar>
#include <QToolButton>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int roomForBoth = 700; // px for files and snapshots side by side
constexpr int roomForRows = 560; // px in height, for packages and jobs below these
constexpr int roomForFacts = 420; // px in height

enum Part { FilesPart, SnapshotsPart, PackagesPart, JobsPart }; // as the pills have them

} // namespace

SessionPane::SessionPane(WorkbenchContext &context, SessionDeeds &deeds, QWidget *parent)
    : QWidget(parent)
    , m_context(context)
    , m_deeds(deeds)
    , m_pills(new QTabBar(this))
    , m_rows(new QSplitter(Qt::Vertical, this))
    , m_parts(new QSplitter(Qt::Horizontal, m_rows))
    , m_below(new QSplitter(Qt::Horizontal, m_rows))
    , m_files(new FilesPanel(context, deeds, m_parts))
    , m_snapshots(new SnapshotsPanel(context, deeds, m_parts))
    , m_packages(new PackagesPanel(context, deeds, m_below))
    , m_jobs(new JobsPanel(context, deeds, m_below))
{
    setObjectName(u"sessions.details"_s);
    setBackground(this, Colour::Panel);
    auto *column = columnIn(this, 0);
    m_head = makeHead();
    column->addWidget(m_head);
    column->addWidget(makeRule(Qt::Horizontal, this));
    setLook(m_pills, TabLook::Pill);
    setNames(m_pills, u"sessions.parts"_s, tr("Parts of the session"));
    m_pills->addTab(tr("Files"));
    m_pills->addTab(tr("Snapshots"));
    m_pills->addTab(tr("Packages"));
    m_pills->addTab(tr("Jobs"));
    m_pills->setDrawBase(false);
    column->addWidget(m_pills);
    connect(m_pills, &QTabBar::currentChanged, this, &SessionPane::arrange);
    connect(m_files, &FilesPanel::asked, m_pills, [this] { m_pills->setCurrentIndex(FilesPart); });
    connect(m_snapshots, &SnapshotsPanel::asked, m_pills, [this] { m_pills->setCurrentIndex(SnapshotsPart); });
    connect(m_packages, &PackagesPanel::asked, m_pills, [this] { m_pills->setCurrentIndex(PackagesPart); });
    connect(m_jobs, &JobsPanel::asked, m_pills, [this] { m_pills->setCurrentIndex(JobsPart); });
    connect(m_jobs, &JobsPanel::contentChanged, this, &SessionPane::arrange);
    for (QSplitter *pair : {m_parts, m_below}) {
        pair->setChildrenCollapsible(false);
        pair->setStretchFactor(0, 1);
        pair->setStretchFactor(1, 1);
        pair->setSizes({1000, 1000});
    }
    m_rows->setChildrenCollapsible(false);
    m_rows->setStretchFactor(0, 3);
    m_rows->setStretchFactor(1, 2);
    m_rows->setSizes({600, 400});
    column->addWidget(m_rows, 1);
    column->addStretch(); // where the parts of a damaged one aren't
    ask(false);
}

QWidget *SessionPane::makeHead()
{
    Theme &theme = m_context.theme();
    auto *head = new QWidget(this);
    setBackground(head, Colour::Raised);
    auto *column = columnIn(head, Space::xs, {Space::l, Space::m, Space::m, Space::m});
    auto *line = new QHBoxLayout;
    line->setSpacing(Space::s);
    m_title = makeLabel({}, head, FontRole::Title);
    m_title->setObjectName(u"sessions.details.name"_s);
    m_title->setMinimumWidth(1);
    markAsData(m_title);
    line->addWidget(m_title, 1);
    const auto addButton = [&](const QString &action, const QString &text, ButtonLook look) {
        auto *button = m_context.actions().makeButton(u"sessions."_s + action, u"sessions.details."_s + action, head);
        button->setText(text);
        setLook(button, look);
        line->addWidget(button);
        return button;
    };
    m_forSound = {addButton(u"run"_s, tr("Run in it"), ButtonLook::Primary),
                  addButton(u"fork"_s, tr("Fork"), ButtonLook::Normal)};
    m_forDamaged = addButton(u"remove"_s, tr("Delete…"), ButtonLook::Normal);
    auto *more = makeIconButton(theme.icon(Icon::More, Colour::Dim), u"sessions.details.more"_s,
                                tr("More that can be done with the session"), head, tr("More"));
    more->setFocusPolicy(Qt::StrongFocus);
    auto *menu = new QMenu(more);
    for (const auto &name : {u"put"_s, u"putfolder"_s, u"save"_s, u"removefile"_s, u"install"_s, u"uninstall"_s, u""_s,
                             u"label"_s, u"rollback"_s, u"forkfrom"_s, u"history"_s, u""_s, u"remove"_s})
        name.isEmpty() ? menu->addSeparator()
                       : (menu->addAction(m_context.actions().action(u"sessions."_s + name)), nullptr);
    connect(more, &QToolButton::clicked, this, [more, menu] {
        const QPoint below(more->isRightToLeft() ? 0 : more->width() - menu->sizeHint().width(), more->height());
        menu->popup(more->mapToGlobal(below));
    });
    line->addWidget(more);
    auto *close = makeIconButton(theme.icon(Icon::Close, Colour::Dim), u"sessions.details.close"_s,
                                 tr("Close the details"), head, tr("Close the details (Esc)"));
    close->setFocusPolicy(Qt::StrongFocus);
    connect(close, &QToolButton::clicked, this, &SessionPane::dismissed);
    line->addWidget(close);
    column->addLayout(line);
    const auto add = [&](const QString &name, FontRole font, Colour colour) {
        auto *label = makeLabel({}, head, font, colour);
        label->setObjectName(u"sessions.details."_s + name);
        column->addWidget(label);
        return label;
    };
    m_status = add(u"status"_s, FontRole::Base, Colour::Dim);
    m_facts = add(u"facts"_s, FontRole::Small, Colour::Dim);
    m_trouble = add(u"trouble"_s, FontRole::Base, Colour::Warn);
    m_answers = new QWidget(head);
    auto *row = rowIn(m_answers, Space::s);
    m_yes = makeButton(tr("Delete the session"), u"sessions.details.yes"_s, m_answers);
    m_no = makeButton(tr("Keep it"), u"sessions.details.no"_s, m_answers, tr("Keep the session"));
    row->addWidget(m_yes);
    row->addWidget(m_no);
    row->addStretch();
    column->addWidget(m_answers);
    connect(m_yes, &QPushButton::clicked, this, [this] {
        ask(false);
        m_deeds.remove(m_shown.session.id, sessionName(m_shown.session));
    });
    connect(m_no, &QPushButton::clicked, this, [this] { ask(false); });
    return head;
}

void SessionPane::setSession(const ShownSession &shown)
{
    const bool isOther = shown.session.id != m_shown.session.id;
    m_shown = shown;
    if (isOther)
        ask(false);
    m_rows->setVisible(!shown.damage);
    for (QWidget *button : std::as_const(m_forSound))
        button->setVisible(!shown.damage);
    m_forDamaged->setVisible(shown.damage.has_value());
    if (!shown.damage) {
        m_files->setSession(shown);
        m_snapshots->setSession(shown);
        m_packages->setSession(shown);
        m_jobs->setSession(shown);
    }
    showFacts();
    arrange();
}

void SessionPane::showFacts()
{
    const Session &session = m_shown.session;
    m_title->setText(sessionName(session));
    if (m_isAsking)
        return;
    if (m_shown.damage) {
        showText(m_status, {});
        showText(m_facts, tr("Session %1").arg(session.id));
        showText(m_trouble, withHiddenShown(translated(m_shown.damage->message)));
        setTextColour(m_trouble, Colour::Bad);
        return;
    }
    const Snapshot *now = session.snapshot(session.head);
    showText(m_status, tr("%1, %2 · %3 on this machine for all snapshots", "disk, files, size")
                               .arg(diskPhrase(m_shown), tr("%Ln file(s)", "", int(now ? now->files : 0)),
                                    sizeWord(session.storedBytes))
                           + (m_shown.isShared ? tr(", in part shared with forks") : QString()));
    QStringList facts;
    facts << (session.allow.isEmpty() ? tr("No network of its own")
                                      : tr("Runs in it may reach %1").arg(session.allow.join(tr(", "))));
    if (!session.profile.isEmpty())
        facts << tr("Runs from the command line have the profile %1").arg(session.profile);
    facts << (session.isExpired(Clock::system().nowMicroseconds())
                  ? tr("expired on %1; deleted some days later unless used").arg(dayWord(expiryOf(session)))
              : session.timeToLive ? tr("deleted on %1 unless used").arg(dayWord(expiryOf(session)))
                                   : tr("kept until it is deleted"));
    facts << (m_shown.owner.isEmpty()
                  ? tr("made on %1").arg(dayWord(session.createdMicroseconds))
                  : tr("made by %1 on %2").arg(m_shown.owner, dayWord(session.createdMicroseconds)));
    showText(m_facts, facts.join(u" · "_s));
    const Fullness fullness = fullnessOf(session, m_shown.wasFull);
    QStringList troubles;
    if (m_shown.isBusy)
        troubles << usePhrase(m_shown);
    if (m_shown.wasFull)
        troubles << tr("Full: the last run could not write. Delete files, or fork the session with a larger disk.");
    else if (fullness == Fullness::Full)
        troubles << tr("Full. Delete files, or fork the session with a larger disk.");
    else if (fullness == Fullness::Near)
        troubles << tr("Nearly full. Delete files, or fork the session with a larger disk.");
    showText(m_trouble, troubles.join(u'\n'));
    setTextColour(m_trouble, fullness == Fullness::Roomy ? Colour::Text : fullnessColour(fullness));
}

void SessionPane::askToRemove()
{
    if (!m_isAsking)
        m_focusBefore = window()->focusWidget();
    ask(true);
    const qsizetype snapshots = m_shown.session.snapshots.size();
    showText(
        m_trouble,
        m_shown.damage
            ? tr("Delete the session? All that is left of its files goes, and nobody can bring it back.")
            : tr("Delete %1? Its files and %Ln snapshot(s) go, and nobody can bring them back.", "", int(snapshots))
                  .arg(sessionName(m_shown.session)));
    setTextColour(m_trouble, Colour::Warn);
    m_no->setFocus(Qt::ShortcutFocusReason); // which is seen
}

void SessionPane::ask(bool isAsking)
{
    const bool hadFocus = m_yes->hasFocus() || m_no->hasFocus();
    m_isAsking = isAsking;
    m_answers->setVisible(isAsking);
    if (!isAsking && !m_shown.session.id.isEmpty()) {
        showFacts();
        arrange();
    }
    if (hadFocus && !isAsking && m_focusBefore)
        m_focusBefore->setFocus();
}

QList<QWidget *> SessionPane::areas() const
{
    return m_shown.damage ? QList<QWidget *>{m_head}
                          : QList<QWidget *>{m_head, m_pills, m_files, m_snapshots, m_packages, m_jobs};
}

void SessionPane::keyPressEvent(QKeyEvent *event)
{
    if (event->key() != Qt::Key_Escape)
        return QWidget::keyPressEvent(event);
    if (m_isAsking)
        ask(false);
    else if (!m_files->withdraw() && !m_snapshots->withdraw() && !m_packages->withdraw() && !m_jobs->withdraw())
        Q_EMIT dismissed();
}

void SessionPane::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    arrange();
}

void SessionPane::arrange()
{
    const Theme &theme = m_context.theme();
    const bool isNarrow = width() < theme.scaled(roomForBoth) || height() < theme.scaled(roomForRows);
    const int part = m_pills->currentIndex();
    m_pills->setVisible(isNarrow && !m_shown.damage);
    m_pills->setTabVisible(JobsPart, m_jobs->hasContent());
    m_files->setVisible(!isNarrow || part == FilesPart);
    m_snapshots->setVisible(!isNarrow || part == SnapshotsPart);
    m_parts->setVisible(!isNarrow || part == FilesPart || part == SnapshotsPart);
    m_packages->setVisible(!isNarrow || part == PackagesPart);
    m_jobs->setVisible(m_jobs->hasContent() && (!isNarrow || part == JobsPart));
    m_below->setVisible(!isNarrow || part == PackagesPart || part == JobsPart);
    const bool hasRoom = m_shown.damage || height() >= m_context.theme().scaled(roomForFacts);
    m_facts->setVisible(hasRoom && !m_facts->text().isEmpty());
    m_status->setToolTip(hasRoom ? QString() : m_facts->text());
}

} // namespace glovebox
