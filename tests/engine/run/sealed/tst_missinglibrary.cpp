// SPDX-License-Identifier: Apache-2.0
// A program of Glovebox's own that the system can't load is named, with what is missing, whoever wanted it.
#include "engine/run/grants/folderopener.h"

#include "engine/network/network.h"
#include "engine/network/openedport.h"
#include "engine/pictures/pictures.h"
#include "engine/sandbox/native/native.h"
#include "engine/vault/vault.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <sys/socket.h>

#include <algorithm>
#include <cstring>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestMissingLibrary : public QObject
{
    Q_OBJECT

private:
    static QString reasonOf(const Error &error) { return error.message.english(); }

    // The sentence that somebody is told who wants something of the program in this folder.
    static QString toldBy(const QString &program, const QString &folder)
    {
        if (program == u"glovebox-spawner")
            return makeNativeBackend(folder, u"test"_s)->probe().reason.english();
        if (program == u"glovebox-keychain")
            return makeKeychainStore(folder)->status(Patience::of(std::chrono::seconds(5))).reason.english();
        if (program == u"glovebox-opener") {
            const auto opened = FolderOpener(folder, {}).open({folder, u"/mnt/x"_s, FolderGrant::Mode::ReadOnly}, {});
            return opened ? QString() : reasonOf(opened.error());
        }
        if (program == u"glovebox-picture") {
            const auto backend = makeNativeBackend(QStringLiteral(GLOVEBOX_LIBEXEC), u"test"_s);
            const auto picture = decodePicture(*backend, folder, u"image/png", "none");
            return picture ? QString() : reasonOf(picture.error());
        }
        if (program == u"glovebox-port") {
            PortSockets inner;
            inner.internet.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
            const QTemporaryDir runtime;
            const auto port = OpenedPort::open({.libexec = folder,
                                                .runtime = runtime.path(),
                                                .identity = {61999, 61999},
                                                .port = 8000,
                                                .sockets = std::make_shared<const PortSockets>(std::move(inner))});
            return port ? QString() : reasonOf(port.error());
        }
        EgressSpec spec{
            .libexec = folder, .identity = {61999, 61999}, .allowlist = allowlistFromTexts({u"www.test"_s}).value()};
        std::vector<UniqueFd> sockets;
        sockets.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        const auto egress = Egress::start(spec, std::move(sockets));
        return egress ? QString() : reasonOf(egress.error());
    }

    static void writeProgram(const QString &path, const QByteArray &content)
    {
        QFile program(path);
        QVERIFY(program.open(QIODevice::WriteOnly) && program.write(content) == content.size());
        QVERIFY(program.setPermissions(QFile::Permissions(0x7755))); // a sealed one is another user's
    }

    // A folder that is shown to a sealed program.
    struct Folder
    {
        QTemporaryDir made{u"/var/tmp/glovebox-test-XXXXXX"_s};
        Folder() { QFile::setPermissions(made.path(), QFile::Permissions(0x7755)); }
    };

    // All that need more than the C library, but for the spawner, which needs some in other builds.
    inline static const QStringList m_loaded{u"glovebox-egress"_s, u"glovebox-keychain"_s, u"glovebox-opener"_s,
                                             u"glovebox-picture"_s, u"glovebox-port"_s};

    static bool isBuilt(const QString &program)
    {
        return QFile::exists(QStringLiteral(GLOVEBOX_LIBEXEC "/") + program);
    }

private Q_SLOTS:
    void isToldByWhoeverStartsIt_data()
    {
        QTest::addColumn<bool>("isStatic");
        QTest::newRow("glovebox-spawner") << true;
        for (const QString &program : m_loaded)
            QTest::newRow(qPrintable(program)) << false;
    }
    void isToldByWhoeverStartsIt()
    {
        QFETCH(bool, isStatic);
        const QString program = QString::fromLatin1(QTest::currentDataTag());
        QFile real(QStringLiteral(GLOVEBOX_LIBEXEC "/") + program);
        if (program == u"glovebox-keychain" && !GLOVEBOX_QTKEYCHAIN)
            QSKIP("QtKeychain is not installed.");
        if (program == u"glovebox-picture" && !isBuilt(program))
            QSKIP("Qt Gui is not installed.");
        QVERIFY2(real.open(QIODevice::ReadOnly), qPrintable(real.errorString()));
        QByteArray content = real.readAll();
        if (isStatic) { // of a build whose spawner isn't
            content = "#!/bin/sh\necho \"$0: error while loading shared libraries: libabsent.so.6: cannot open shared "
                      "object file: No such file or directory\" >&2\nexit 127\n";
        } else {
            QVERIFY(content.contains("libstdc++.so.6"));
            content.replace("libstdc++.so.6", "libabsent.so.6");
        }
        const Folder place;
        const QTemporaryDir &folder = place.made;
        writeProgram(folder.filePath(program), content);
        const QString expected =
            u"Glovebox's program %1 can't be started, because the library libabsent.so.6 is missing. "
            "Install its package (libabsent6 on Debian and Ubuntu)."_s.arg(program);
        QCOMPARE(toldBy(program, folder.path()), expected);
    }

    // A new one needs a row, or no libraries.
    void noOtherNeedsLibraries()
    {
        QStringList loaded;
        const QDir libexec(QStringLiteral(GLOVEBOX_LIBEXEC));
        for (const QString &program : libexec.entryList(QDir::Files)) {
            QFile file(libexec.filePath(program));
            QVERIFY(file.open(QIODevice::ReadOnly));
            if (file.readAll().contains("libstdc++.so.6")) // without the C library nothing starts at all
                loaded.append(program);
        }
        QVERIFY2(loaded.contains(u"glovebox-egress"_s), qPrintable(loaded.join(u' ')));
        for (const QString &program : loaded)
            QVERIFY2(m_loaded.contains(program), qPrintable(program));
    }

    void aProgramThatIsNoProgramIsToldApart_data()
    {
        QTest::addColumn<int>("nothing");
        for (const QString &program : m_loaded + QStringList{u"glovebox-spawner"_s}) {
            if (program != u"glovebox-picture" || isBuilt(program))
                QTest::newRow(qPrintable(program)) << 0;
        }
    }
    void aProgramThatIsNoProgramIsToldApart()
    {
        const QString program = QString::fromLatin1(QTest::currentDataTag());
        const Folder place;
        const QTemporaryDir &folder = place.made;
        writeProgram(folder.filePath(program), "\x7f"
                                               "ELF");
        const QString expected =
            program == u"glovebox-picture"
                ? folder.filePath(program)
                      + u" could not be started inside the sandbox: Exec format error. Nothing was run."_s
                : u"Glovebox's program %1 can't be started: Exec format error. Install Glovebox again."_s.arg(program);
        QCOMPARE(toldBy(program, folder.path()), expected);
        QFile real(QStringLiteral(GLOVEBOX_LIBEXEC "/") + program);
        if (real.open(QIODevice::ReadOnly)) {
            writeProgram(folder.filePath(program), real.read(real.size() / 8)); // an update that was cut off
            QCOMPARE(
                toldBy(program, folder.path()),
                u"Glovebox's program %1 can't be started: its file is damaged. Install Glovebox again."_s.arg(program));
        }
        const QString ended =
            u"Glovebox's program %1 ended with exit status %2 before it answered%3. Install Glovebox again."_s;
        writeProgram(folder.filePath(program), "#!/bin/sh\nexit 127\n");
        QCOMPARE(toldBy(program, folder.path()), ended.arg(program, u"127"_s, QString()));
        writeProgram(folder.filePath(program), "#!/bin/sh\necho no room >&2\nexit 3\n");
        QCOMPARE(toldBy(program, folder.path()), ended.arg(program, u"3"_s, u": no room"_s));
        writeProgram(folder.filePath(program), "#!/bin/sh\nkill -9 $$\n");
        QCOMPARE(toldBy(program, folder.path()),
                 u"Glovebox's program %1 was ended by signal 9 before it answered. Try again."_s.arg(program));
    }
};

QTEST_GUILESS_MAIN(TestMissingLibrary)
#include "tst_missinglibrary.moc"
