// SPDX-License-Identifier: Apache-2.0
// The background jobs of a session that run: what each prints, its ports, and the way to stop it.
#pragma once

#include "jobfollower.h"

#include "app/workbench/sessions/list/sessionstock.h"
#include "app/workbench/sessions/sessiondeeds.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QVBoxLayout;

namespace glovebox {

class OutputView;

class JobsPanel : public QWidget
{
    Q_OBJECT
public:
    JobsPanel(WorkbenchContext &context, SessionDeeds &deeds, QWidget *parent = nullptr);
    ~JobsPanel() override;

    void setSession(const ShownSession &shown);
    // Whether there is anything to show: a job, or what one printed that has ended.
    bool hasContent() const;
    bool withdraw(); // the question for a port; false: none is open

Q_SIGNALS:
    void contentChanged(); // hasContent()
    void asked();

private:
    QWidget *makeAsking();
    void showJobs();
    QWidget *makeRow(const ShownJob &shown);
    bool isToBeFollowed(const Job &job) const;
    void addPorts(const ShownJob &shown, QWidget *owner);
    void follow(const Job &job);
    void askForPort(const Job &job);
    void takePort();
    void openInBrowser(const Job &job, quint16 port);

    WorkbenchContext &m_context;
    SessionDeeds &m_deeds;
    QString m_session;
    QList<ShownJob> m_jobs;
    JobFollower m_follower;
    QLabel *m_remark;
    QWidget *m_rows;
    QLabel *m_question = nullptr; // these two are made with what asks
    QLineEdit *m_port = nullptr;
    QWidget *m_asking;
    QLabel *m_shown; // whose output
    OutputView *m_output;
    Job m_asked; // the question is about it
    Job m_followed;
};

} // namespace glovebox
