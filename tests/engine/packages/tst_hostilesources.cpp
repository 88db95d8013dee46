// SPDX-License-Identifier: Apache-2.0
// What a hostile source does while it is built reaches neither the network, nor later runs, nor our sentences.
#include "sourceengine.h"

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestHostileSources : public QObject, SourceEngine
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { openWithIndex(u"python"_s, u"sources.py"_s); }
    void cleanupTestCase() { close(); }

    void aBuildReachesNothing()
    {
        const InternetLog log;
        const auto installed = build(wishFor(u"talker"_s, {u"talker"_s}));
        QVERIFY2(installed, why(installed));
        QCOMPARE(run("import talker\nprint(*talker.TRIED)", *installed)->out.kept(),
                 "refused refused refused refused refused\n");
        QVERIFY(!log.has("request https www.allowed.test GET /built"));
    }

    // Its processes, and files where a later run would look first.
    void aBuildLeavesNothingForLaterRuns_data()
    {
        QTest::addColumn<QString>("name");
        QTest::newRow("files") << u"planter"_s;
        QTest::newRow("processes") << u"daemon"_s;
    }
    void aBuildLeavesNothingForLaterRuns()
    {
        QFETCH(QString, name);
        const InternetLog log;
        const auto installed = build(wishFor(name, {name}));
        QVERIFY2(installed, why(installed));
        QCOMPARE(installed->lock.names(), QStringList{name + u" 1.0"_s});
        QVERIFY(!log.has("request https www.allowed.test GET /planted"));
        QVERIFY(m_engine->sessions().list().value().isEmpty());
    }

    void whatCantBeBuiltLeavesNothing_data()
    {
        QTest::addColumn<QString>("packages");
        QTest::addColumn<QStringList>("sources");
        QTest::addColumn<QString>("why");
        const auto row = [](const char *name, const QString &why, const QStringList &sources = {}) {
            QTest::newRow(name) << QString::fromLatin1(name)
                                << (sources.isEmpty() ? QStringList{QString::fromLatin1(name)} : sources) << why;
        };
        const auto withoutWheel = [](const char *name) {
            return u"The build ended without a wheel for %1 1.0. Nothing was installed. To read what it printed: "
                   u"glovebox audit "
                   "show "_s.arg(QLatin1StringView(name));
        };
        const auto badSource = [](const char *name, const char *reason) {
            return u"The source of \"%1\" from www.allowed.test can't be read: \"%2\". Nothing was installed."_s.arg(
                QLatin1StringView(name), QLatin1StringView(reason));
        };
        row("unreadable", badSource("unreadable", "its pyproject.toml isn't one"));
        row("numbers", badSource("numbers", "its pyproject.toml doesn't say what builds it"));
        row("linked", badSource("linked", "its pyproject.toml is no file, or a large one"));
        row("demanding", badSource("demanding", "its pyproject.toml names more than 100 packages"));
        row("noaddress", u"A package from www.allowed.test is damaged."_s); // found by pip
        row("noport", badSource("noport", "the index gives an address or an answer that is none"));
        row("faraway", u"www.allowed.test names a file at www.denied.test, and Glovebox gets packages from the hosts "
                       "of the index only. Nothing was installed."_s);
        for (const char *name : {"otherhash", "strangehash"})
            row(name, u"www.allowed.test sent a file with another hash than the one announced."_s);
        row("bulky",
            u"The packages need more than 48 MB, or too many files, while they are installed. Nothing was installed."_s);
        for (const char *name :
             {"speaker", "othername", "otherversion", "strangefile", "sourceonly", "pretender", "sparse", "swapper"})
            row(name, withoutWheel(name));
        row("mixed>1", u"The build ended without a wheel for mixed 2.0. Nothing"_s, {u"mixed"_s});
        row("swapped", u"A package from www.allowed.test is damaged. Nothing was installed. pip says: \""_s);
        row("fat", u"The build of fat 1.0 seems to need more disk or more files than it gets. To read what it printed: "
                   "glovebox audit show "_s);
        row("endless", u"The build of endless 1.0 took longer than 8 seconds. Nothing was installed."_s);
        row("compiled",
            u"The build of compiled 1.0 seems to need a compiler that isn't there. To read what it printed: "
            "glovebox audit show "_s);
        row("elsewhere-built",
            u"The wheel that was built of \"elsewhere-built\" doesn't fit this machine, its Python or the "
            "other packages. Nothing was installed."_s);
        row("climbing", u"A package from www.allowed.test is damaged. Nothing was installed. pip says: \""_s);
        row("referring-tool",
            u"\"referring-tool\" requires \"leaf\" from an address, and Glovebox installs packages of an index "
            "only. Nothing was installed."_s);
        row("refers-source",
            u"\"refers-source\" requires \"leaf\" from an address, and Glovebox installs packages of an index "
            "only. Nothing was installed."_s);
        row("sourcetool",
            u"www.allowed.test has no fitting wheel of \"sourceonly\", which the source is built with."_s);
        row("tarred", withoutWheel("tarred"));
        row("sourceonly>7",
            u"www.allowed.test has no source of \"sourceonly\" (.tar.gz) in these versions for Python 3"_s,
            {u"sourceonly"_s});
        row("plainsource tamperer", u"The build changed what was built before. Nothing was installed."_s,
            {u"plainsource"_s, u"tamperer"_s});
    }
    void whatCantBeBuiltLeavesNothing()
    {
        QFETCH(QString, packages);
        QFETCH(QStringList, sources);
        QFETCH(QString, why);
        const QStringList before = QDir(base()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot | QDir::Hidden);
        const InternetLog log;
        const auto installed =
            build(wishFor(packages, sources), {.diskBytes = 48 * mebibyte, .wall = std::chrono::seconds(8)});
        QVERIFY(!installed);
        const QByteArray said = this->why(installed);
        QVERIFY2(installed.error().message.english().startsWith(why), said);
        QVERIFY2(!installed.error().message.english().contains(QChar(0x1b)), said);
        QCOMPARE(QDir(base()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot | QDir::Hidden), before);
        QVERIFY(m_engine->sessions().list().value().isEmpty());
        QVERIFY(!log.has("request https www.allowed.test GET /built"));
    }

    void aBuildThatIsStoppedLeavesNothing()
    {
        m_asked.clear();
        int runs = 0;
        const FollowRun follow = [&](const std::shared_ptr<Run> &task) {
            if (++runs == 3) { // the build
                const bool isBuilding = QTest::qWaitFor([&] { return task->state() == RunState::Running; }, 30'000);
                if (!isBuilding)
                    qWarning("The build did not start.");
                QTest::qWait(500);
                task->cancel();
            }
            return task->wait();
        };
        const auto fetched = m_engine->packages().fetch(wishFor(u"endless"_s, {u"endless"_s}), follow, {},
                                                        [](const LockedPackage &) { return true; });
        QVERIFY(!fetched);
        QCOMPARE(fetched.error().code, ErrorCode::Cancelled);
        QCOMPARE(runs, 3);
        QVERIFY(m_engine->sessions().list().value().isEmpty());
    }
};

GLOVEBOX_INTERNET_TEST_MAIN(TestHostileSources)
#include "tst_hostilesources.moc"
