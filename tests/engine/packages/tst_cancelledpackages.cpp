// SPDX-License-Identifier: Apache-2.0
// Who cancels while packages are copied into their place is obeyed at once, and nothing of them is left, nor on record. Others that copy,
// and what is left of them, keep nobody waiting without end.
#include "packageengine.h"

#include "engine/packages/packageplace.h"
#include "tests/support/nothreads.h"

#include <QElapsedTimer>

#include <algorithm>
#include <optional>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestCancelledPackages : public QObject, PackageEngine
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { openWithIndex(u"python"_s, u"index.py"_s); }
    void cleanupTestCase() { close(); }

    void aCopyThatIsCancelledLeavesNothing()
    {
        auto fetched = m_engine->packages().fetch(many());
        QVERIFY2(fetched, why(fetched));
        int asked = 0;
        QElapsedTimer cancelled;
        const auto isCancelled = [&] {
            if (++asked == 1000)
                cancelled.start();
            return cancelled.isValid();
        };
        const auto installed = m_engine->packages().install(*fetched, many(), {}, {}, isCancelled);
        QVERIFY(!installed);
        fetched->session.reset();
        const qint64 took = cancelled.elapsed();
        QVERIFY(m_engine->sessions().list().value().isEmpty());
        QCOMPARE(installed.error().code, ErrorCode::Cancelled);
        QCOMPARE(installed.error().message.english(), u"Nothing was installed, as you cancelled it."_s);
        QVERIFY2(took < 1000, QByteArray::number(took));
        QVERIFY(!m_engine->packages().find(many()).value());
        QTRY_COMPARE(leftOvers(), QStringList());
        QCOMPARE(countRecorded(), 0);
    }

    // Hard links of one file, which come last.
    void whoCancelsWhileOtherNamesAreMadeIsObeyed()
    {
        const auto session = m_engine->createSession({.name = u"links"_s}, m_engine->caller());
        QVERIFY(session);
        RunRequest request;
        request.code = "import os\nos.mkdir('env')\nopen('env/first', 'w').close()\n"
                       "for n in range(500): os.link('env/first', f'env/other-{n}')";
        request.language = u"python"_s;
        request.session = session->id;
        const auto result = m_engine->start(request)->wait();
        QVERIFY(result->outcome == Outcome::Completed);
        const auto left = m_engine->sessions().find(session->id);
        QVERIFY(left);
        int asked = 0;
        const auto isCancelled = [&] { return ++asked > 800; };
        PackageLock lock;
        lock.language = u"python"_s;
        const auto copied = place().install(QString(64, u'0'), lock, debianPython, m_engine->sessions(), *left,
                                            {isCancelled, [] { return Status(); }});
        QVERIFY(!copied);
        QCOMPARE(copied.error().code, ErrorCode::Cancelled);
        QVERIFY(m_engine->deleteSession(session->id, m_engine->caller()));
    }

    void whoWaitsForAnotherProgramThatCopiesIsCancelled()
    {
        const auto fetched = m_engine->packages().fetch(many());
        QVERIFY2(fetched, why(fetched));
        const auto held = FileLock::create(m_home.filePath(u"data/packages/lock"_s));
        QVERIFY(held);
        int asked = 0;
        const auto waiting = m_engine->packages().install(*fetched, many(), {}, {}, [&] { return ++asked > 2; });
        QVERIFY(!waiting);
        QCOMPARE(waiting.error().code, ErrorCode::Cancelled);
        QCOMPARE(countRecorded(), 0);
    }

    void whatWasCancelledIsInstalledLater()
    {
        const auto installed = install(many());
        QVERIFY2(installed, why(installed));
        QCOMPARE(countRecorded(), 1);
        QCOMPARE(run("import many.m1999\nprint(many.m1999.N)", *installed)->out.kept(), "1999\n");
    }

    void whoWaitsTooLongForOthersIsTold()
    {
        QVERIFY(makePrivateFolder(m_home.filePath(u"data/packages"_s)));
        const QString lock = m_home.filePath(u"data/packages/lock"_s);
        const auto held = FileLock::create(lock);
        QVERIFY(held);
        const PackagePlace::Copying copying{[] { return false; }, {}, std::chrono::seconds(1)};
        const auto waiting = place().install(u"0"_s, {}, {}, m_engine->sessions(), {}, copying);
        QVERIFY(!waiting);
        QCOMPARE(waiting.error().code, ErrorCode::Busy);
        QCOMPARE(waiting.error().message.english(),
                 u"Other installations or removals of packages have held %1 for 1 s. Nothing was installed. Try again "
                 "when they have ended."_s.arg(lock));
    }

    // Of an installation of the same packages that was killed.
    void nobodyWaitsUntilALeftOverIsGone()
    {
        const PackageWish wish = wishFor(u"leaf"_s);
        const auto fetched = m_engine->packages().fetch(wish);
        QVERIFY2(fetched, why(fetched));
        const QString program = QFileInfo(fetched->interpreter).canonicalFilePath();
        const QString left = u"/new-"_s + PackagePlace::idOf(fetched->lock, program) + u"/env/lib"_s;
        QVERIFY(QDir().mkpath(base() + left));
        for (int i = 0; i < 20'000; ++i)
            QVERIFY(QFile(base() + left + u'/' + QString::number(i)).open(QIODevice::WriteOnly));
        int asked = 0;
        QStringList meanwhile;
        const auto isCancelled = [&] {
            if (++asked == 2) // the first time is at the lock
                meanwhile = leftOvers();
            return false;
        };
        const auto installed = m_engine->packages().install(*fetched, wish, {}, {}, isCancelled);
        QVERIFY2(installed, why(installed));
        QCOMPARE(meanwhile.size(), 2); // one is being made
        QTRY_COMPARE(leftOvers(), QStringList());
        QCOMPARE(run("import leaf\nprint(leaf.VERSION)", *installed)->out.kept(), "2.0\n");
    }

    void whereNoThreadStartsPackagesAreInstalled()
    {
        const PackageWish wish = wishFor(u"branch"_s);
        const auto fetched = m_engine->packages().fetch(wish);
        QVERIFY2(fetched, why(fetched));
        std::optional<test::NoThreads> none;
        const auto isCancelled = [&] {
            if (!none) // now they are copied
                none.emplace();
            return false;
        };
        const auto installed = m_engine->packages().install(*fetched, wish, {}, {}, isCancelled);
        none.reset();
        QVERIFY2(installed, why(installed));
        QCOMPARE(run("import branch\nbranch.main()", *installed)->out.kept(), "branch 2.0\n");
    }

private:
    QStringList leftOvers() const { return QDir(base()).entryList({u"new-*"_s}, QDir::Dirs); }

    PackagePlace place() const
    {
        return {{.data = m_home.filePath(u"data"_s), .config = {}, .runtime = {}, .libexec = {}}, {}};
    }

    static PackageWish many() { return wishFor(u"many"_s); } // of 2000 files
    static PackageWish wishFor(const QString &packages)
    {
        PackageWish wish{.language = u"python"_s};
        wish.requirements = readRequirements(packages, u"python"_s).value();
        wish.interpreter = debianPython;
        return wish;
    }

    int countRecorded() const
    {
        const auto reader = m_engine->auditReader();
        const auto entries = reader ? (*reader)->entries(1, 10'000) : std::unexpected(reader.error());
        if (!entries)
            return -1;
        return int(std::ranges::count_if(*entries, [](const StoredEntry &stored) {
            const auto entry = parseStrictJson(stored.json);
            return entry && (*entry)[u"kind"_s] == u"package.installed"_s;
        }));
    }
};

GLOVEBOX_INTERNET_TEST_MAIN(TestCancelledPackages)
#include "tst_cancelledpackages.moc"
