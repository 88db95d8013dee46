// SPDX-License-Identifier: Apache-2.0
// The history page: what it says of runs that nobody saw end and of new ones, and that it searches all that is kept.
#include "app/workbench/history/list/runstable.h"
#include "biglog.h"

#include "tests/app/workbench/desk/desk.h"

#include <QLabel>
#include <QLineEdit>
#include <QScrollBar>
#include <QTabBar>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestHistoryTold : public QObject
{
    Q_OBJECT

private:
    std::unique_ptr<Desk> m_desk;

    template<typename Widget> Widget *find(const QString &name) const
    {
        return m_desk->frame.findChild<Widget *>(name);
    }
    RunsTable *table() const { return find<RunsTable>(u"history.runs"_s); }
    void go()
    {
        m_desk->frame.showPage(u"history"_s);
        Desk::settle();
    }
    void click(int row)
    {
        const QRect rect = table()->visualRect(table()->model()->index(row, RunsModel::CodeColumn));
        QTest::mouseClick(table()->viewport(), Qt::LeftButton, {}, rect.center());
    }
    QString following() const
    {
        for (const StatusItem &item : m_desk->frame.page(u"history"_s)->status()) {
            if (item.id == u"following"_s)
                return item.text;
        }
        return {};
    }

private Q_SLOTS:
    void init()
    {
        m_desk = std::make_unique<Desk>();
        m_desk->show();
    }
    void cleanup() { m_desk.reset(); }

    void ofARunWhoseGloveboxWasKilledTheTabsClaimNothing()
    {
        {
            OtherProgram other(m_desk->paths.auditFile());
            other.interrupt(other.accept(u"print('seen')"_s));
        }
        m_desk->openEngine();
        go();
        QTRY_VERIFY(table() && table()->model()->rowCount() == 1);
        click(0);
        auto *tabs = find<QTabBar>(u"history.details.tabs"_s);
        QTRY_VERIFY(tabs->isVisible());
        const auto says = [&](const QString &words) {
            const QList<QLabel *> labels = m_desk->frame.findChildren<QLabel *>();
            return std::ranges::any_of(
                labels, [&](const QLabel *label) { return label->isVisible() && label->text() == words; });
        };
        for (int i = 0; i < tabs->count(); ++i) {
            tabs->setCurrentIndex(i);
            Desk::settle();
            QVERIFY(!says(u"The log has no protections of this run, as nothing was started."_s));
            QVERIFY(!says(u"The run had no network."_s));
            QVERIFY(!says(u"The run left no files in /work that are kept."_s));
        }
        tabs->setCurrentIndex(3);
        QTRY_VERIFY(says(u"The log has no protections of this run, as Glovebox ended before it."_s));
        tabs->setCurrentIndex(4);
        QTRY_VERIFY(says(u"Glovebox ended before the run did, so what it tried of the network isn't known."_s));
    }

    // Text of a later line of code, and of what was printed; the newest first, and no other run.
    void codeAndOutputAreSearched()
    {
        m_desk->openEngine();
        const auto run = [&](const QByteArray &code) {
            RunRequest request;
            request.language = u"sh"_s;
            request.code = code;
            request.caller = m_desk->context.engine()->caller();
            QVERIFY(m_desk->context.engine()->start(request)->wait()->outcome == Outcome::Completed);
        };
        run("echo first\n# a Needle in the code\n");
        run("echo second\n");
        run("head -c 300000 /dev/zero | tr '\\0' x; printf nEE; echo dle\n");
        go();
        QTRY_VERIFY(table() && table()->model()->rowCount() == 3);
        auto *field = find<QLineEdit>(u"history.filter.text"_s);
        QCOMPARE(field->placeholderText(), u"Text in code or output"_s);
        QTest::keyClicks(field, u"needle"_s);
        QTRY_COMPARE(table()->model()->rowCount(), 2);
        const auto code = [&](int row) {
            return table()->model()->index(row, RunsModel::CodeColumn).data().toString();
        };
        QVERIFY(code(0).startsWith(u"head"_s));
        QCOMPARE(code(1), u"echo first"_s);
        // A run that prints it meanwhile comes in by itself.
        run("printf 'third nee'; echo dle\n");
        QTRY_COMPARE_WITH_TIMEOUT(table()->model()->rowCount(), 3, 10'000);
        QVERIFY(code(0).startsWith(u"printf 'third"_s));
        field->clear();
        field->setText(u"nobody printed this"_s);
        QTRY_VERIFY(find<QWidget>(u"history.message"_s)->isVisible());
        QTRY_VERIFY(table()->model()->rowCount() == 0);
    }

    void newRunsThatArentShownAreCounted()
    {
        addRuns(m_desk->paths.auditFile(), 1000);
        m_desk->openEngine();
        go();
        QTRY_COMPARE(table()->model()->rowCount(), 1000);
        QTRY_COMPARE(following(), u"Following new runs"_s);
        table()->verticalScrollBar()->setValue(5000);
        Desk::settle();
        OtherProgram other(m_desk->paths.auditFile());
        other.accept(u"one"_s);
        other.accept(u"two"_s);
        QTRY_COMPARE_WITH_TIMEOUT(following(), u"2 new runs above"_s, 10'000);
        table()->goToNewest();
        QTRY_COMPARE(following(), u"Following new runs"_s);
    }
};

GLOVEBOX_TEST_MAIN(TestHistoryTold)
#include "tst_historytold.moc"
