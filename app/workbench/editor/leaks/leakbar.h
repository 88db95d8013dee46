// SPDX-License-Identifier: Apache-2.0
// Says above the code that something in it looks like a secret, once for each that comes, with the way into the vault.
#pragma once

#include "app/workbench/editor/file/noticebar.h"
#include "leakmarks.h"

namespace glovebox {

class LeakBar : public NoticeBar
{
    Q_OBJECT
public:
    LeakBar(WorkbenchContext &context, CodeEditor &editor, QWidget *parent = nullptr);

    LeakMarks &marks() { return m_marks; }
    void openVault(); // with the form for a new secret

private:
    void tell();

    WorkbenchContext &m_context;
    CodeEditor &m_editor;
    LeakMarks m_marks;
    qsizetype m_told = 0; // so many: the person has seen these
};

} // namespace glovebox
