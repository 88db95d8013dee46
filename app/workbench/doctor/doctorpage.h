// SPDX-License-Identifier: Apache-2.0
// The doctor: what protects a run on this machine, which languages are there, where things are kept. Knows no requests.
#pragma once

#include "app/workbench/shell/page.h"
#include "checkup.h"

#include <QPointer>

class QBoxLayout;
class QLabel;
class QScrollArea;

namespace glovebox {

class AttackPanel;
class FactSheet;

class DoctorPage : public Page
{
    Q_OBJECT
public:
    explicit DoctorPage(WorkbenchContext &context);

    QString id() const override { return QStringLiteral("doctor"); }
    QString title() const override { return tr("Doctor"); }
    Icon icon() const override { return Icon::Doctor; }
    QWidget *widget() override;
    void activate() override;
    void engineClosing() override;
    // {"control": its id}: shows what was found out about it.
    void navigate(const QJsonObject &request) override;
    QList<StatusItem> status() const override;
    QJsonObject saveState() const override;
    void restoreState(const QJsonObject &state) override;

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void addActions();
    QWidget *makeHead(QWidget *parent);
    bool hasLooked() const { return ready().backend.state != Part::State::Unknown; }
    const Readiness &ready() const { return m_context.readiness(); }
    void take();
    void show();
    void showBackend(const BackendReport &backend, const QString &title, const QString &note);
    void showBuilders();
    void showLanguages();
    void showFolders();
    void showBanner();
    void showControl();
    void copy(const QString &text, const QString &said);

    WorkbenchContext &m_context;
    QBoxLayout *m_head = nullptr; // goes with m_scroll
    QPointer<QLabel> m_summary;
    QPointer<QLabel> m_remedy;
    QPointer<FactSheet> m_sheet;
    QPointer<AttackPanel> m_attacks;
    QPointer<QScrollArea> m_scroll;
    QList<ControlId> m_knownWeak; // the person has seen and dismissed the banner about these
    QString m_control; // that is shown, by its id
};

} // namespace glovebox
