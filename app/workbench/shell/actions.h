// SPDX-License-Identifier: Apache-2.0
// Everything a person can do by key, button or command palette: one registry, so that nothing exists twice or collides.
#pragma once

#include "icons.h"

#include <QAction>
#include <QHash>
#include <QKeySequence>
#include <QList>
#include <QObject>
#include <QPointer>

#include <functional>
#include <memory>
#include <vector>

class QPushButton;

namespace glovebox {

struct ActionSpec
{
    QString id; // "<page or frame>.<verb>": "bench.run", "frame.palette"; the QAction's objectName is "action." + id
    QString text; // translated, an imperative: "Run", "Close tab"
    QList<QKeySequence> shortcuts; // the first is shown
    Icon icon = Icon::None;
    // Where the shortcut works: empty page: in the whole window; else while that page is shown; with a scope only while
    // the focus is in that widget (then the same keys may mean something else elsewhere).
    QString page;
    QPointer<QWidget> scope;
    std::function<bool()> enabled; // null: always; asked again by ActionRegistry::refresh()
    bool checkable = false;
    bool inPalette = true;
};

// By the action's id; an empty list: no keys at all.
using ShortcutChanges = QHash<QString, QList<QKeySequence>>;

// Lives on the GUI thread; owns its actions.
class ActionRegistry : public QObject
{
    Q_OBJECT
public:
    explicit ActionRegistry(QObject *parent = nullptr);
    ~ActionRegistry() override;

    // run is called when the action is triggered (and enabled). The id must be new: a second one is a fatal error, as
    // adding one is a programmer's act. Actions are added while pages are made.
    QAction *add(ActionSpec spec, std::function<void()> run);

    // A button that says and does what the action does, and is enabled when it is.
    QPushButton *makeButton(const QString &id, const QString &objectName, QWidget *parent) const;

    QAction *action(const QString &id) const; // null: there is none
    const ActionSpec *spec(const QString &id) const;
    QStringList ids() const; // in the order of adding
    // Does it if it is there, enabled and its page is shown (or it has none).
    bool trigger(const QString &id);

    // Shows shortcuts in tool tips: "Run (Ctrl+Return)".
    static QString toolTip(const QAction *action);
    // The widget's tool tip, also after the person gave the action other keys.
    void keepToolTip(QWidget *widget, const QString &id) const;

    // Further words that the palette finds an action by, beside its text: "reset default".
    void addWords(const QString &id, const QString &words);
    QString words(const QString &id) const;

    // The keys of the person's own choice, in place of those of the specs. Changes of an id that is unknown here wait for it.
    void setShortcuts(const ShortcutChanges &changes);
    const ShortcutChanges &changedShortcuts() const { return m_changes; }
    QList<QKeySequence> shortcuts(const QString &id) const; // in force; the first is shown
    QString keys(const QString &id) const; // the first as a person reads it; empty: none
    // Ids of the actions that would not be told apart from this one if it had these keys.
    QStringList clashes(const QString &id, const QKeySequence &keys) const;

    // State behind some enabled() changed. Cheap: the actions are asked once, when the event loop is back.
    void refresh();
    QString currentPage() const { return m_currentPage; }
    void setCurrentPage(const QString &pageId);

    // Shortcuts that would be ambiguous in some state: "Ctrl+W: bench.close, frame.close". Tests expect none.
    QStringList conflicts() const;

    // The widget that page and window shortcuts work in: the window.
    void attachTo(QWidget *window);

Q_SIGNALS:
    void added(const QString &id);
    void shortcutsChanged();

private:
    struct Entry;
    const QList<QKeySequence> &keysOf(const ActionSpec &spec) const;
    void evaluate();
    Entry *find(const QString &id) const;

    std::vector<std::unique_ptr<Entry>> m_entries;
    QPointer<QWidget> m_window;
    QString m_currentPage;
    ShortcutChanges m_changes;
    bool m_refreshPending = false;
};

// "Ctrl+C", as the person's language and system have it.
QString controlKeyName(Qt::Key letter);

} // namespace glovebox
