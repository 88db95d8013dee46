// SPDX-License-Identifier: Apache-2.0
// One run on record, in full: the outcome first, then when and who, then what can be done with it.
#pragma once

#include "record.h"

#include "app/workbench/shell/context.h"

#include <QWidget>

class QBoxLayout;
class QLabel;
class QStackedWidget;
class QTabBar;

namespace glovebox {

class ArtifactsTab;
class ChangesTab;
class CodeBodyView;
class IsolationTab;
class NetworkTab;
class OutputBodyView;
class SummaryView;

class DetailsPane : public QWidget
{
    Q_OBJECT
public:
    DetailsPane(WorkbenchContext &context, QWidget *parent = nullptr);

    void setRecord(const RunRecord &record);
    void setError(const Error &error); // the run can't be read
    void clear();
    QString closingEnds() const; // as a page's
    void setBesideList(bool isBeside); // or it has the page's whole width
    void setCanRunAgain(bool canRunAgain); // the run that is shown, now
    ChangesTab &changes() { return *m_changes; }
    void showChanges();

Q_SIGNALS:
    void dismissed();
    void allowWanted(const QString &host); // a rule in its canonical text, for a next run

protected:
    void resizeEvent(QResizeEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    QWidget *makeHead();
    void showTitles();
    void showWaiting();
    void placeButtons();

    WorkbenchContext &m_context;
    QBoxLayout *m_head = nullptr;
    QBoxLayout *m_buttons = nullptr;
    QLabel *m_heading = nullptr;
    QLabel *m_origin = nullptr;
    QTabBar *m_tabs = nullptr;
    QStackedWidget *m_pages = nullptr;
    QLabel *m_trouble = nullptr;
    SummaryView *m_summary = nullptr;
    CodeBodyView *m_code = nullptr;
    OutputBodyView *m_output = nullptr;
    IsolationTab *m_isolation = nullptr;
    NetworkTab *m_network = nullptr;
    ArtifactsTab *m_artifacts = nullptr;
    ChangesTab *m_changes = nullptr;
    RunRecord m_record; // what is shown
    bool m_isBeside = true;
};

} // namespace glovebox
