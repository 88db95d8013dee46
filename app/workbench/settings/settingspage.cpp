// SPDX-License-Identifier: Apache-2.0
#include "settingspage.h"

#include "lookrows.h"

#include "app/workbench/shell/look.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QTimer>
#include <QVBoxLayout>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype rowsOfPart = 5;

} // namespace

SettingsPage::SettingsPage(WorkbenchContext &context)
    : m_context(context)
    , m_nextPart(new QTimer(this))
{
    m_nextPart->setSingleShot(true);
    connect(m_nextPart, &QTimer::timeout, this, &SettingsPage::makeNextPart);
    addActions();
    connect(&context, &WorkbenchContext::settingsChanged, this, &SettingsPage::show);
    connect(&context, &WorkbenchContext::engineChanged, this, &SettingsPage::show);
}

void SettingsPage::addActions()
{
    ActionRegistry &actions = m_context.actions();
    actions.add({.id = u"settings.open"_s,
                 .text = tr("Open the settings"),
                 .shortcuts = {QKeySequence(Qt::CTRL | Qt::Key_Comma)},
                 .icon = Icon::Settings,
                 .inPalette = false},
                [this] { m_context.navigateTo(id()); });
    actions.add({.id = u"settings.find"_s,
                 .text = tr("Find a setting"),
                 .shortcuts = {QKeySequence(Qt::CTRL | Qt::Key_F)},
                 .icon = Icon::Search,
                 .page = SettingsPage::id()},
                [this] { activate(); });
    actions.add({.id = u"settings.reload"_s,
                 .text = tr("Read the settings file again"),
                 .shortcuts = {QKeySequence(Qt::Key_F5)},
                 .icon = Icon::Refresh,
                 .page = SettingsPage::id()},
                [this] { readAgain(); });
    actions.add({.id = u"settings.fresh"_s,
                 .text = tr("Start with fresh settings"),
                 .enabled = [this] { return m_context.settingsError().has_value(); }},
                [this] { startFresh(); });
}

QWidget *SettingsPage::widget()
{
    if (m_scroll)
        return m_scroll;
    m_scroll = new QScrollArea;
    setNames(m_scroll, u"settings"_s, title());
    scrollDownOnly(m_scroll, Colour::Panel);
    auto *content = new QWidget;
    setBackground(content, Colour::Panel);
    auto *body = new QWidget(content);
    keepReadable(body, m_context.theme());
    auto *column = columnIn(body, 0, {Space::xl, Space::xl, Space::xl, Space::xl});
    column->addWidget(makeHead(body));
    column->addSpacing(Space::l);
    column->addWidget(makeNotice(body));

    m_list = new QWidget(body);
    columnIn(m_list, 0);
    column->addWidget(m_list);
    planParts();
    m_nothing = makeLabel(tr("No matching settings."), body, FontRole::Base, Colour::Dim);
    column->addWidget(m_nothing);
    column->addSpacing(Space::l);
    column->addWidget(makeLabel(tr("Settings of runs are kept in this file, which you may also edit by hand:"), body,
                                FontRole::Small, Colour::Dim));
    auto *path = makeLabel(m_context.paths().settingsFile(), body, FontRole::Code, Colour::Dim);
    markAsData(path);
    column->addWidget(path);
    column->addStretch();

    auto *row = rowIn(content, Space::s);
    row->addWidget(body, 100);
    row->addStretch(1);
    m_scroll->setWidget(content);
    m_nothing->hide();
    show();
    return m_scroll;
}

void SettingsPage::planParts()
{
    const auto plan = [this](const QString &section, const QString &note, const QStringList &groups) {
        const QStringList keys = engineKeys(groups);
        for (qsizetype i = 0; i < keys.size(); i += rowsOfPart) {
            m_planned.append(PlannedPart{i == 0 ? section : QString(), note,
                                         [this, part = keys.sliced(i, qMin(rowsOfPart, keys.size() - i))](
                                             QWidget *box) { return makeEngineRowsOf(part, box); }});
        }
    };
    m_planned.append(
        PlannedPart{tr("Look"), {}, [this](QWidget *box) { return makeLookRows(m_context.theme(), box); }});
    plan(tr("A new run"), tr("Defaults for runs on the bench, which you can change there, and for \"glovebox run\"."),
         {u"run."_s, u"artifacts."_s});
    plan(tr("Network of the bench"),
         tr("Every tab starts with these hosts. \"glovebox run\" starts without hosts. Name them after --allow."),
         {u"bench."_s});
    plan(tr("Keys of the window"), {}, {u"window."_s});
    plan(tr("Secrets"), {}, {u"vault."_s, u"leaks."_s});
    plan(tr("Agents"), tr("Programs that run code here over the Model Context Protocol, such as assistants."),
         {u"mcp."_s});
    plan(tr("All runs"), {}, {u"engine."_s, u"packages."_s});
    m_planned.append({tr("Room on disk"), tr("Measured when this page is opened."),
                      [this](QWidget *box) { return makeRooms(box); }});
}

// A part a turn of the event loop, from when the page is first seen: all of them at once keep the window busy for longer than a
// person should notice, and somebody who never opens the page needs none.
void SettingsPage::makeNextPart()
{
    if (!m_scroll)
        return;
    const PlannedPart part = m_planned.takeFirst();
    // Shown as a whole: each row that appears where it can be seen is a layout of the page.
    auto *box = new QWidget(m_list);
    auto *column = columnIn(box, 0);
    if (!part.section.isEmpty()) {
        m_sections.append(Section{makeHeading(part, box), part.section, {}});
        column->addWidget(m_sections.last().heading);
    }
    const QList<SettingRow *> rows = part.makeRows(box);
    for (SettingRow *row : rows)
        column->addWidget(row);
    m_sections.last().rows += rows;
    m_list->layout()->addWidget(box);
    if (m_search->text().isEmpty())
        box->show();
    else
        filter();
    if (!m_planned.isEmpty())
        m_nextPart->start();
}

QWidget *SettingsPage::makeHeading(const PlannedPart &part, QWidget *parent)
{
    auto *heading = new QWidget(parent);
    auto *words = columnIn(heading, Space::xs, {0, Space::l, 0, Space::xs});
    words->addWidget(makeLabel(part.section, heading, FontRole::Strong));
    if (!part.note.isEmpty())
        words->addWidget(makeLabel(part.note, heading, FontRole::Base, Colour::Dim));
    return heading;
}

QList<SettingRow *> SettingsPage::makeEngineRowsOf(const QStringList &keys, QWidget *parent)
{
    QList<SettingRow *> rows;
    const auto wanted = [this](const QString &key, const QVariant &value) { store(key, value); };
    for (const EngineRow &made : makeEngineRows(m_context.theme(), keys, wanted, parent)) {
        m_engineRows.append(made);
        showValue(made);
        rows.append(made.row);
    }
    return rows;
}

QList<SettingRow *> SettingsPage::makeRooms(QWidget *parent)
{
    m_roomRows = makeRoomRows(m_context.theme(), parent);
    QList<SettingRow *> rows;
    for (const RoomRow &made : std::as_const(m_roomRows))
        rows.append(made.row);
    m_retention = new RetentionRow(m_context, parent);
    connect(m_retention, &RetentionRow::deleted, this, [this] { measureRoom(m_context, m_scroll, m_roomRows); });
    rows.append(m_retention);
    measure();
    return rows;
}

void SettingsPage::measure()
{
    measureRoom(m_context, m_scroll, m_roomRows);
    m_retention->measure();
}

QWidget *SettingsPage::makeHead(QWidget *parent)
{
    auto *head = new QWidget(parent);
    auto *row = rowIn(head, Space::l);
    row->addWidget(makeLabel(title(), head, FontRole::Title), 1);
    m_search = new QLineEdit(head);
    m_search->setPlaceholderText(tr("Find a setting"));
    m_search->addAction(m_context.theme().icon(Icon::Search, Colour::Dim), QLineEdit::LeadingPosition);
    m_search->setClearButtonEnabled(true);
    setNames(m_search, u"settings.search"_s, tr("Show settings that contain"));
    row->addWidget(m_search, 1);
    connect(m_search, &QLineEdit::textChanged, this, &SettingsPage::filter);
    return head;
}

// What is wrong with the file, above everything else.
QWidget *SettingsPage::makeNotice(QWidget *parent)
{
    m_notice = new QWidget(parent);
    auto *words = columnIn(m_notice, Space::s, {0, 0, 0, Space::l});
    m_trouble = makeLabel({}, m_notice, FontRole::Base, Colour::Bad);
    m_trouble->setObjectName(u"settings.trouble"_s);
    m_meaning = makeLabel({}, m_notice, FontRole::Base, Colour::Dim);
    words->addWidget(m_trouble);
    words->addWidget(m_meaning);
    m_answers = new QBoxLayout(QBoxLayout::LeftToRight);
    m_answers->setSpacing(Space::s);
    const auto add = [&](const QString &actionId, const QString &name) {
        auto *button = makeButton(m_context.actions().action(actionId)->text(), name, m_notice);
        connect(button, &QPushButton::clicked, this, [this, actionId] { m_context.actions().trigger(actionId); });
        m_answers->addWidget(button, 0, Qt::AlignLeading);
        return button;
    };
    m_again = add(u"settings.reload"_s, u"settings.reload-button"_s);
    m_fresh = add(u"settings.fresh"_s, u"settings.fresh-button"_s);
    m_answers->addStretch(1);
    words->addLayout(m_answers);
    m_notice->setMinimumWidth(1); // at large text the buttons stand below each other
    m_notice->installEventFilter(this);
    return m_notice;
}

bool SettingsPage::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_notice && event->type() == QEvent::Resize) {
        const int width = m_again->sizeHint().width() + Space::s + m_fresh->sizeHint().width();
        m_answers->setDirection(width <= m_notice->width() ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    }
    return Page::eventFilter(watched, event);
}

void SettingsPage::deactivate()
{
    m_isCurrent = false;
    showBanner();
}

void SettingsPage::activate()
{
    if (!m_scroll)
        return;
    m_isCurrent = true;
    showBanner();
    m_search->setFocus(Qt::ShortcutFocusReason);
    m_search->selectAll();
    if (m_sections.isEmpty())
        makeNextPart();
    else if (m_retention)
        measure();
    if (m_context.settings() && m_changes.isEmpty())
        readAgain(); // people and other programs write to it too
}

void SettingsPage::filter()
{
    const QStringList words = m_search->text().split(u' ', Qt::SkipEmptyParts);
    m_list->hide(); // each row that appears where it can be seen is a layout of the page
    bool any = false;
    for (const Section &section : std::as_const(m_sections)) {
        bool inSection = false;
        for (SettingRow *row : section.rows) {
            const bool shown = row->matches(words, section.title);
            row->setVisible(shown);
            inSection = inSection || shown;
        }
        section.heading->setVisible(inSection);
        any = any || inSection;
    }
    m_list->show();
    m_nothing->setVisible(!any);
}

void SettingsPage::show()
{
    showBanner();
    if (!m_scroll)
        return;
    for (const EngineRow &made : std::as_const(m_engineRows))
        showValue(made);
    showNotice();
    m_context.actions().refresh();
}

void SettingsPage::showValue(const EngineRow &made)
{
    const Settings *settings = m_context.settings();
    made.row->setEnabled(settings != nullptr);
    if (settings)
        made.show(settings->value(made.key));
}

void SettingsPage::showNotice()
{
    const auto broken = m_context.settingsError();
    const auto closed = m_context.engineError();
    m_notice->setVisible(broken || closed);
    m_fresh->setVisible(broken.has_value());
    if (broken) {
        m_trouble->setText(translated(broken->message));
        const QString meaning = freshSettingsSentence(m_context.paths().settingsFile());
        m_meaning->setText(m_context.settings() ? tr("The earlier settings stay in force meanwhile.") + u' ' + meaning
                                                : meaning);
    } else if (closed) {
        m_trouble->setText(translated(closed->message));
        m_meaning->setText(tr("The settings of runs can be changed when the engine is open."));
    }
}

// For whoever is elsewhere when another program writes there; the page itself says more.
void SettingsPage::showBanner()
{
    const auto bannerId = u"settings"_s;
    const auto broken = m_context.settingsError();
    if (!broken || !m_context.settings() || m_isCurrent)
        return m_context.notifications().clearBanner(bannerId);
    m_context.notifications().setBanner(
        {.id = bannerId,
         .tone = Tone::Warn,
         .text = tr("The settings file can't be used, so the earlier settings stay in force."),
         .detail = translated(broken->message),
         .remedies = {{tr("Open the settings"), [this] { m_context.navigateTo(id()); }}},
         .dismissible = true});
}

void SettingsPage::engineClosing()
{
    m_changes.clear();
    if (m_scroll && m_retention)
        m_retention->engineClosing();
}

QString SettingsPage::closingEnds() const
{
    return m_scroll && m_retention && m_retention->isDeleting()
               ? tr("Code and output of old runs are being deleted; closing interrupts that until the next start.")
               : QString();
}

// --- the file

void SettingsPage::store(const QString &key, const QVariant &value)
{
    m_changes.append({key, value});
    if (m_changes.size() == 1)
        storeNext();
}

// One at a time, in the order of the person's acts, off the GUI thread: the file has a lock, and is synced.
void SettingsPage::storeNext()
{
    Settings *settings = m_context.settings();
    if (!settings)
        m_changes.clear();
    if (m_changes.isEmpty())
        return;
    const Change change = m_changes.first();
    inBackground(
        m_context.pool(), this,
        [settings, change] {
            return change.value.isValid() ? settings->store(change.key, change.value) : settings->remove(change.key);
        },
        [this, change](const Status &status) { stored(change, status); });
}

void SettingsPage::stored(const Change &change, const Status &status)
{
    if (m_changes.isEmpty())
        return; // the engine is closing
    m_changes.removeFirst();
    if (status)
        m_context.tellSettings(std::nullopt);
    else
        readAgain(); // whether the file is to blame
    for (const EngineRow &made : std::as_const(m_engineRows)) {
        if (made.key != change.key || !m_context.settings())
            continue;
        made.show(m_context.settings()->value(made.key));
        made.row->showError(status ? QString() : tr("Not saved. %1").arg(translated(status.error().message)));
    }
    storeNext();
}

void SettingsPage::readAgain()
{
    Settings *settings = m_context.settings();
    if (!settings) {
        m_context.retryEngine();
        return;
    }
    inBackground(
        m_context.pool(), this, [settings] { return settings->reload(); },
        [this](const Status &status) {
            if (!m_context.settings())
                return;
            const std::optional<Error> error = status ? std::nullopt : std::optional(status.error());
            m_context.tellSettings(error);
        });
}

void SettingsPage::startFresh()
{
    inBackground(
        m_context.pool(), this, [file = m_context.paths().settingsFile()] { return Settings::moveAside(file); },
        [this](const Result<QString> &aside) {
            m_context.notifications().show(
                {.id = u"settings-fresh"_s,
                 .tone = aside ? Tone::Ok : Tone::Bad,
                 .text = aside ? tr("The settings are the defaults now. The old file is %1.").arg(*aside)
                               : translated(aside.error().message),
                 .stays = true});
            if (aside)
                readAgain();
        });
}

} // namespace glovebox
