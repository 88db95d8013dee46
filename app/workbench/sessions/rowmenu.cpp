// SPDX-License-Identifier: Apache-2.0
#include "rowmenu.h"

#include "app/workbench/shell/actions.h"

#include <QAbstractItemView>
#include <QMenu>

namespace glovebox {

using namespace Qt::StringLiterals;

void offerMenu(QAbstractItemView *view, const ActionRegistry &actions, const QStringList &names)
{
    view->setContextMenuPolicy(Qt::CustomContextMenu);
    QObject::connect(view, &QWidget::customContextMenuRequested, view, [view, &actions, names](const QPoint &place) {
        auto *menu = new QMenu(view);
        menu->setObjectName(view->objectName() + u".menu"_s);
        menu->setAttribute(Qt::WA_DeleteOnClose);
        for (const QString &name : names) {
            if (name.isEmpty())
                menu->addSeparator();
            else
                menu->addAction(actions.action(u"sessions."_s + name));
        }
        menu->popup(view->viewport()->mapToGlobal(place));
    });
}

} // namespace glovebox
