// SPDX-License-Identifier: Apache-2.0
// Where a person sits at the bench: a whole workbench, the bench in front.
#pragma once

#include "app/workbench/bench/benchpage.h"
#include "app/workbench/runpanel/output/outputview.h"
#include "tests/app/workbench/desk/desk.h"

#include <QAnyStringView>

namespace glovebox {

class BenchSeat
{
protected:
    void sitDown(const QString &programs = QStringLiteral(GLOVEBOX_LIBEXEC))
    {
        m_desk = std::make_unique<Desk>(programs);
        m_desk->frame.resize(1360, 860);
        m_desk->show();
        m_desk->openEngine();
        m_page = qobject_cast<BenchPage *>(m_desk->frame.page(QStringLiteral("bench")));
        QVERIFY(m_page && m_page->current());
        m_desk->frame.showPage(QStringLiteral("bench"));
    }
    void run(const QString &code, const QString &language = QStringLiteral("python"))
    {
        tab()->editor().setText(code, true);
        tab()->chooseLanguage(language);
        QVERIFY(trigger("bench.run"));
    }
    void waitForEnd()
    {
        QTRY_VERIFY_WITH_TIMEOUT(tab()->runs().current() && tab()->runs().current()->isDone(), 30'000);
    }
    // The widget that can be seen: a closed one of this name might not be gone yet.
    template<typename Widget> Widget *find(QAnyStringView name)
    {
        for (Widget *widget : m_desk->frame.findChildren<Widget *>(name.toString())) {
            if (widget->isVisible())
                return widget;
        }
        return nullptr;
    }
    // Of the tab in front, whether it can be seen or not.
    template<typename Widget> Widget *inTab(QAnyStringView name) { return tab()->findChild<Widget *>(name.toString()); }
    QString shown() { return tab()->runs().output()->text(); }
    BenchTab *tab() { return m_page->current(); }
    bool trigger(const char *id) { return m_desk->context.actions().trigger(QString::fromLatin1(id)); }

    std::unique_ptr<Desk> m_desk;
    BenchPage *m_page = nullptr;
};

} // namespace glovebox
