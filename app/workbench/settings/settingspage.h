// SPDX-License-Identifier: Apache-2.0
// What a person can set: how the window looks, what a new run may use, how many run at once; saved at once, each with its
// origin. A settings file that can't be used is said here, and kept aside only on the person's word.
#pragma once

#include "enginerows.h"
#include "roomrows.h"
#include "rows/retentionrow.h"

#include "app/workbench/shell/context.h"
#include "app/workbench/shell/page.h"

#include <QPointer>

#include <functional>

class QLabel;
class QLineEdit;
class QPushButton;
class QBoxLayout;
class QScrollArea;
class QTimer;

namespace glovebox {

class SettingsPage : public Page
{
    Q_OBJECT
public:
    explicit SettingsPage(WorkbenchContext &context);

    QString id() const override { return QStringLiteral("settings"); }
    QString title() const override { return tr("Settings"); }
    Icon icon() const override { return Icon::Settings; }
    bool isAtRailEnd() const override { return true; }
    QWidget *widget() override;
    void activate() override;
    void deactivate() override;
    void engineReady() override { show(); }
    void engineClosing() override;
    QString closingEnds() const override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    struct Section
    {
        QWidget *heading;
        QString title;
        QList<SettingRow *> rows;
    };
    // What is made in one turn of the event loop.
    struct PlannedPart
    {
        QString section; // its title; empty: goes on with the section before
        QString note;
        std::function<QList<SettingRow *>(QWidget *box)> makeRows;
    };
    struct Change
    {
        QString key;
        QVariant value; // invalid: the default
    };

    void addActions();
    QWidget *makeHead(QWidget *parent);
    QWidget *makeNotice(QWidget *parent);
    void planParts();
    void makeNextPart();
    QWidget *makeHeading(const PlannedPart &part, QWidget *parent);
    QList<SettingRow *> makeEngineRowsOf(const QStringList &keys, QWidget *parent);
    QList<SettingRow *> makeRooms(QWidget *parent);
    void measure(); // the room on disk
    void show();
    void showValue(const EngineRow &made);
    void showNotice();
    void showBanner();
    void filter();
    void store(const QString &key, const QVariant &value);
    void storeNext();
    void stored(const Change &change, const Status &status);
    void readAgain();
    void startFresh();

    WorkbenchContext &m_context;
    QPointer<QScrollArea> m_scroll;
    QLineEdit *m_search = nullptr; // these go with m_scroll
    QWidget *m_notice = nullptr;
    QLabel *m_trouble = nullptr;
    QLabel *m_meaning = nullptr;
    QBoxLayout *m_answers = nullptr;
    QPushButton *m_fresh = nullptr;
    QPushButton *m_again = nullptr;
    QWidget *m_list = nullptr; // of the sections
    QLabel *m_nothing = nullptr;
    QList<PlannedPart> m_planned; // not made yet
    QTimer *m_nextPart;
    QList<Section> m_sections;
    QList<EngineRow> m_engineRows;
    QList<RoomRow> m_roomRows;
    RetentionRow *m_retention = nullptr;
    bool m_isCurrent = false; // the page that is shown
    QList<Change> m_changes; // to be written, one after the other; the first is being written
};

} // namespace glovebox
