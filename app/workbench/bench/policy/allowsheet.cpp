// SPDX-License-Identifier: Apache-2.0
#include "allowsheet.h"

#include "app/workbench/shell/look.h"

#include <QLabel>
#include <QPushButton>

namespace glovebox {

using namespace Qt::StringLiterals;

AllowSheet::AllowSheet(Theme &theme, QWidget *anchor, const QString &host, bool isOnRecord)
    : Popover(theme, anchor, u"bench.allow"_s, tr("Allow and run again"), 400)
{
    QLabel *name = makeLabel(host, this, FontRole::Code);
    markAsData(name);
    content()->addWidget(name);
    content()->addWidget(
        makeLabel(isOnRecord ? tr("The same code runs again, with the limits and hosts that it had and this host. "
                                  "Secrets and folders aren't granted again. Code that can reach a host can send it "
                                  "anything it has.")
                             : tr("The same code runs again, with what it was allowed before and this host. Code that "
                                  "can reach a host can send it anything it has."),
                  this, FontRole::Base, Colour::Dim));
    const struct
    {
        AllowFor howLong;
        QString name, text, meaning;
    } ways[] = {
        {AllowFor::NextRun, u"once"_s, tr("Allow for the next run"), tr("The run starts now, and nothing is kept.")},
        {AllowFor::Session, u"session"_s, tr("Allow in this tab"),
         tr("All runs of this tab, until it or Glovebox is closed.")},
        {AllowFor::Always, u"always"_s, tr("Always allow"),
         tr("All runs of all tabs, from now on. The settings take it back.")},
    };
    QPushButton *first = nullptr;
    for (const auto &way : ways) {
        auto *button = makeButton(way.text, u"bench.allow."_s + way.name, this);
        button->setAccessibleDescription(way.meaning);
        connect(button, &QPushButton::clicked, this, [this, howLong = way.howLong] {
            Q_EMIT chosen(howLong);
            close(true);
        });
        content()->addWidget(button);
        content()->addWidget(makeLabel(way.meaning, this, FontRole::Small, Colour::Dim));
        first = first ? first : button;
    }
    open(first);
}

} // namespace glovebox
