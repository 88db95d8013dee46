// SPDX-License-Identifier: Apache-2.0
#include "actions.h"

#include "look.h"

#include <QCoreApplication>
#include <QPushButton>
#include <QTimer>
#include <QWidget>

#include <algorithm>

namespace glovebox {

struct ActionRegistry::Entry
{
    ActionSpec spec;
    QAction *action = nullptr;
    QString words;
};

namespace {

// Whether both can be meant at the same time: never on two pages, nor in two widgets of which none is inside the other.
bool meet(const ActionSpec &a, const ActionSpec &b)
{
    if (!a.page.isEmpty() && !b.page.isEmpty() && a.page != b.page)
        return false;
    return !a.scope || !b.scope || a.scope == b.scope || a.scope->isAncestorOf(b.scope)
           || b.scope->isAncestorOf(a.scope);
}

// "Ctrl+K" also takes the first stroke of "Ctrl+K, Ctrl+C".
bool overlap(const QKeySequence &a, const QKeySequence &b)
{
    return !a.isEmpty() && !b.isEmpty()
           && (a.matches(b) != QKeySequence::NoMatch || b.matches(a) != QKeySequence::NoMatch);
}

} // namespace

ActionRegistry::ActionRegistry(QObject *parent)
    : QObject(parent)
{
}

ActionRegistry::~ActionRegistry() = default;

QAction *ActionRegistry::add(ActionSpec spec, std::function<void()> run)
{
    if (find(spec.id))
        qFatal("The action %s was added twice.", qPrintable(spec.id));
    auto *action = new QAction(spec.text, this);
    action->setObjectName(QStringLiteral("action.") + spec.id);
    action->setShortcuts(keysOf(spec));
    action->setCheckable(spec.checkable);
    connect(action, &QAction::triggered, this, [run = std::move(run)] { run(); });

    if (spec.scope) {
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        spec.scope->addAction(action);
    } else {
        action->setShortcutContext(Qt::WindowShortcut);
        if (m_window)
            m_window->addAction(action);
    }
    const QString id = spec.id;
    m_entries.push_back(std::make_unique<Entry>(Entry{std::move(spec), action, {}}));
    refresh();
    Q_EMIT added(id);
    return action;
}

ActionRegistry::Entry *ActionRegistry::find(const QString &id) const
{
    for (const auto &entry : m_entries) {
        if (entry->spec.id == id)
            return entry.get();
    }
    return nullptr;
}

QPushButton *ActionRegistry::makeButton(const QString &id, const QString &objectName, QWidget *parent) const
{
    QAction *wanted = action(id);
    auto *button = new QPushButton(wanted->text(), parent);
    setNames(button, objectName, wanted->text());
    keepToolTip(button, id);
    button->setEnabled(wanted->isEnabled());
    connect(button, &QPushButton::clicked, wanted, &QAction::trigger);
    connect(wanted, &QAction::enabledChanged, button, &QPushButton::setEnabled);
    return button;
}

QAction *ActionRegistry::action(const QString &id) const
{
    const Entry *entry = find(id);
    return entry ? entry->action : nullptr;
}

const ActionSpec *ActionRegistry::spec(const QString &id) const
{
    const Entry *entry = find(id);
    return entry ? &entry->spec : nullptr;
}

QStringList ActionRegistry::ids() const
{
    QStringList all;
    for (const auto &entry : m_entries)
        all.append(entry->spec.id);
    return all;
}

bool ActionRegistry::trigger(const QString &id)
{
    evaluate();
    QAction *wanted = action(id);
    if (!wanted || !wanted->isEnabled())
        return false;
    wanted->trigger();
    return true;
}

QString ActionRegistry::toolTip(const QAction *action)
{
    const QString keys = action->shortcut().toString(QKeySequence::NativeText);
    return keys.isEmpty() ? action->text()
                          : QCoreApplication::translate("ActionRegistry", "%1 (%2)").arg(action->text(), keys);
}

void ActionRegistry::keepToolTip(QWidget *widget, const QString &id) const
{
    QAction *wanted = action(id);
    if (!wanted)
        return;
    const auto show = [widget, wanted] { widget->setToolTip(toolTip(wanted)); };
    connect(wanted, &QAction::changed, widget, show);
    show();
}

void ActionRegistry::addWords(const QString &id, const QString &words)
{
    Entry *entry = find(id);
    if (!entry)
        qFatal("There is no action %s to be found by other words.", qPrintable(id));
    entry->words = words;
}

QString ActionRegistry::words(const QString &id) const
{
    const Entry *entry = find(id);
    return entry ? entry->words : QString();
}

const QList<QKeySequence> &ActionRegistry::keysOf(const ActionSpec &spec) const
{
    const auto changed = m_changes.constFind(spec.id);
    return changed == m_changes.constEnd() ? spec.shortcuts : *changed;
}

void ActionRegistry::setShortcuts(const ShortcutChanges &changes)
{
    if (changes == m_changes)
        return;
    m_changes = changes;
    for (const auto &entry : m_entries)
        entry->action->setShortcuts(keysOf(entry->spec));
    Q_EMIT shortcutsChanged();
}

QList<QKeySequence> ActionRegistry::shortcuts(const QString &id) const
{
    const Entry *entry = find(id);
    return entry ? keysOf(entry->spec) : QList<QKeySequence>();
}

QString ActionRegistry::keys(const QString &id) const
{
    const QList<QKeySequence> all = shortcuts(id);
    return all.isEmpty() ? QString() : all.first().toString(QKeySequence::NativeText);
}

QStringList ActionRegistry::clashes(const QString &id, const QKeySequence &keys) const
{
    QStringList found;
    const Entry *wanted = find(id);
    for (const auto &entry : m_entries) {
        if (wanted && entry.get() != wanted && meet(wanted->spec, entry->spec)
            && std::ranges::any_of(keysOf(entry->spec),
                                   [&keys](const QKeySequence &other) { return overlap(keys, other); }))
            found.append(entry->spec.id);
    }
    return found;
}

void ActionRegistry::refresh()
{
    if (m_refreshPending)
        return;
    m_refreshPending = true;
    QTimer::singleShot(0, this, &ActionRegistry::evaluate);
}

void ActionRegistry::evaluate()
{
    m_refreshPending = false;
    for (const auto &entry : m_entries) {
        const ActionSpec &spec = entry->spec;
        const bool shown = spec.page.isEmpty() || spec.page == m_currentPage;
        entry->action->setEnabled(shown && (!spec.enabled || spec.enabled()));
    }
}

void ActionRegistry::setCurrentPage(const QString &pageId)
{
    m_currentPage = pageId;
    evaluate();
}

QStringList ActionRegistry::conflicts() const
{
    QStringList found;
    for (size_t i = 0; i < m_entries.size(); ++i) {
        for (size_t j = i + 1; j < m_entries.size(); ++j) {
            const ActionSpec &a = m_entries[i]->spec;
            const ActionSpec &b = m_entries[j]->spec;
            if (!meet(a, b))
                continue;
            for (const QKeySequence &keys : keysOf(a)) {
                for (const QKeySequence &other : keysOf(b)) {
                    if (overlap(keys, other))
                        found.append(QStringLiteral("%1: %2, %3").arg(keys.toString(), a.id, b.id));
                }
            }
        }
    }
    return found;
}

void ActionRegistry::attachTo(QWidget *window)
{
    m_window = window;
    for (const auto &entry : m_entries) {
        if (!entry->spec.scope)
            window->addAction(entry->action);
    }
}

QString controlKeyName(Qt::Key letter)
{
    return QKeySequence(Qt::CTRL | letter).toString(QKeySequence::NativeText);
}

} // namespace glovebox
