// SPDX-License-Identifier: Apache-2.0
// The list of what harmless code misses in a run has a reason for each entry, and the quick ones of it are still as listed.
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QSet>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <sys/syscall.h>

using namespace Qt::StringLiterals;

using Files = QMap<QString, QByteArray>; // name, content

class TestCompatibility : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // CPython's are named by module; a test of Node.js or bash fails as a whole.
    void eachDifferenceHasAReason()
    {
        QFile file(QStringLiteral(GLOVEBOX_SOURCE_DIR "/tests/compatibility/differences.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QJsonObject suites = QJsonDocument::fromJson(file.readAll()).object();
        QCOMPARE(suites.keys(), (QStringList{u"bash"_s, u"cpython"_s, u"node"_s}));
        for (auto suite = suites.begin(); suite != suites.end(); ++suite) {
            QSet<QString> seen;
            const auto take = [&](const QString &name) {
                const bool isNew = !seen.contains(name);
                seen.insert(name);
                return isNew;
            };
            const QJsonArray listed = suite->toArray();
            for (const auto each : listed) {
                const QString reason = each[u"reason"_s].toString();
                QVERIFY2(reason.size() > 40 && reason.endsWith(u'.'), qPrintable(reason));
                const QJsonObject modules = each[u"modules"_s].toObject();
                const QJsonArray tests = each[u"tests"_s].toArray();
                QVERIFY2(modules.isEmpty() != tests.isEmpty(), qPrintable(reason));
                QCOMPARE(!modules.isEmpty(), suite.key() == u"cpython");
                for (const auto test : tests)
                    QVERIFY2(take(test.toString()), qPrintable(test.toString()));
                for (auto module = modules.begin(); module != modules.end(); ++module) {
                    QVERIFY2(!module->toArray().isEmpty(), qPrintable(module.key()));
                    for (const auto test : module->toArray()) {
                        const QString name = module.key() + u'.' + test.toString();
                        QVERIFY2(take(name), qPrintable(name));
                    }
                }
            }
        }
    }

    // Those that wait least, listed and not.
    void quickModulesDifferAsListed()
    {
        const QStringList modules{u"test_fcntl"_s, u"test_grp"_s, u"test_resource"_s, u"test_spwd"_s};
        QProcess ask;
        ask.start(u"/usr/bin/python3"_s,
                  {u"-c"_s, u"import sys, test.test_fcntl; sys.exit(sys.version_info[:2] != (3, 11))"_s});
        QVERIFY(ask.waitForFinished());
        if (ask.exitCode() != 0)
            QSKIP("The tests of CPython 3.11 (libpython3.11-testsuite) are not installed.");
        const auto [status, said] = compare(modules);
        QVERIFY2(status == 0, said);
        // Which of them there are depends on Python's version.
        QVERIFY2(said.contains("modules that pass raw pass sealed; 0 differ from the list"), said);
        QVERIFY2(!said.contains("0 of 0"), said);
    }

    // GnuPG and others end where they can't; and at 0 the host's handler would still be started.
    void programsThatTurnCoresOffGoOnAndTheLimitStays()
    {
        const QTemporaryDir home;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(u"GLOVEBOX_HOME"_s, home.path());
        QProcess run;
        run.setProcessEnvironment(environment);
        run.start(QStringLiteral(GLOVEBOX_BIN "/glovebox"),
                  {u"run"_s, u"-c"_s,
                   u"import ctypes, os, resource as r\n"
                   "for limit in (0, 0), (r.RLIM_INFINITY, r.RLIM_INFINITY):\n"
                   "    r.setrlimit(r.RLIMIT_CORE, limit)\n"
                   "print(ctypes.CDLL(None).syscall(%1, r.RLIMIT_CORE, (ctypes.c_ulong * 2)(0, 0)))\n"
                   "try: print(r.prlimit(0, r.RLIMIT_CORE, (0, 0)))\n"
                   "except PermissionError: print('refused')\n"
                   "print(ctypes.CDLL(None).syscall(%2, os.getpid(), r.RLIMIT_CORE, (ctypes.c_ulong * 2)(0, 0), 0))\n"
                   "print(r.getrlimit(r.RLIMIT_CORE))\n"_s.arg(SYS_setrlimit)
                       .arg(SYS_prlimit64)});
        QVERIFY(run.waitForFinished(60'000));
        QCOMPARE(run.readAllStandardOutput(), "0\nrefused\n-1\n(1, 1)\n");
    }

    // The suites of bash and Node.js are on no machine by themselves; how they are tried, small ones show.
    void aDifferenceThatIsNotListedIsTold_data()
    {
        QTest::addColumn<QString>("option");
        QTest::addColumn<QString>("program"); // that is needed
        QTest::addColumn<Files>("files");
        QTest::addColumn<QByteArray>("named");
        const QByteArray helper = "int main(void) { return 0; }\n";
        QTest::newRow("bash") << u"--bash"_s << u"cc"_s
                              << Files{{u"support/recho.c"_s, helper},
                                       {u"support/zecho.c"_s, helper},
                                       {u"support/printenv.c"_s, helper},
                                       {u"support/xcase.c"_s, helper},
                                       {u"tests/run-same"_s, "recho && exec $THIS_SH -c 'exit 0'\n"},
                                       {u"tests/run-never"_s, "exit 1\n"},
                                       {u"tests/run-outside"_s, "test \"$(uname -n)\" != glovebox\n"}}
                              << QByteArray("outside");
        QTest::newRow("Node.js")
            << u"--node"_s << u"node"_s
            << Files{{u"common/index.js"_s, {}},
                     {u"fixtures/empty"_s, {}},
                     {u"parallel/test-same.js"_s, "// Flags: --expose-gc\n'use strict'; gc();\n"},
                     {u"parallel/test-never.js"_s, "console.log('1..0 # Skipped: for the test');\n"},
                     {u"parallel/test-outside.js"_s, "require('os').hostname() === 'glovebox' && process.exit(1);\n"}}
            << QByteArray("test-outside.js");
    }

    void aDifferenceThatIsNotListedIsTold()
    {
        QFETCH(QString, option);
        QFETCH(QString, program);
        QFETCH(Files, files);
        QFETCH(QByteArray, named);
        if (QStandardPaths::findExecutable(program).isEmpty())
            QSKIP(qPrintable(program + u" is not installed."_s));
        const QTemporaryDir suite;
        for (auto each = files.cbegin(); each != files.cend(); ++each) {
            QFile file(suite.filePath(each.key()));
            QVERIFY(QFileInfo(file).absoluteDir().mkpath(u"."_s) && file.open(QIODevice::WriteOnly));
            QCOMPARE(file.write(*each), each->size());
        }
        const auto [status, said] = compare({option, suite.path()});
        QCOMPARE(status, 1);
        QVERIFY2(said.contains(named + ": fails ['1'], and should but doesn't []\n"), said);
        QVERIFY2(said.contains("never: doesn't pass raw\n") || said.contains("never.js: doesn't pass raw\n"), said);
        QVERIFY2(said.endsWith("1 of 2 tests that pass raw pass sealed; 1 differ from the list\n"), said);
    }

private:
    struct Compared
    {
        int status;
        QByteArray said;
    };

    static Compared compare(const QStringList &words)
    {
        const QTemporaryDir home;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(u"GLOVEBOX_HOME"_s, home.path());
        environment.insert(u"PYTHONDONTWRITEBYTECODE"_s, u"1"_s);
        QProcess compare;
        compare.setProcessEnvironment(environment);
        compare.setProcessChannelMode(QProcess::MergedChannels);
        compare.start(QStringLiteral(GLOVEBOX_SOURCE_DIR "/tests/compatibility/compare.py"),
                      QStringList{u"--glovebox"_s, QStringLiteral(GLOVEBOX_BIN "/glovebox")} + words);
        return compare.waitForFinished(100'000) ? Compared{compare.exitCode(), compare.readAll()}
                                                : Compared{-1, "It takes too long."};
    }
};

QTEST_GUILESS_MAIN(TestCompatibility)
#include "tst_compatibility.moc"
