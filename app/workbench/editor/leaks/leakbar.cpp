// SPDX-License-Identifier: Apache-2.0
#include "leakbar.h"

#include "app/workbench/editor/code/codeeditor.h"

namespace glovebox {

using namespace Qt::StringLiterals;

LeakBar::LeakBar(WorkbenchContext &context, CodeEditor &editor, QWidget *parent)
    : NoticeBar(context.theme(), u"bench.leak"_s, parent)
    , m_context(context)
    , m_editor(editor)
    , m_marks(context, editor)
{
    connect(&m_marks, &LeakMarks::changed, this, &LeakBar::tell);
}

void LeakBar::openVault()
{
    m_context.navigateTo(u"vault"_s, {{u"add"_s, true}});
}

void LeakBar::tell()
{
    const qsizetype count = m_marks.count();
    const bool isNews = count > std::exchange(m_told, count);
    const QString said = m_marks.sentence().isEmpty()
                             ? QString()
                             : m_marks.sentence() + u' ' + tr("Put it in the vault, and give it to the run.");
    if (said.isEmpty())
        dismiss();
    else if (isNews || (!isHidden() && said != sentence()))
        show(Tone::Warn, said,
             {{tr("Add a secret to the vault"), [this] { openVault(); }},
              {tr("Go to line %1").arg(m_marks.firstLine()), [this] {
                   m_editor.goTo(m_marks.firstLine());
                   m_editor.setFocus();
               }}});
}

} // namespace glovebox
