// SPDX-License-Identifier: Apache-2.0
// A window with the bench and its first tab, for tests of what a run may.
#pragma once

#include "app/workbench/bench/benchpage.h"
#include "tests/app/workbench/shell/desk.h"

#include <QTest>

#include <memory>

namespace glovebox {

class PolicySeat : public QObject
{
protected:
    void sitDown()
    {
        m_desk = std::make_unique<Desk>();
        m_desk->show();
        m_desk->openEngine();
        m_page = qobject_cast<BenchPage *>(m_desk->frame.page(QStringLiteral("bench")));
        QVERIFY(m_page);
        m_tab = m_page->current();
        QVERIFY(m_tab);
    }
    template<typename Widget> Widget *find(const QString &name)
    {
        // The one that is to be seen: closed ones may not be gone yet.
        for (Widget *widget : m_desk->frame.findChildren<Widget *>(name)) {
            if (widget->isVisible())
                return widget;
        }
        return nullptr;
    }

    std::unique_ptr<Desk> m_desk;
    BenchPage *m_page = nullptr;
    BenchTab *m_tab = nullptr;
};

} // namespace glovebox
