// SPDX-License-Identifier: Apache-2.0
// Sets what a program is started with.
#pragma once

#include "startchoice.h"

#include "app/workbench/bench/policy/editors/popover.h"

class QLabel;
class QLineEdit;
class QPlainTextEdit;

namespace glovebox {

enum class StartPart { Arguments, Variables, Input };

class StartEditor : public Popover
{
    Q_OBJECT
public:
    // Opens itself. part: gets the focus.
    StartEditor(Theme &theme, QWidget *anchor, const StartChoice &current, StartPart part);

Q_SIGNALS:
    void chosen(const glovebox::StartChoice &start);

private:
    QPlainTextEdit *addText(const QString &title, const QString &about, const QString &name, const QString &text);
    void warnOfSecrets();
    void take();

    Theme &m_theme;
    QLineEdit *m_arguments;
    QPlainTextEdit *m_variables;
    QLabel *m_secret; // what was typed looks like one
    QPlainTextEdit *m_input;
    QLabel *m_wrong;
};

} // namespace glovebox
