// SPDX-License-Identifier: Apache-2.0
// `glovebox run --with`, `--lock`, `--locked` and blocks in code, with an index in the test internet.
#include "packageplace.h"
#include "tests/app/cli/terminal/desk.h"
#include "tests/support/testinternet/testinternet.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonArray>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

const QString printsBranch = u"import branch; branch.main()"_s;

} // namespace

class TestCliPackages : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { makeIndex(u"sources.py"_s); } // and what index.py makes

    void cleanup()
    {
        removePackagesOf(m_home);
        removePackagesOf(m_other);
    }

    void nothingIsFetchedUnlessSomebodySaysSo()
    {
        const InternetLog log;
        const Ended ended = m_home.run({u"run"_s, u"--with"_s, u"branch leaf"_s, u"-c"_s, printsBranch});
        QCOMPARE(ended.status, 125);
        QCOMPARE(ended.err,
                 QByteArray("glovebox: The run wants packages that aren't installed: branch, leaf. Add --yes "
                            "to install them from pypi.org.\n"));
        // Whoever adds --yes then has read it before.
        const Ended slip = m_home.run({u"run"_s, u"--with"_s, u"requestz leaf"_s, u"-c"_s, printsBranch});
        QVERIFY2(slip.err.startsWith("glovebox: The name \"requestz\" looks like \"requests\", a package that many "
                                     "use, and is another one.\n"
                                     "glovebox: The run wants packages that aren't installed: requestz, leaf."),
                 slip.err);
        QVERIFY(log.lines().join().isEmpty());
        QVERIFY(m_home.runsOnRecord().isEmpty());
    }

    void packagesAreInstalledOnce()
    {
        const Ended first = m_home.run({u"run"_s, u"--with"_s, u"branch"_s, u"--yes"_s, u"-c"_s, printsBranch});
        QCOMPARE(first.out, QByteArray("branch 2.0\n"));
        QVERIFY2(first.err.startsWith("glovebox: Fetching branch from pypi.org ...\n"
                                      "glovebox: Installing branch 1.5 and 1 other from pypi.org, "),
                 first.err);
        const InternetLog log;
        const Ended second = m_home.run({u"run"_s, u"--with"_s, u"branch"_s, u"--json"_s, u"-c"_s, printsBranch});
        QCOMPARE(second.json()[u"stdout"_s].toString(), u"branch 2.0\n"_s);
        QCOMPARE(second.json()[u"events"_s][0][u"type"_s].toString(), u"packages.shown"_s);
        QCOMPARE(second.err, QByteArray());
        QVERIFY(log.lines().join().isEmpty());
        QCOMPARE(m_home.runsOnRecord().size(), 4); // two of them got the packages
    }

    void aPersonIsAsked()
    {
        for (const bool agrees : {false, true}) {
            Desk desk(m_home, {u"run"_s, u"--with"_s, u"requestz branch"_s, u"-c"_s, printsBranch});
            QVERIFY2(desk.waitFor("[y/N] "), desk.seen);
            QVERIFY2(
                desk.seen.contains("The name \"requestz\" looks like \"requests\", a package that many use, and is "
                                   "another one."),
                desk.seen);
            QVERIFY2(desk.seen.contains("Install branch 1.5, requestz 1.0 and 1 other from pypi.org, "), desk.seen);
            QCOMPARE(desk.seen.count("looks like"), 1);
            desk.type(agrees ? "y\n" : "\n");
            QCOMPARE(desk.status(), agrees ? 0 : 125);
            QCOMPARE(desk.seen.contains("branch 2.0\r\n"), agrees);
            QCOMPARE(desk.seen.contains("Nothing was installed, as you didn't agree."), !agrees);
        }
    }

    void codeNamesItsPackages()
    {
        const QString script = m_home.write(u"script.py"_s, "# /// script\n"
                                                            "# requires-python = \">=3\"\n"
                                                            "# dependencies = [\"branch\", \"leaf<2\"]\n"
                                                            "# ///\n"
                                                            "import branch\nbranch.main()\n");
        const Ended unasked = m_home.run({u"run"_s, script});
        QCOMPARE(unasked.status, 125);
        QVERIFY2(unasked.err.contains("aren't installed: branch, leaf<2."), unasked.err);
        const Ended ended = m_home.run({u"run"_s, u"--yes"_s, script});
        QVERIFY2(ended.out == "branch 1.0\n", ended.err);
        QCOMPARE(m_home.run({u"run"_s, script}).out, QByteArray("branch 1.0\n"));

        m_home.write(u"script.py"_s, "# /// script\n# dependencies = [\"-r/etc/passwd\"]\n# ///\n");
        const Ended hostile = m_home.run({u"run"_s, u"--yes"_s, script});
        QCOMPARE(hostile.status, 125);
        QVERIFY2(hostile.err.contains("an option of pip isn't passed on"), hostile.err);
        m_home.write(u"script.py"_s, "# /// script\n# requires-python = \">=9\"\n# ///\nprint(1)\n");
        const Ended future = m_home.run({u"run"_s, script});
        QCOMPARE(future.status, 125);
        QVERIFY2(future.err.contains("The code requires Python >=9, and this machine has 3."), future.err);
    }

    void aLockRepeatsItsPackages()
    {
        const QString lock = m_home.path(u"branch.lock"_s);
        const Ended first = m_home.run(
            {u"run"_s, u"--with"_s, u"branch leaf<2"_s, u"--lock"_s, lock, u"--yes"_s, u"-c"_s, printsBranch});
        QVERIFY2(first.out == "branch 1.0\n", first.err);
        const Ended other = m_other.run({u"run"_s, u"--locked"_s, lock, u"--yes"_s, u"-c"_s, printsBranch});
        QVERIFY2(other.out == "branch 1.0\n", other.err);
        QFile file(lock);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray written = file.readAll();
        const qsizetype hash = written.indexOf("\"sha256\":\"") + 10;
        QByteArray forged = written;
        forged.replace(hash, 64, QByteArray(64, '0'));
        const Ended refused = m_other.run(
            {u"run"_s, u"--locked"_s, m_home.write(u"forged.lock"_s, forged), u"--yes"_s, u"-c"_s, printsBranch});
        QCOMPARE(refused.status, 125);
        QVERIFY2(refused.err.contains("another hash"), refused.err);
        const Ended differs =
            m_other.run({u"run"_s, u"--with"_s, u"branch"_s, u"--locked"_s, lock, u"-c"_s, printsBranch});
        QCOMPARE(differs.status, 125);
        QVERIFY2(differs.err.contains("The lock file is for \"branch leaf<2\", not for \"branch\"."), differs.err);
    }

    void aNamedSourceIsBuilt()
    {
        const QStringList run{u"run"_s, u"--index"_s, u"https://www.allowed.test/private"_s, u"-c"_s,
                              u"import plainsource; print(plainsource.BUILT)"_s};
        const Ended unnamed = m_home.run(run + QStringList{u"--with"_s, u"plainsource"_s, u"--yes"_s});
        QCOMPARE(unnamed.status, 125);
        QVERIFY2(
            unnamed.err.contains("name it: --allow-source plainsource with glovebox run or glovebox session install"),
            unnamed.err);
        const QStringList named = run + QStringList{u"--with"_s,       u"plainsource"_s,    u"--allow-source"_s,
                                                    u"Plain.Source"_s, u"--allow-source"_s, u"plainsource"_s};
        const Ended unasked = m_home.run(named);
        QCOMPARE(unasked.status, 125);
        QVERIFY2(unasked.err.contains("Add --yes to install them from www.allowed.test."), unasked.err);
        Desk desk(m_home, named);
        QVERIFY2(desk.waitFor(
                     "The package plainsource is to be built from its source: plainsource 1.0 with tinybuild 3.1.\r\n"),
                 desk.seen);
        QVERIFY2(desk.waitFor(
                     "Run code of this package and of these tools to build it, sealed and without a network? [y/N] "),
                 desk.seen);
        desk.type("\n");
        QCOMPARE(desk.status(), 125);
        const Ended built = m_home.run(named + QStringList{u"--yes"_s});
        QCOMPARE(built.out, QByteArray("True\n"));
        QVERIFY2(built.err.contains(
                     "glovebox: Building plainsource 1.0 with tinybuild 3.1, sealed and without a network.\n"),
                 built.err);
        QVERIFY2(
            built.err.contains("--allow-source plain-source had no effect: no package of that name is among those"),
            built.err);
        // By its own code alone, which takes half of the time.
        const QStringList runAlike{u"run"_s,
                                   u"--index"_s,
                                   u"https://www.allowed.test/private"_s,
                                   u"--yes"_s,
                                   u"-c"_s,
                                   u"import numpyy; print(numpyy.BUILT)"_s,
                                   u"--allow-source"_s,
                                   u"numpyy"_s};
        const QString lock = m_home.path(u"source.lock"_s);
        const QStringList wanted{u"--with"_s, u"numpyy"_s, u"--lock"_s, lock};
        const Ended alike = m_home.run(runAlike + wanted);
        QCOMPARE(alike.out, QByteArray("True\n"));
        const qsizetype doubt = alike.err.indexOf("The name \"numpyy\" looks like \"numpy\"");
        QVERIFY2(doubt >= 0 && doubt < alike.err.indexOf("Building numpyy 1.0"), alike.err);
        const Ended again = m_home.run(runAlike + wanted + QStringList{u"--refresh"_s});
        QCOMPARE(again.out, QByteArray("True\n"));
        QVERIFY2(again.err.contains("Those stay, and the new build isn't used."), again.err);
        QByteArray record;
        for (int seq = 1; !record.contains("\"tinybuild\""); ++seq) {
            const Ended shown = m_home.run({u"audit"_s, u"show"_s, u'#' + QString::number(seq), u"--json"_s});
            QVERIFY2(shown.status == 0, record);
            record = shown.out;
        }
        QVERIFY2(record.contains("package.installed"), record);
        const Ended foreign = m_other.run(run + QStringList{u"--locked"_s, lock, u"--yes"_s});
        QCOMPARE(foreign.status, 125);
        QVERIFY2(foreign.err.contains("--allow-source numpyy"), foreign.err);
        const Ended locked = m_other.run(runAlike + QStringList{u"--locked"_s, lock});
        QVERIFY2(locked.out == "True\n", locked.err);
    }

    void whatMakesNoSenseIsRefused_data()
    {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("why");
        const auto row = [](const char *name, const QStringList &words, int status, const char *why) {
            QTest::newRow(name) << words << status << QByteArray(why);
        };
        row("an option", {u"--with"_s, u"--index-url=x"_s}, 2, "an option of pip isn't passed on");
        row("nothing", {u"--with"_s, u""_s}, 2, "No package is named");
        row("a source of versions", {u"--with"_s, u"branch"_s, u"--allow-source"_s, u"branch>1"_s}, 2,
            "takes the name of one Python package");
        row("two sources", {u"--with"_s, u"branch"_s, u"--allow-source"_s, u"branch leaf"_s}, 2,
            "takes the name of one Python package");
        row("a source of nothing", {u"--allow-source"_s, u"branch"_s}, 2, "--allow-source has no effect");
        row("a source of Node.js", {u"--with"_s, u"leaf"_s, u"--allow-source"_s, u"leaf"_s, u"-l"_s, u"node"_s}, 2,
            "--allow-source has no effect");
        row("scripts of versions", {u"--with"_s, u"leaf"_s, u"-l"_s, u"node"_s, u"--allow-scripts"_s, u"leaf@1"_s}, 2,
            "--allow-scripts takes the name of one Node.js package");
        row("scripts of nothing", {u"--allow-scripts"_s, u"leaf"_s}, 2, "--allow-scripts has no effect");
        row("scripts of Python", {u"--with"_s, u"leaf"_s, u"--allow-scripts"_s, u"leaf"_s, u"-l"_s, u"python"_s}, 2,
            "--allow-scripts has no effect");
        row("two lock files", {u"--lock"_s, u"a"_s, u"--locked"_s, u"b"_s}, 2, "give one of them");
        row("no file", {u"--locked"_s, u""_s}, 2, "--locked has an empty value");
        row("both", {u"--locked"_s, u"a"_s, u"--refresh"_s}, 2, "--refresh has no effect with --locked");
        row("no lock file", {u"--locked"_s, u"/nowhere"_s}, 125, "There is no file \"/nowhere\"");
        row("another language", {u"--with"_s, u"branch"_s, u"-l"_s, u"sh"_s}, 2, "not for sh.");
        row("no index", {u"--with"_s, u"branch"_s, u"--index"_s, u"http://pypi.org"_s}, 125, "only https:// is used");
    }
    void whatMakesNoSenseIsRefused()
    {
        QFETCH(QStringList, words);
        QFETCH(int, status);
        QFETCH(QByteArray, why);
        const Ended ended = m_home.run(QStringList{u"run"_s, u"-c"_s, u"1"_s} + words);
        QCOMPARE(ended.status, status);
        QVERIFY2(ended.err.contains(why), ended.err);
        QVERIFY(ended.out.isEmpty());
    }

private:
    const Home m_home, m_other;
};

GLOVEBOX_INTERNET_TEST_MAIN(TestCliPackages)
#include "tst_clipackages.moc"
