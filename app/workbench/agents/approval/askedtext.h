// SPDX-License-Identifier: Apache-2.0
// What would run, to be read: all of the code, what changed in it since the client's run before, or a file that comes beside it.
#pragma once

#include "askfacts.h"

#include "app/workbench/shell/theme.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QPlainTextEdit;

namespace glovebox {

class CodeEditor;
class DiffView;

class AskedText : public QWidget
{
    Q_OBJECT
public:
    explicit AskedText(Theme &theme, QWidget *parent = nullptr);

    // Shows all of the code, which is what the person decides about: an earlier run may have had the worse part already, as nobody
    // was asked about that.
    void setRequest(const ApprovalRequest &request);
    // To choose from, once it is known.
    void setEarlier(const std::optional<EarlierRun> &earlier);

    // About the code, whatever is shown, and about the file that is.
    QStringList sentences() const;
    void fit(); // its height to the lines of the text

Q_SIGNALS:
    void shownChanged();

private:
    void showChosen();
    void showText(const QString &language, const QString &fileName, const QString &text);
    void showDifference();

    QWidget *m_head; // where there is more than the code
    QLabel *m_since;
    QComboBox *m_choice;
    CodeEditor *m_editor;
    DiffView *m_difference;
    ApprovalRequest m_request;
    std::optional<EarlierRun> m_earlier;
    QStringList m_codeSentences, m_fileSentences;
};

} // namespace glovebox
