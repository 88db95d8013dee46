// SPDX-License-Identifier: Apache-2.0
// One session: what it is, its files, its snapshots, its packages and its jobs.
#pragma once

#include "files/filespanel.h"
#include "jobs/jobspanel.h"
#include "packages/packagespanel.h"
#include "snapshots/snapshotspanel.h"

#include <QPointer>

class QSplitter;
class QTabBar;
class QToolButton;

namespace glovebox {

class SessionPane : public QWidget
{
    Q_OBJECT
public:
    SessionPane(WorkbenchContext &context, SessionDeeds &deeds, QWidget *parent = nullptr);

    void setSession(const ShownSession &shown);
    const ShownSession &shown() const { return m_shown; }
    FilesPanel &files() { return *m_files; }
    SnapshotsPanel &snapshots() { return *m_snapshots; }
    PackagesPanel &packages() { return *m_packages; }
    void askToRemove();
    QList<QWidget *> areas() const;

Q_SIGNALS:
    void dismissed(); // Escape, or its button

protected:
    void keyPressEvent(QKeyEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    QWidget *makeHead();
    void showFacts();
    void arrange();
    void ask(bool isAsking);

    WorkbenchContext &m_context;
    SessionDeeds &m_deeds;
    ShownSession m_shown;
    QWidget *m_head = nullptr;
    QLabel *m_title = nullptr;
    QList<QWidget *> m_forSound; // buttons
    QWidget *m_forDamaged = nullptr;
    QLabel *m_status = nullptr;
    QLabel *m_facts = nullptr;
    QLabel *m_trouble = nullptr;
    QWidget *m_answers = nullptr;
    QPushButton *m_yes = nullptr;
    QPushButton *m_no = nullptr;
    QTabBar *m_pills; // where there is room for one part at a time
    QSplitter *m_rows;
    QSplitter *m_parts; // files, snapshots
    QSplitter *m_below; // packages, jobs
    FilesPanel *m_files;
    SnapshotsPanel *m_snapshots;
    PackagesPanel *m_packages;
    JobsPanel *m_jobs;
    bool m_isAsking = false;
    QPointer<QWidget> m_focusBefore; // the question
};

} // namespace glovebox
