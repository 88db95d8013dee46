// SPDX-License-Identifier: Apache-2.0
// Files go where the person's environment says, and only into folders that are theirs.
#include "engine/base/base.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>
#include <unistd.h>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestPaths : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        for (const char *name : {"GLOVEBOX_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"})
            qunsetenv(name);
        qputenv("HOME", m_home.path().toLocal8Bit());
    }

    void homeIsTheFallback()
    {
        const auto paths = Paths::standard().value();
        QCOMPARE(paths.data, m_home.path() + u"/.local/share/glovebox"_s);
        QCOMPARE(paths.config, m_home.path() + u"/.config/glovebox"_s);
        QCOMPARE(paths.runtime, paths.data + u"/run"_s);
        QCOMPARE(paths.auditFile(), paths.data + u"/audit.db"_s);
    }

    void xdgVariablesCount()
    {
        qputenv("XDG_DATA_HOME", "/data//x/");
        qputenv("XDG_CONFIG_HOME", "/config");
        qputenv("XDG_RUNTIME_DIR", m_home.path().toLocal8Bit());
        const auto paths = Paths::standard().value();
        QCOMPARE(paths.data, u"/data/x/glovebox"_s);
        QCOMPARE(paths.config, u"/config/glovebox"_s);
        QCOMPARE(paths.runtime, m_home.path() + u"/glovebox"_s);
    }

    void relativeXdgVariablesAreIgnored()
    {
        qputenv("XDG_DATA_HOME", "data");
        qputenv("XDG_CONFIG_HOME", "");
        qputenv("XDG_RUNTIME_DIR", "run");
        const auto paths = Paths::standard().value();
        QCOMPARE(paths.data, m_home.path() + u"/.local/share/glovebox"_s);
        QCOMPARE(paths.config, m_home.path() + u"/.config/glovebox"_s);
        QCOMPARE(paths.runtime, paths.data + u"/run"_s);
    }

    void aRuntimeFolderThatIsNotThereOrNotOursIsPassedOver()
    {
        qputenv("XDG_RUNTIME_DIR", "/nonexistent/run");
        QCOMPARE(Paths::standard().value().runtime, m_home.path() + u"/.local/share/glovebox/run"_s);
        if (::geteuid() == 0) {
            QVERIFY(QDir(m_home.path()).mkpath(u"theirs"_s));
            QCOMPARE(::chown(qPrintable(m_home.filePath(u"theirs"_s)), 12345, 12345), 0);
            qputenv("XDG_RUNTIME_DIR", m_home.filePath(u"theirs"_s).toLocal8Bit());
        } else {
            qputenv("XDG_RUNTIME_DIR", "/");
        }
        QCOMPARE(Paths::standard().value().runtime, m_home.path() + u"/.local/share/glovebox/run"_s);
    }

    void gloveboxHomeMovesEverything()
    {
        qunsetenv("HOME");
        qputenv("XDG_DATA_HOME", "/elsewhere");
        qputenv("GLOVEBOX_HOME", "/moved/");
        const auto paths = Paths::standard().value();
        QCOMPARE(paths.data, u"/moved/data"_s);
        QCOMPARE(paths.config, u"/moved/config"_s);
        QCOMPARE(paths.runtime, u"/moved/run"_s);
    }

    void whatTheEnvironmentMovedIsNamed()
    {
        qputenv("HOME", QFile::encodeName(accountHome()));
        QCOMPARE(movedHome(*Paths::standard()), QString());
        qputenv("XDG_CONFIG_HOME", "/c");
        QCOMPARE(movedHome(*Paths::standard()), u"/c/glovebox"_s);
        qputenv("XDG_DATA_HOME", "/d");
        QCOMPARE(movedHome(*Paths::standard()), u"/d/glovebox"_s);
    }

    void aRelativeGloveboxHomeIsRefused()
    {
        qputenv("GLOVEBOX_HOME", "here");
        const auto paths = Paths::standard();
        QVERIFY(!paths);
        QCOMPARE(paths.error().code, ErrorCode::InvalidInput);
        QVERIFY(paths.error().message.english().contains(u"here"));
    }

    // The cause, and which variable to set; no advice about permissions that are none of the trouble.
    void aVariableThatNamesNoFolderIsTold_data()
    {
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("says");
        QTest::newRow("a file") << u"/etc/passwd"_s << u"/etc/passwd, which is a file"_s;
        QTest::newRow("below a file") << u"/etc/passwd/below"_s << u"a part of that path is a file"_s;
        QTest::newRow("a device") << u"/dev/null"_s << u"which is a device"_s;
        QTest::newRow("a long name") << u'/' + QString(300, u'x') << u"too long for a path (301 characters)"_s;
        QTest::newRow("a long path") << u"/x"_s.repeated(3000) << u"too long for a path (6000 characters)"_s;
        QTest::newRow("a link to itself") << m_home.filePath(u"loop"_s) << u"leads back to itself"_s;
    }

    void aVariableThatNamesNoFolderIsTold()
    {
        QFETCH(const QString, value);
        QFETCH(const QString, says);
        QFile::link(m_home.filePath(u"loop"_s), m_home.filePath(u"loop"_s)); // there already from the second row on
        for (const char *variable : {"HOME", "GLOVEBOX_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"}) {
            init();
            qputenv(variable, value.toLocal8Bit());
            const auto paths = Paths::standard();
            QVERIFY2(!paths, variable);
            const QString sentence = paths.error().message.english();
            QVERIFY2(sentence.startsWith(QString::fromLatin1(variable)) && sentence.contains(says)
                         && sentence.contains(u"Set %1 to a folder"_s.arg(QString::fromLatin1(variable))),
                     qPrintable(sentence));
            QVERIFY2(sentence.size() < 200 && !sentence.contains(u"permission"), qPrintable(sentence));
            QVERIFY(paths.error().detail.isEmpty());
        }
    }

    void withoutAHomeThereIsASentence()
    {
        for (const char *home : {"", "relative", "/nonexistent/home"}) {
            qputenv("HOME", home);
            const auto paths = Paths::standard();
            QVERIFY(!paths);
            QVERIFY(paths.error().message.english().contains(u"GLOVEBOX_HOME"));
        }
        qunsetenv("HOME");
        QVERIFY(!Paths::standard());
        qputenv("XDG_DATA_HOME", "/data");
        QVERIFY(!Paths::standard()); // the settings have no home
        qputenv("XDG_CONFIG_HOME", "/config");
        QVERIFY(Paths::standard());
    }

    void programsAreFoundBesideTheRunningOne()
    {
        qputenv("GLOVEBOX_HOME", "/moved");
        const QString expected = QDir::cleanPath(QCoreApplication::applicationDirPath() + u"/../libexec/glovebox"_s);
        QCOMPARE(Paths::standard().value().libexec, expected);
        QCOMPARE(expected, QStringLiteral(GLOVEBOX_LIBEXEC));
    }

    void privateFoldersAreMadeWithTheirParents()
    {
        const QString folder = m_home.filePath(u"a/b/c"_s);
        QVERIFY(makePrivateFolder(folder));
        for (const auto &made : {u"a"_s, u"a/b"_s, u"a/b/c"_s}) {
            struct stat info = {};
            QCOMPARE(::stat(qPrintable(m_home.filePath(made)), &info), 0);
            QCOMPARE(info.st_mode & 07777, 0700u);
        }
        QVERIFY(makePrivateFolder(folder)); // also when it is there
        QVERIFY(makePrivateFolder(folder + u"/"_s));
    }

    void foldersThatOthersCanWriteToAreRefused()
    {
        const QString folder = m_home.filePath(u"shared"_s);
        QVERIFY(makePrivateFolder(folder));
        QCOMPARE(::chmod(qPrintable(folder), 0770), 0);
        const auto status = makePrivateFolder(folder);
        QVERIFY(!status);
        QCOMPARE(status.error().code, ErrorCode::PermissionDenied);
        QCOMPARE(::chmod(qPrintable(folder), 0755), 0);
        QVERIFY(makePrivateFolder(folder));
    }

    void foldersOfOthersAreRefused()
    {
        QString folder = u"/"_s;
        if (::geteuid() == 0) {
            folder = m_home.filePath(u"theirs"_s);
            QDir().mkpath(folder);
            QCOMPARE(::chown(qPrintable(folder), 12345, 12345), 0);
        }
        const auto status = makePrivateFolder(folder);
        QVERIFY(!status);
        QCOMPARE(status.error().code, ErrorCode::PermissionDenied);
    }

    void theFolderThatCantBeMadeIsNamed()
    {
        const auto above = makePrivateFolder(u"/proc/nowhere/glovebox/data"_s);
        QVERIFY(!above);
        QVERIFY2(above.error().message.english().contains(u"folder /proc/nowhere can't"),
                 qPrintable(above.error().message.english()));
        const QString link = m_home.filePath(u"dangling"_s);
        QVERIFY(QFile::link(u"/nonexistent/folder"_s, link));
        for (const QString &folder : {link, link + u"/data"_s, link + u"/data/below"_s}) {
            const auto dangling = makePrivateFolder(folder);
            QVERIFY(!dangling);
            QVERIFY2(dangling.error().message.english().contains(link + u" is a symbolic link that leads nowhere"_s),
                     qPrintable(dangling.error().message.english()));
        }
    }

    void aFileInTheWayIsNamed()
    {
        QFile file(m_home.filePath(u"file"_s));
        QVERIFY(file.open(QIODevice::WriteOnly));
        for (const QString &folder : {file.fileName(), file.fileName() + u"/below"_s}) {
            const auto status = makePrivateFolder(folder);
            QVERIFY(!status);
            QCOMPARE(status.error().code, ErrorCode::InvalidInput);
            QVERIFY(status.error().message.english().contains(u"in its way"));
        }
        QVERIFY(!makePrivateFolder(u"relative"_s));
    }

private:
    QTemporaryDir m_home;
};

QTEST_GUILESS_MAIN(TestPaths)
#include "tst_paths.moc"
