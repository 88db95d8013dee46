// SPDX-License-Identifier: Apache-2.0
// A program of Glovebox's own that the system can't load is named, with what is missing, whoever wanted it.
#include "engine/run/grants/folderopener.h"

#include "engine/network/network.h"
#include "engine/sandbox/native/native.h"
#include "engine/vault/vault.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <sys/socket.h>

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
        QVERIFY(program.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    }

private Q_SLOTS:
    void isToldByWhoeverStartsIt_data()
    {
        QTest::addColumn<bool>("isStatic");
        QTest::newRow("glovebox-spawner") << true;
        QTest::newRow("glovebox-egress") << false;
        QTest::newRow("glovebox-keychain") << false;
        QTest::newRow("glovebox-opener") << false;
    }
    void isToldByWhoeverStartsIt()
    {
        QFETCH(bool, isStatic);
        const QString program = QString::fromLatin1(QTest::currentDataTag());
        QFile real(QStringLiteral(GLOVEBOX_LIBEXEC "/") + program);
        if (program == u"glovebox-keychain" && !GLOVEBOX_QTKEYCHAIN)
            QSKIP("QtKeychain is not installed.");
        QVERIFY2(real.open(QIODevice::ReadOnly), qPrintable(real.errorString()));
        QByteArray content = real.readAll();
        if (isStatic) { // of a build whose spawner isn't
            content = "#!/bin/sh\necho \"$0: error while loading shared libraries: libabsent.so.6: cannot open shared "
                      "object file: No such file or directory\" >&2\nexit 127\n";
        } else {
            QVERIFY(content.contains("libstdc++.so.6"));
            content.replace("libstdc++.so.6", "libabsent.so.6");
        }
        const QTemporaryDir folder;
        writeProgram(folder.filePath(program), content);
        const QString expected =
            u"Glovebox's program %1 can't be started, because the library libabsent.so.6 is missing. "
            "Install its package (libabsent6 on Debian and Ubuntu)."_s.arg(program);
        QCOMPARE(toldBy(program, folder.path()), expected);
    }

    void aProgramThatIsNoProgramIsToldApart_data()
    {
        QTest::addColumn<int>("nothing");
        for (const char *program : {"glovebox-spawner", "glovebox-egress", "glovebox-keychain", "glovebox-opener"})
            QTest::newRow(program) << 0;
    }
    void aProgramThatIsNoProgramIsToldApart()
    {
        const QString program = QString::fromLatin1(QTest::currentDataTag());
        const QTemporaryDir folder;
        writeProgram(folder.filePath(program), "\x7f"
                                               "ELF");
        const QString expected =
            u"Glovebox's program %1 can't be started: Exec format error. Install Glovebox again."_s;
        QCOMPARE(toldBy(program, folder.path()), expected.arg(program));
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
