// SPDX-License-Identifier: Apache-2.0
#include "interpretereditor.h"

#include "app/workbench/shell/look.h"

#include <QRadioButton>

namespace glovebox {

using namespace Qt::StringLiterals;

InterpreterEditor::InterpreterEditor(Theme &theme, QWidget *anchor, const InterpreterChoice &current)
    : Popover(theme, anchor, u"bench.interpreter"_s, tr("Interpreter"), 400)
{
    content()->addWidget(makeLabel(tr("Interpreter"), this, FontRole::Strong));
    const auto add = [this](bool keeps, const QString &text, const QString &explanation) {
        auto *button = new QRadioButton(text, this);
        setNames(button, keeps ? u"bench.interpreter.keep"_s : u"bench.interpreter.new"_s, text);
        button->setAccessibleDescription(explanation);
        button->setAutoExclusive(false); // arrows move on; else the other one would be chosen, and this popover close
        content()->addWidget(button);
        content()->addWidget(makeLabel(explanation, this, FontRole::Small, Colour::Dim));
        connect(button, &QRadioButton::clicked, this, [this, keeps] {
            Q_EMIT chosen(keeps);
            close(true);
        });
        return button;
    };
    QRadioButton *fresh =
        add(false, tr("A new one for each run"), tr("Runs share the files of the session, and nothing else."));
    QRadioButton *kept =
        add(true, tr("One that stays"),
            tr("Each run sees the variables that earlier runs left, as in a console, until Glovebox is closed. Stop "
               "interrupts the code and keeps the variables. Such runs reach no hosts, and get no secrets, folders, "
               "arguments and input."));
    (current.keeps ? kept : fresh)->setChecked(true);
    if (current.keeps && !current.obstacle.isEmpty())
        content()->addWidget(makeLabel(current.obstacle, this, FontRole::Small, Colour::Warn));
    if (current.keeps && current.waits) {
        content()->addWidget(makeLabel(tr("%1 keeps its variables.", "a language").arg(current.language), this));
        auto *clean = makeButton(tr("Start a clean one"), u"bench.interpreter.clean"_s, this);
        setLook(clean, ButtonLook::Link);
        content()->addWidget(clean, 0, Qt::AlignLeading);
        connect(clean, &QPushButton::clicked, this, [this] {
            close(true);
            Q_EMIT cleanWanted();
        });
    }
    open(current.keeps ? kept : fresh);
}

} // namespace glovebox
