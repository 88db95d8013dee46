// SPDX-License-Identifier: Apache-2.0
#include "mainmenu.h"

#include <QMenu>

namespace glovebox {

QAction *addToMenu(QMenu &menu, WorkbenchContext &context, const QString &actionId)
{
    ActionRegistry &actions = context.actions();
    const QAction *action = actions.action(actionId);
    const QString page = actions.spec(actionId)->page;
    const bool isElsewhere = !page.isEmpty() && page != actions.currentPage();
    const QString keys = actions.keys(actionId);
    QString text = action->text();
    if (!keys.isEmpty())
        text += QLatin1Char('\t') + keys;
    QAction *line = menu.addAction(text);
    line->setObjectName(QStringLiteral("menu.") + actionId);
    if (const Icon icon = actions.spec(actionId)->icon; icon != Icon::None)
        line->setIcon(context.theme().icon(icon, Colour::Dim));
    line->setEnabled(isElsewhere || action->isEnabled());
    QObject::connect(line, &QAction::triggered, &context, [&context, page, isElsewhere, actionId] {
        if (isElsewhere)
            context.navigateTo(page);
        context.actions().trigger(actionId);
    });
    return line;
}

void fillMainMenu(QMenu &menu, WorkbenchContext &context, const std::vector<std::unique_ptr<Page>> &pages)
{
    for (const auto &page : pages)
        page->fillMenu(menu);
    menu.addSeparator();
    for (const char *id : {"frame.palette", "frame.shortcuts", "frame.manual", "settings.open", "frame.about"}) {
        if (context.actions().action(QString::fromLatin1(id)))
            addToMenu(menu, context, QString::fromLatin1(id));
    }
    menu.addSeparator();
    addToMenu(menu, context, QStringLiteral("frame.quit"));
}

} // namespace glovebox
