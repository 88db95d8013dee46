// SPDX-License-Identifier: Apache-2.0
#include "settingspage.h"

#include "lookrows.h"

#include "app/workbench/shell/look.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int readableWidth = 920;

} // namespace

SettingsPage::SettingsPage(WorkbenchContext &context)
    : m_context(context)
{
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
    body->setMaximumWidth(readableWidth);
    auto *column = columnIn(body, 0, {Space::xl, Space::xl, Space::xl, Space::xl});
    column->addWidget(makeHead(body));
    column->addSpacing(Space::l);
    column->addWidget(makeNotice(body));

    addSection(column, tr("Look"), {}, makeLookRows(m_context.theme(), body));
    const auto wanted = [this](const QString &key, const QVariant &value) { store(key, value); };
    const auto addEngine = [&](const QString &title, const QString &note, const QStringList &groups) {
        QList<SettingRow *> rows;
        for (const QString &group : groups) {
            for (const EngineRow &made : makeEngineRows(m_context.theme(), group, wanted, body)) {
                m_engineRows.append(made);
                rows.append(made.row);
            }
        }
        addSection(column, title, note, rows);
    };
    addEngine(tr("A new run"),
              tr("Defaults for runs on the bench, which you can change there, and for `glovebox run`."),
              {u"run."_s, u"artifacts."_s});
    addEngine(tr("Network of the bench"),
              tr("Every tab starts with these hosts. `glovebox run` starts without hosts. Name them after --allow."),
              {u"bench."_s});
    addEngine(tr("Keys of the window"), {}, {u"window."_s});
    addEngine(tr("Secrets"), {}, {u"vault."_s, u"leaks."_s});
    addEngine(tr("Agents"), tr("Programs that run code here over the Model Context Protocol, such as assistants."),
              {u"mcp."_s});
    addEngine(tr("All runs"), {}, {u"engine."_s, u"packages."_s});
    m_roomRows = makeRoomRows(m_context.theme(), body);
    QList<SettingRow *> rooms;
    for (const RoomRow &made : std::as_const(m_roomRows))
        rooms.append(made.row);
    m_retention = new RetentionRow(m_context, body);
    connect(m_retention, &RetentionRow::deleted, this, [this] { measureRoom(m_context, m_scroll, m_roomRows); });
    rooms.append(m_retention);
    addSection(column, tr("Room on disk"), tr("Measured when this page is opened."), rooms);
    m_nothing = makeLabel(tr("No setting is called like this."), body, FontRole::Base, Colour::Dim);
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
    filter();
    show();
    return m_scroll;
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
    auto *row = new QHBoxLayout;
    row->setSpacing(Space::s);
    const auto add = [&](const QString &actionId, const QString &name) {
        auto *button = makeButton(m_context.actions().action(actionId)->text(), name, m_notice);
        connect(button, &QPushButton::clicked, this, [this, actionId] { m_context.actions().trigger(actionId); });
        row->addWidget(button);
        return button;
    };
    m_again = add(u"settings.reload"_s, u"settings.reload-button"_s);
    m_fresh = add(u"settings.fresh"_s, u"settings.fresh-button"_s);
    row->addStretch();
    words->addLayout(row);
    return m_notice;
}

void SettingsPage::addSection(QVBoxLayout *column, const QString &title, const QString &note,
                              const QList<SettingRow *> &rows)
{
    auto *heading = new QWidget(column->parentWidget());
    auto *words = columnIn(heading, Space::xs, {0, Space::l, 0, Space::xs});
    words->addWidget(makeLabel(title, heading, FontRole::Strong));
    if (!note.isEmpty())
        words->addWidget(makeLabel(note, heading, FontRole::Base, Colour::Dim));
    column->addWidget(heading);
    for (SettingRow *row : rows)
        column->addWidget(row);
    m_sections.append({heading, rows});
}

void SettingsPage::activate()
{
    if (!m_scroll)
        return;
    m_search->setFocus(Qt::ShortcutFocusReason);
    m_search->selectAll();
    measureRoom(m_context, m_scroll, m_roomRows);
    m_retention->measure();
    if (m_context.settings() && m_changes.isEmpty())
        readAgain(); // people and other programs write to it too
}

void SettingsPage::filter()
{
    const QStringList words = m_search->text().split(u' ', Qt::SkipEmptyParts);
    bool any = false;
    for (const Section &section : std::as_const(m_sections)) {
        bool inSection = false;
        for (SettingRow *row : section.rows) {
            const bool shown = row->matches(words);
            row->setVisible(shown);
            inSection = inSection || shown;
        }
        section.heading->setVisible(inSection);
        any = any || inSection;
    }
    m_nothing->setVisible(!any);
}

void SettingsPage::show()
{
    if (!m_scroll)
        return;
    const Settings *settings = m_context.settings();
    for (const EngineRow &made : std::as_const(m_engineRows)) {
        made.row->setEnabled(settings != nullptr);
        if (settings)
            made.show(settings->value(made.key));
    }
    showNotice();
    m_context.actions().refresh();
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

void SettingsPage::engineClosing()
{
    m_changes.clear();
    if (m_scroll)
        m_retention->engineClosing();
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
