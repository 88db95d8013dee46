// SPDX-License-Identifier: Apache-2.0
// Held for every page: nothing that the window does by itself keeps the GUI thread busy for more than 50 ms at a time.
#include "tests/app/workbench/desk/desk.h"

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

constexpr qint64 stallMilliseconds = 50;

Application *application()
{
    return static_cast<Application *>(QCoreApplication::instance());
}

void burn(qint64 milliseconds)
{
    timespec start{};
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    do {
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1'000'000 < milliseconds);
}

} // namespace

class TestStalls : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theWatchSeesAStall()
    {
        application()->watchStalls(true);
        QTimer::singleShot(0, this, [] { burn(60); });
        QTest::qWait(20);
        QVERIFY(application()->takeLongestStall() >= 60);
    }

    void theWatchDoesNotCountWaiting()
    {
        application()->watchStalls(true);
        QTimer::singleShot(0, this, [] { QTest::qSleep(80); });
        QTest::qWait(20);
        QVERIFY(application()->takeLongestStall() < stallMilliseconds);
    }

    void noPageStallsTheWindow()
    {
        Desk desk;
        application()->watchStalls(true);
        desk.show();
        QMap<QString, qint64> longest;
        longest[u"first show"_s] = application()->takeLongestStall();
        desk.openEngine();
        longest[u"engine"_s] = application()->takeLongestStall();
        for (const auto &page : desk.frame.pages()) {
            // Inside of an event, where the watch sees it.
            QTimer::singleShot(0, &desk.frame, [&] { desk.frame.showPage(page->id()); });
            Desk::settle();
            longest[page->id()] = application()->takeLongestStall();
        }
        desk.runExample();
        longest[u"run"_s] = application()->takeLongestStall();
        desk.frame.resize(900, 600);
        Desk::settle();
        longest[u"resize"_s] = application()->takeLongestStall();
        application()->watchStalls(false);
        QStringList stalls;
        for (auto it = longest.begin(); it != longest.end(); ++it) {
            qInfo("%s: %lld ms", qPrintable(it.key()), it.value());
            if (it.value() > stallMilliseconds)
                stalls.append(u"%1: %2 ms"_s.arg(it.key()).arg(it.value()));
        }
        QCOMPARE(stalls, QStringList());
    }
};

GLOVEBOX_TEST_MAIN(TestStalls)
#include "tst_stalls.moc"
