// SPDX-License-Identifier: Apache-2.0
#include "terminaleditor.h"

#include "app/workbench/shell/look.h"

#include <QRadioButton>

namespace glovebox {

using namespace Qt::StringLiterals;

TerminalEditor::TerminalEditor(Theme &theme, QWidget *anchor, bool current)
    : Popover(theme, anchor, u"bench.terminal"_s, tr("Terminal"), 380)
{
    content()->addWidget(makeLabel(tr("Terminal"), this, FontRole::Strong));
    const auto add = [this](bool terminal, const QString &text, const QString &explanation) {
        auto *button = new QRadioButton(text, this);
        setNames(button, terminal ? u"bench.terminal.on"_s : u"bench.terminal.off"_s, text);
        button->setAccessibleDescription(explanation);
        button->setAutoExclusive(false); // arrows move on; else the other one would be chosen, and this popover close
        content()->addWidget(button);
        content()->addWidget(makeLabel(explanation, this, FontRole::Small, Colour::Dim));
        connect(button, &QRadioButton::clicked, this, [this, terminal] {
            Q_EMIT chosen(terminal);
            close(true);
        });
        return button;
    };
    QRadioButton *off = add(false, tr("No terminal"),
                            tr("Output and errors are told apart. Programs see a pipe, and rarely ask anything."));
    QRadioButton *on = add(true, tr("A terminal of its own"),
                           tr("Programs behave as in a console and may draw on the whole screen and ask for passwords. "
                              "Output and errors are one stream. Keys go to the program when you click into the "
                              "output. The input line sends a line at a time."));
    (current ? on : off)->setChecked(true);
    open(current ? on : off);
}

} // namespace glovebox
