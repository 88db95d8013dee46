// SPDX-License-Identifier: Apache-2.0
// The manual in the window: one page at a time, with links between them and a way back.
#pragma once

#include "app/workbench/shell/context.h"

#include <QDialog>

class QPushButton;
class QTextBrowser;

namespace glovebox {

class ManualSheet : public QDialog
{
    Q_OBJECT
public:
    ManualSheet(WorkbenchContext &context, QWidget *parent);

private:
    void show(const QString &page);

    QTextBrowser *m_text;
    QPushButton *m_back;
    QStringList m_way; // of pages; the last one is shown
};

} // namespace glovebox
