// SPDX-License-Identifier: Apache-2.0
// Where tests of the history page sit: a window of the workbench, its history's widgets by name, and runs that get on record.
#pragma once

#include "biglog.h"

#include "app/workbench/history/list/runstable.h"
#include "tests/app/workbench/desk/desk.h"

#include <QLabel>
#include <QtTest>

#include <memory>

namespace glovebox {

using namespace Qt::StringLiterals;

class HistorySeat : public QObject
{
protected:
    std::unique_ptr<Desk> m_desk;

    template<typename Widget> Widget *find(const QString &name) const
    {
        return m_desk->frame.findChild<Widget *>(name);
    }
    RunsTable *table() const { return find<RunsTable>(u"history.runs"_s); }
    QString text(const QString &name) const { return find<QLabel>(name)->text(); }
    bool shows(const QString &name) const
    {
        const auto *widget = m_desk->frame.findChild<QWidget *>(name);
        return widget && widget->isVisible();
    }
    void go()
    {
        m_desk->frame.showPage(u"history"_s);
        Desk::settle();
    }
    // The code runs on the bench and is on record.
    void run(const QString &code, const QString &language = u"python"_s)
    {
        m_desk->context.navigateTo(u"bench"_s, {{u"code"_s, code}, {u"language"_s, language}, {u"run"_s, true}});
        waitForRuns();
    }
    void waitForRuns()
    {
        const Page *bench = m_desk->frame.page(u"bench"_s);
        QVERIFY(QTest::qWaitFor([&] { return bench->closingEnds().isEmpty(); }, 20'000));
        QTest::qWait(50);
    }
    void click(int row)
    {
        const QRect rect = table()->visualRect(table()->model()->index(row, RunsModel::CodeColumn));
        QTest::mouseClick(table()->viewport(), Qt::LeftButton, {}, rect.center());
    }
    void sit()
    {
        m_desk = std::make_unique<Desk>();
        m_desk->show();
    }
};

} // namespace glovebox
