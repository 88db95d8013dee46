// SPDX-License-Identifier: Apache-2.0
// The window: a rail of pages, their stack, banners above, the status bar below, notes and the command palette on top.
#pragma once

#include "app/workbench/shell/context.h"
#include "app/workbench/shell/page.h"

#include <QDialog>
#include <QPointer>
#include <QTimer>
#include <QWidget>

#include <memory>
#include <vector>

class QStackedWidget;

namespace glovebox {

class CommandPalette;
class MessagePane;
class NoteArea;
class Rail;
class ShortcutStore;
class StatusBar;

// Lives on the GUI thread. Pages are shown in the order given; the first is where a new window starts.
class Frame : public QWidget
{
    Q_OBJECT
public:
    Frame(WorkbenchContext &context, std::vector<std::unique_ptr<Page>> pages);
    ~Frame() override;

    const std::vector<std::unique_ptr<Page>> &pages() const { return m_pages; }
    Page *page(const QString &id) const;
    QString currentPage() const { return m_current ? m_current->id() : QString(); }
    void showPage(const QString &id, const QJsonObject &request = {});
    // Shows the page that takes them; a note when none does.
    void openFiles(const QStringList &paths);

    // Size, place, page, colours, text size and what the pages remember. Broken layouts are told and left out.
    // False: there is none yet, as at the first start.
    bool restoreLayout();
    void saveLayout();
    // What is unsaved goes to the stash, and the layout with it. Doesn't wait for the disk.
    void stashAll();
    // Asks first when that would end something; then the window goes and closed() is emitted. Force doesn't ask.
    void closeWindow(bool force);

Q_SIGNALS:
    void closed();

protected:
    void closeEvent(QCloseEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void moveEvent(QMoveEvent *) override { saveSoon(); }
    void changeEvent(QEvent *event) override;
    bool focusNextPrevChild(bool next) override;

private:
    void addActions();
    void addPage(Page &page, int number);
    void addMenuActions();
    void addWords();
    void addThemeActions();
    void showMenu();
    void showSheet(QDialog *sheet);
    void onEngineChanged();
    void showEngineState();
    void showTrouble(const Error &error);
    QString closingEnds() const; // of all pages
    void askBeforeClosing();
    QList<QWidget *> areas() const;
    void focusNextArea();
    void updateTitle();
    void updateStatus();
    void placeNotes();
    void saveSoon();

    WorkbenchContext &m_context;
    std::vector<std::unique_ptr<Page>> m_pages;
    Page *m_current = nullptr;
    Rail *m_rail;
    NoteArea *m_banners;
    QStackedWidget *m_stack;
    StatusBar *m_status;
    NoteArea *m_notes;
    CommandPalette *m_palette;
    ShortcutStore *m_shortcuts;
    QPointer<QDialog> m_sheet; // of shortcuts, or about the program
    QPointer<QWidget> m_menuButton;
    QPointer<QDialog> m_question;
    QPointer<MessagePane> m_trouble;
    QTimer m_saveTimer;
    bool m_engineSeen = false;
    bool m_restored = false;
    bool m_closing = false;
};

} // namespace glovebox
