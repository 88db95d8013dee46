// SPDX-License-Identifier: Apache-2.0
// Packages that have only a source, built by name: in a sandbox of its own without a network, after somebody agreed.
#include "sourceengine.h"

#include <algorithm>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestSourcePackages : public QObject, SourceEngine
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { openWithIndex(u"python"_s, u"sources.py"_s); }
    void cleanupTestCase() { close(); }

    void aNamedSourceIsBuiltWithoutANetwork()
    {
        const InternetLog log;
        const PackageWish wish = wishFor(u"plainsource"_s, {u"plainsource"_s});
        const auto installed = build(wish);
        QVERIFY2(installed, why(installed));
        QCOMPARE(m_asked, QStringList{u"plainsource 1.0 with tinybuild 3.1"_s});
        QCOMPARE(installed->lock.names(), (QStringList{u"plainsource 1.0"_s, u"leaf 1.0"_s}));
        const LockedPackage &package = installed->lock.packages.last();
        QVERIFY(package.builtFrom && package.builtFrom->tools.size() == 1);
        QCOMPARE(package.builtFrom->tools.first().file, u"tinybuild-3.1-py3-none-any.whl"_s);
        // Found that it is missing, downloaded, built, fetched, installed.
        QCOMPARE(m_results.size(), 5);
        for (const qsizetype at : {2, 4}) {
            QVERIFY(m_results[at]->egress.isEmpty());
            QVERIFY(std::ranges::none_of(m_results[at]->controls, [](const Control &control) {
                return control.id == ControlId::EgressListeners;
            }));
        }
        QCOMPARE(run("import plainsource, leaf\nprint(plainsource.BUILT, leaf.VERSION)", *installed)->out.kept(),
                 "True 1.0\n");
        QVERIFY(m_engine->sessions().list().value().isEmpty());
        const auto again = m_engine->packages().find(wish);
        QVERIFY(again && *again && (*again)->id == installed->id);
    }

    void theLogSaysWhatWasBuilt()
    {
        const PackageWish wish = wishFor(u"plainsource leaf==1.0"_s, {u"plainsource"_s});
        for (const KeptPackages &kept : m_engine->packages().list())
            QVERIFY(removeTree(base() + u'/' + kept.id)); // what another test may have installed
        const auto installed = build(wish);
        QVERIFY2(installed, why(installed));
        const auto reader = m_engine->auditReader();
        QJsonObject source;
        QStringList runs;
        const auto entries = (*reader)->entries(1, 10'000);
        for (const StoredEntry &stored : *entries) {
            const auto entry = parseStrictJson(stored.json);
            if ((*entry)[u"packages"_s] != installed->id)
                continue;
            runs.clear(); // of the latest installation
            for (const auto wheel : (*entry)[u"wheels"_s].toArray()) {
                runs.append(wheel[u"built_by"_s].toString());
                if (wheel[u"name"_s] == u"plainsource"_s)
                    source = wheel[u"source"_s].toObject();
            }
        }
        QCOMPARE(source[u"sha256"_s].toString(), installed->lock.packages.last().builtFrom->hash);
        QCOMPARE(source[u"tools"_s][0][u"name"_s].toString(), u"tinybuild"_s);
        // After the index was asked, and then for the source.
        QCOMPARE(runs, (QStringList{QString(), m_results[2]->id}));
    }

    void aLockRepeatsTheBuild()
    {
        const PackageWish plain = wishFor(u"plainsource"_s, {u"plainsource"_s});
        auto first = m_engine->packages().find(plain).value();
        if (!first) { // no other test installed it
            const auto built = build(plain);
            QVERIFY2(built, why(built));
            first = *built;
        }
        const QByteArray file = toBytes(first->lock);
        const auto lock = readPackageLock(file);
        QVERIFY2(lock, lock ? "" : qPrintable(lock.error().message.english()));
        QCOMPARE(toBytes(*lock), file);
        QCOMPARE(lock->id(), first->lock.id());
        PackageWish wish = wishFor({}, {u"plainsource"_s});
        wish.locked = *lock;
        QCOMPARE(m_engine->packages().find(wish).value().value().id, first->id);
        QVERIFY(removeTree(base() + u'/' + first->id));
        QVERIFY(!m_engine->packages().find(wish).value());
        wish.sources.clear(); // whoever wrote the lock file names nothing
        const auto unnamed = build(wish);
        QVERIFY(!unnamed && m_results.isEmpty());
        QVERIFY2(why(unnamed).startsWith("The lock has \"plainsource\" as built from its source"), why(unnamed));
        wish.sources = {u"plainsource"_s};
        const auto repeated = build(wish);
        QVERIFY2(repeated, why(repeated));
        QCOMPARE(repeated->id, first->id);
        QCOMPARE(m_results.size(), 4);
        QCOMPARE(m_engine->packages().find(wish).value().value().id, first->id);
        QVERIFY(removeTree(base() + u'/' + first->id));
        wish.locked->packages.last().builtFrom->hash = QString(64, u'0');
        const auto forged = build(wish);
        QVERIFY2(!forged && why(forged).contains("another hash"), why(forged));
        wish.locked = *lock;
        wish.locked->packages.last().builtFrom->tools.first().hash = QString(64, u'0');
        const auto forgedTool = build(wish);
        QVERIFY2(!forgedTool && why(forgedTool).contains("another hash"), why(forgedTool));
        QVERIFY(m_asked.isEmpty());
    }

    // By the real tool, as this machine has it.
    void setuptoolsBuildsAModuleInC()
    {
        const QString pages = QFileInfo(qEnvironmentVariable("TEST_INTERNET_LOG")).path() + u"/www/private/"_s;
        if (!QFile::exists(pages + u"setuptools"_s) || !QFile::exists(pages + u"wheel"_s))
            QSKIP("This machine has no setuptools and wheel for /usr/bin/python3.");
        if (QDir(u"/usr/include"_s).entryList({u"python3*"_s}, QDir::Dirs).isEmpty()
            || !QFile::exists(u"/usr/bin/cc"_s))
            QSKIP("This machine has no compiler, or no headers of Python.");
        const auto installed = build(wishFor(u"legacy"_s, {u"legacy"_s}));
        QVERIFY2(installed, why(installed));
        QVERIFY2(m_asked.first().startsWith(u"legacy 1.0 with setuptools "_s), qPrintable(m_asked.first()));
        QCOMPARE(run("import legacy\nprint(legacy.__name__)", *installed)->out.kept(), "legacy\n");
    }

    void aFittingWheelComesFirst()
    {
        const auto installed = build(wishFor(u"mixed"_s, {u"mixed"_s}));
        QVERIFY2(installed, why(installed));
        QCOMPARE(installed->lock.names(), QStringList{u"mixed 1.0"_s});
        QVERIFY(m_asked.isEmpty() && m_results.size() == 2);
    }

    void theNewestThatFitsIsBuilt_data()
    {
        QTest::addColumn<QString>("wanted");
        QTest::addColumn<QString>("version");
        QTest::newRow("any") << u"several"_s << u"several 1.1"_s;
        QTest::newRow("older") << u"several<1.1"_s << u"several 1.0"_s;
        QTest::newRow("unfinished") << u"several==2.0rc1"_s << u"several 2.0rc1"_s;
    }
    void theNewestThatFitsIsBuilt()
    {
        QFETCH(QString, wanted);
        QFETCH(QString, version);
        const auto installed = build(wishFor(wanted, {u"several"_s}));
        QVERIFY2(installed, why(installed));
        QCOMPARE(installed->lock.names(), QStringList{version});
    }

    void nothingIsBuiltUnlessSomebodyAgrees()
    {
        m_agrees = false;
        const auto packages = build(wishFor(u"talker"_s, {u"talker"_s}));
        m_agrees = true;
        QVERIFY(!packages);
        QCOMPARE(packages.error().message.english(),
                 u"talker wasn't built, as you didn't agree. Nothing was installed."_s);
        QCOMPARE(m_results.size(), 2);
        const auto unasked = m_engine->packages().fetch(wishFor(u"talker"_s, {u"talker"_s}));
        QVERIFY(!unasked && unasked.error().code == ErrorCode::PermissionDenied);
    }

    // Whoever the session belongs to can write into it while the question stands.
    void whatIsBuiltIsWhatWasAskedAbout()
    {
        int changed = 0, refused = 0;
        const MayBuild ask = [&](const LockedPackage &) {
            const QList<Session> sessions = m_engine->sessions().list().value();
            for (const Session &session : sessions) {
                const WriteFile file{"source/talker-1.0.tar.gz", "another source"};
                const auto deed = m_engine->changeSession(session.id, file, m_engine->caller());
                refused += !deed && deed.error().code == ErrorCode::PermissionDenied;
                changed += m_engine->sessions().write(session.id, "source/more", "x").has_value();
            }
            return true;
        };
        const auto packages = m_engine->packages().fetch(wishFor(u"talker"_s, {u"talker"_s}), {}, {}, ask);
        QVERIFY(changed > 0);
        QVERIFY(!packages);
        QCOMPARE(packages.error().code, ErrorCode::Damaged);
        QVERIFY2(packages.error().message.english().contains(u"of the installation was changed meanwhile"_s),
                 why(packages));
        QCOMPARE(refused, changed);
        QVERIFY(m_engine->sessions().list().value().isEmpty());
    }

    // Names are exact, and each is one package's.
    void whatIsNotNamedIsNotBuilt_data()
    {
        QTest::addColumn<QStringList>("sources");
        QTest::addColumn<QString>("lacks");
        QTest::addColumn<qsizetype>("builds");
        QTest::newRow("none") << QStringList() << u"outer"_s << qsizetype(0);
        QTest::newRow("another") << QStringList{u"oute"_s, u"outer-1"_s, u"plainsource"_s} << u"outer"_s
                                 << qsizetype(0);
        QTest::newRow("what it requires") << QStringList{u"outer"_s} << u"plainsource"_s << qsizetype(1);
    }
    void whatIsNotNamedIsNotBuilt()
    {
        QFETCH(QStringList, sources);
        QFETCH(QString, lacks);
        QFETCH(qsizetype, builds);
        const auto packages = build(wishFor(u"outer"_s, sources));
        QVERIFY(!packages);
        QCOMPARE(
            packages.error().message.english(),
            u"www.allowed.test has \"%1\" only as source code. Glovebox installs wheels, as building one runs its "
            u"code. To have "
            u"it built, sealed and without a network, name it: --allow-source %1 with glovebox run or glovebox session "
            "install, \"allow_source\" for agents."_s.arg(lacks));
        QCOMPARE(m_asked.size(), builds);
    }

    void oneSourceRequiresAnother()
    {
        const auto installed = build(wishFor(u"outer"_s, {u"plainsource"_s, u"outer"_s}));
        QVERIFY2(installed, why(installed));
        QCOMPARE(installed->lock.names(), (QStringList{u"outer 1.0"_s, u"leaf 1.0"_s, u"plainsource 1.0"_s}));
        QCOMPARE(m_asked, (QStringList{u"outer 1.0 by its own code alone"_s, u"plainsource 1.0 with tinybuild 3.1"_s}));
        QVERIFY(run("import plainsource\nprint(plainsource.BUILT)", *installed)->out.kept() == "True\n");
    }
};

GLOVEBOX_INTERNET_TEST_MAIN(TestSourcePackages)
#include "tst_sourcepackages.moc"
