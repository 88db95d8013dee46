// SPDX-License-Identifier: Apache-2.0
#include "languageeditor.h"

#include "app/workbench/shell/look.h"

#include <QRadioButton>

namespace glovebox {

using namespace Qt::StringLiterals;

LanguageEditor::LanguageEditor(Theme &theme, QWidget *anchor, const QList<LanguageChoice> &languages,
                               const QString &current, const QString &interpreter)
    : Popover(theme, anchor, u"bench.language"_s, tr("Language"), 340)
{
    content()->addWidget(makeLabel(tr("Language"), this, FontRole::Strong));
    QWidget *first = nullptr;
    for (const LanguageChoice &language : languages) {
        auto *button = new QRadioButton(language.name, this);
        setNames(button,
                 u"bench.language."_s + (language.id.isEmpty() ? u"auto"_s : language.id) + language.interpreter,
                 language.trouble.isEmpty() ? language.name : language.name + u": "_s + language.trouble);
        button->setAutoExclusive(false); // arrows move on; else the next one would be chosen, and this popover close
        button->setChecked(language.id == current && language.interpreter == interpreter);
        if (!first || button->isChecked())
            first = button;
        content()->addWidget(button);
        if (!language.trouble.isEmpty())
            content()->addWidget(makeLabel(language.trouble, this, FontRole::Small, Colour::Warn));
        connect(button, &QRadioButton::clicked, this, [this, id = language.id, path = language.interpreter] {
            Q_EMIT chosen(id, path);
            close(true);
        });
    }
    open(first);
}

} // namespace glovebox
