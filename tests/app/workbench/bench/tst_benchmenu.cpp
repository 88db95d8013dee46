// SPDX-License-Identifier: Apache-2.0
// The window's menu: what can be opened and kept, from wherever the person is.
#include "benchseat.h"

#include <QMenu>
#include <QToolButton>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestBenchMenu : public QObject, BenchSeat
{
    Q_OBJECT
private Q_SLOTS:
    void init() { sitDown(); }
    void cleanup() { m_desk.reset(); }

    void theMenuOpensByMouseAndByKey();
    void aFileIsOpenedAgainFromTheRecentOnes();
    void examplesRun();
    void fromAnotherPageTheBenchComesFirst();

private:
    QMenu *openMenu()
    {
        trigger("frame.menu");
        return m_desk->frame.findChild<QMenu *>(u"frame.menu"_s);
    }
    static QAction *lineIn(const QMenu *menu, const QString &begin)
    {
        for (QAction *line : menu->actions()) {
            if (line->text().startsWith(begin))
                return line;
        }
        return nullptr;
    }
};

void TestBenchMenu::theMenuOpensByMouseAndByKey()
{
    auto *button = m_desk->frame.findChild<QToolButton *>(u"frame.menu.button"_s);
    QVERIFY(button && button->isVisible());
    QCOMPARE(button->toolTip(), u"Menu (F10)"_s);
    QTest::mouseClick(button, Qt::LeftButton);
    QPointer<QMenu> menu = m_desk->frame.findChild<QMenu *>(u"frame.menu"_s);
    QTRY_VERIFY(menu && menu->isVisible());
    QStringList lines;
    for (const QAction *line : menu->actions()) {
        if (!line->isSeparator())
            lines.append(line->text().section(u'\t', 0, 0));
    }
    QCOMPARE(lines, (QStringList{u"New code"_s, u"Open files…"_s, u"Open recent"_s, u"Examples"_s, u"Save"_s,
                                 u"Save as…"_s, u"Find a command"_s, u"Show all shortcuts"_s, u"Read the manual"_s,
                                 u"Open the settings"_s, u"About Glovebox"_s, u"Close Glovebox"_s}));
    QTest::keyClick(menu, Qt::Key_Escape);
    QTRY_VERIFY(!menu);
    QTest::keyClick(&m_desk->frame, Qt::Key_F10);
    QTRY_VERIFY(m_desk->frame.findChild<QMenu *>(u"frame.menu"_s));
}

void TestBenchMenu::aFileIsOpenedAgainFromTheRecentOnes()
{
    QVERIFY(!lineIn(openMenu(), u"Open recent"_s)->menu()->isEnabled());
    const QString path = m_desk->home.filePath(u"a & b.py"_s);
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("print('here')\n");
    file.close();
    m_desk->frame.openFiles({path});
    QTRY_COMPARE(tab()->name(), u"a & b.py"_s);
    QVERIFY(trigger("bench.close"));
    QTRY_COMPARE(m_page->tabs().size(), 1);
    QVERIFY(tab()->isBlank());

    // As after the next start, too.
    const QJsonObject state = m_page->saveState();
    m_page->restoreState({});
    m_page->restoreState(state);
    const QList<QMenu *> menus = [this] {
        openMenu();
        return m_desk->frame.findChildren<QMenu *>(u"frame.menu"_s);
    }();
    QMenu *recent = lineIn(menus.last(), u"Open recent"_s)->menu();
    QVERIFY(recent->isEnabled());
    QAction *line = lineIn(recent, u"a && b.py"_s);
    QVERIFY(line);
    line->trigger();
    QTRY_COMPARE(tab()->name(), u"a & b.py"_s);
    lineIn(recent, u"Forget"_s)->trigger();
    QVERIFY(m_page->saveState().value(u"recent"_s).toArray().isEmpty());
}

void TestBenchMenu::examplesRun()
{
    for (int i = 0; i < 5; ++i) {
        QMenu *menu = openMenu();
        lineIn(menu, u"Examples"_s)->menu()->actions().at(i)->trigger();
        menu->close();
        QVERIFY(!tab()->isBlank());
        QVERIFY(trigger("bench.run"));
        waitForEnd();
        QVERIFY2(tab()->runs().current()->result()->outcome == Outcome::Completed, qPrintable(shown()));
        QVERIFY2(!shown().contains(u"?!"_s), qPrintable(shown())); // what an example finds within reach, but shouldn't
        QTRY_VERIFY(!m_desk->frame.findChild<QMenu *>(u"frame.menu"_s));
    }
}

void TestBenchMenu::fromAnotherPageTheBenchComesFirst()
{
    m_desk->frame.showPage(u"doctor"_s);
    lineIn(openMenu(), u"New code"_s)->trigger();
    QTRY_COMPARE(m_desk->frame.currentPage(), u"bench"_s);
    QCOMPARE(m_page->tabs().size(), 2);
}

GLOVEBOX_TEST_MAIN(TestBenchMenu)
#include "tst_benchmenu.moc"
