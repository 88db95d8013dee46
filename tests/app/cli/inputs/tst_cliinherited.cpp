// SPDX-License-Identifier: Apache-2.0
// What the shell that starts Glovebox hands down: its umask, and its limits, which are told where they are a run's end.
#include "tests/app/cli/program.h"

#include <QDir>
#include <QDirIterator>
#include <QFileInfo>
#include <QTest>

#include <sys/stat.h>
#include <unistd.h>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

// Without GLOVEBOX_HOME, as a person who has set nothing: all of it is made in an empty home.
Ended fromEmptyHome(const Home &home, const QString &command)
{
    const auto process = home.program({u"-c"_s, command, programFile()});
    process->setProgram(u"/bin/bash"_s);
    QProcessEnvironment environment = process->processEnvironment();
    for (const QString &name : {u"GLOVEBOX_HOME"_s, u"XDG_DATA_HOME"_s, u"XDG_CONFIG_HOME"_s, u"XDG_RUNTIME_DIR"_s})
        environment.remove(name);
    environment.insert(u"HOME"_s, home.path());
    process->setProcessEnvironment(environment);
    process->setWorkingDirectory(home.path());
    process->start();
    process->closeWriteChannel();
    return finish(*process);
}

QString modeOf(const QString &path)
{
    struct stat info = {};
    return ::stat(QFile::encodeName(path).constData(), &info) == 0 ? QString::number(info.st_mode & 0777, 8)
                                                                   : u"not there"_s;
}

} // namespace

class TestCliInherited : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void noUmaskTakesTheOwnersRights_data()
    {
        QTest::addColumn<QString>("mask");
        for (const char *mask : {"777", "0177", "0277", "077", "000"})
            QTest::newRow(mask) << QString::fromLatin1(mask);
    }

    // Of everything that is made, so that later runs can use it; and nobody else gets any right.
    void noUmaskTakesTheOwnersRights()
    {
        QFETCH(const QString, mask);
        const Home home;
        const Ended ended = fromEmptyHome(
            home, u"umask %1 && \"$0\" run --artifacts out -c 'import os; os.mkdir(\"d\"); "
                  "open(\"d/f\", \"w\").write(\"x\")' && \"$0\" settings set run.memory_mb 300 && "
                  "\"$0\" artifact get last d/f -o alone && \"$0\" session create --name s && "
                  "\"$0\" run --session s -l sh -c 'echo a > b' && \"$0\" session get s --to got"_s.arg(mask));
        QVERIFY2(ended.status == 0, ended.err);
        int seen = 0;
        QDirIterator all(home.path(), QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot,
                         QDirIterator::Subdirectories);
        for (; all.hasNext(); ++seen) {
            const QFileInfo made(all.next());
            const QString mode = modeOf(made.filePath());
            const bool isStored = mode == u"400"; // contents that never change
            QVERIFY2(mode == (made.isDir() ? u"700"_s : u"600"_s) || (made.isFile() && isStored),
                     qPrintable(made.filePath() + u' ' + mode));
        }
        QVERIFY(seen > 10);
        const Ended later = fromEmptyHome(home, u"\"$0\" run -c 'print(1)' && cat out/d/f alone got/b"_s);
        QVERIFY2(later.status == 0 && later.out == "1\nxxa\n", later.err);
    }

    void aLimitThatEndsARunIsTold_data()
    {
        QTest::addColumn<QString>("limit");
        QTest::addColumn<QString>("code");
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("says");
        const QString busy = u"while True: pass"_s;
        QTest::newRow("processor time") << u"-t 1"_s << busy << 124 << QByteArray("see \"ulimit -t\" there.\n");
        QTest::newRow("processor time, soft")
            << u"-S -t 1"_s << busy << 124 << QByteArray("see \"ulimit -t\" there.\n");
        QTest::newRow("size of files") << u"-f 3000"_s << u"open('x', 'wb').write(b'x' * 4_000_000)"_s << 1
                                       << QByteArray("each file to 3000 KB (ulimit -f)");
        QTest::newRow("open files") << u"-n 150"_s << u"l = [open('/dev/null') for i in range(200)]"_s << 1
                                    << QByteArray("open files to 150 (ulimit -n)");
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) // both need more before they come to main()
        QTest::newRow("memory") << u"-d 200000"_s << u"x = bytearray(230 << 20)"_s << 1
                                << QByteArray("memory to 200000 KB (ulimit -d)");
#endif
    }

    void aLimitThatEndsARunIsTold()
    {
        QFETCH(const QString, limit);
        QFETCH(const QString, code);
        QFETCH(const int, status);
        QFETCH(const QByteArray, says);
        const Home home;
        const Ended ended = fromEmptyHome(home, u"ulimit %1 && exec \"$0\" run -m 400 -c \"%2\""_s.arg(limit, code));
        QVERIFY2(ended.status == status, ended.err + QByteArray::number(ended.status));
        QVERIFY2(ended.err.contains(says), ended.err);
        QVERIFY2(!ended.err.contains("--cpu"), ended.err); // which changes nothing
        // A run that got along says nothing of them.
        const Ended quiet = fromEmptyHome(home, u"ulimit %1 && exec \"$0\" run -c 'print(1)'"_s.arg(limit));
        QVERIFY2(quiet.status == 0 && quiet.err.isEmpty(), quiet.err);
    }

    void theRunsOwnLimitOfProcessorTimeIsToldAsThat()
    {
        const Home home;
        const Ended own = fromEmptyHome(home, u"ulimit -t 5 && exec \"$0\" run --cpu 1 -c 'while True: pass'"_s);
        QVERIFY2(own.status == 124 && own.err.contains("Allow more with --cpu"), own.err);
        // SIGKILL by whoever else is that.
        const Ended killed = fromEmptyHome(home, u"ulimit -t 5 && exec \"$0\" run -l sh -c 'kill -9 $$'"_s);
        QVERIFY2(killed.status == 137 && killed.err.contains("SIGKILL") && !killed.err.contains("ulimit"), killed.err);
        // The limit is of one process, whatever others of the run have used.
        const QString code = uR"sh(for i in 1 2 3; do
    python3 -c "import time; any(time.process_time() > 0.9 for _ in iter(int, 1))"
done
kill -9 $$)sh"_s;
        const Ended many = fromEmptyHome(home, u"ulimit -t 2 && exec \"$0\" run -l sh -c '"_s + code + u'\'');
        QVERIFY2(many.status == 137 && many.err.contains("SIGKILL") && !many.err.contains("ulimit"), many.err);
    }
};

QTEST_GUILESS_MAIN(TestCliInherited)
#include "tst_cliinherited.moc"
