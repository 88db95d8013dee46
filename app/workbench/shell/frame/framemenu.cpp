// SPDX-License-Identifier: Apache-2.0
// The window's menu and its sheets, and the other words by which the palette finds what the window does.
#include "frame.h"

#include "app/workbench/shell/menu/aboutsheet.h"
#include "app/workbench/shell/menu/mainmenu.h"
#include "app/workbench/shell/menu/manualsheet.h"
#include "app/workbench/shell/shortcuts/shortcutssheet.h"
#include "rail.h"

#include <QMenu>
#include <QToolButton>

namespace glovebox {

using namespace Qt::StringLiterals;

void Frame::addMenuActions()
{
    ActionRegistry &actions = m_context.actions();
    QAction *menu = actions.add(
        {.id = u"frame.menu"_s, .text = tr("Menu"), .shortcuts = {QKeySequence(Qt::Key_F10)}, .inPalette = false},
        [this] { showMenu(); });
    m_menuButton = m_rail->addMenuButton(menu, Icon::Menu);
    // Where text is edited, "?" writes itself.
    actions.add({.id = u"frame.shortcuts"_s,
                 .text = tr("Show all shortcuts"),
                 .shortcuts = {QKeySequence(Qt::Key_F1), QKeySequence(Qt::Key_Question)}},
                [this] {
                    QHash<QString, QString> titles;
                    for (const auto &page : m_pages)
                        titles.insert(page->id(), page->title());
                    showSheet(new ShortcutsSheet(m_context, *m_shortcuts, titles, this));
                });
    actions.add({.id = u"frame.manual"_s, .text = tr("Read the manual")},
                [this] { showSheet(new ManualSheet(m_context, this)); });
    actions.add({.id = u"frame.about"_s, .text = tr("About Glovebox")},
                [this] { showSheet(new AboutSheet(m_context, this)); });
    actions.addWords(u"frame.shortcuts"_s,
                     tr("keys keyboard bindings help default reset", "other words for shortcuts"));
    actions.addWords(u"frame.manual"_s, tr("help documentation man page", "other words for the manual"));
    actions.addWords(u"frame.about"_s, tr("version licence license help", "other words for about"));
}

void Frame::addWords()
{
    ActionRegistry &actions = m_context.actions();
    actions.addWords(u"frame.dismiss"_s, tr("clear close hide message notification", "other words for dismissing"));
    actions.addWords(u"frame.dismiss.all"_s, tr("dismiss close hide message notification", "other words for clearing"));
    actions.addWords(u"frame.quit"_s, tr("quit exit", "other words for closing the window"));
    actions.addWords(u"frame.zoom.in"_s, tr("zoom font bigger", "other words for larger text"));
    actions.addWords(u"frame.zoom.out"_s, tr("zoom font", "other words for smaller text"));
    actions.addWords(u"frame.zoom.reset"_s, tr("zoom font default reset", "other words for text at its usual size"));
    for (const char *id : {"frame.theme.system", "frame.theme.light", "frame.theme.dark", "frame.theme.contrast"})
        actions.addWords(QString::fromLatin1(id), tr("theme mode scheme", "other words for colours"));
}

void Frame::showMenu()
{
    auto *menu = new QMenu(this);
    menu->setObjectName(u"frame.menu"_s);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    fillMainMenu(*menu, m_context, m_pages);
    const QPoint below(isRightToLeft() ? m_menuButton->width() : 0, m_menuButton->height());
    QPoint at = m_menuButton->mapToGlobal(below);
    if (isRightToLeft())
        at.rx() -= menu->sizeHint().width();
    menu->popup(at);
    if (!menu->actions().isEmpty())
        menu->setActiveAction(menu->actions().constFirst());
}

// One at a time: who asks for another one is done with this.
void Frame::showSheet(QDialog *sheet)
{
    if (m_sheet)
        m_sheet->close();
    m_sheet = sheet;
    sheet->open();
}

} // namespace glovebox
