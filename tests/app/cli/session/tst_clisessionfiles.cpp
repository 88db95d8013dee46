// SPDX-License-Identifier: Apache-2.0
// `glovebox session files`, `put`, `get` and `remove`: what goes in comes out byte for byte, whatever it is called.
#include "sessionhome.h"
#include "tests/app/cli/terminal/desk.h"

#include <QDirIterator>

#include <algorithm>

#include <sys/stat.h>
#include <unistd.h>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestCliSessionFiles : public QObject
{
    Q_OBJECT

private:
    SessionHome m_home;

    Ended sh(const QString &script) const
    {
        const auto process = m_home.program({u"-ec"_s, script});
        process->setProgram(u"/bin/sh"_s);
        process->setWorkingDirectory(m_home.path());
        process->start();
        process->closeWriteChannel();
        return finish(*process);
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_home.create();
        const Ended made = sh(
            u"mkdir -p in/sub in/none; : > in/empty; printf 'a\\0b\\377' > in/sub/binary; head -c 300000 /dev/urandom "
            u"> "
            "in/large; ln -s /etc/passwd in/link\n"
            "for n in 'a\\nb' '\\033[2J' 'caf\\351' '-dash' ' blank ' '\\342\\200\\256txt'; do name=$(printf -- "
            "\"$n.\"); "
            "printf \"of $n\" > \"in/$name\"; done"_s);
        QVERIFY2(made.status == 0, made.err);
    }
    // What takes its time says how far it is, on a terminal alone.
    void aCopyThatLastsShowsItsProgress()
    {
        qputenv("TERM", "xterm");
        QDir().mkpath(m_home.path(u"big"_s));
        for (int i = 0; i < 8; ++i) {
            QFile file(m_home.path(u"big/%1"_s.arg(i)));
            QVERIFY(file.open(QIODevice::WriteOnly));
            const QByteArray piece(1 << 20, char('a' + i));
            for (int megabyte = 0; megabyte < 24; ++megabyte)
                QVERIFY(file.write(piece) == piece.size());
        }
        for (const QString &name : {u"seen"_s, u"quiet"_s})
            QCOMPARE(m_home.session({u"create"_s, u"--name"_s, name, u"--disk"_s, u"512"_s}).status, 0);
        const auto isGone = [](const Desk &desk, const QByteArray &progress) {
            return desk.seen.sliced(desk.seen.lastIndexOf(progress)).contains("\r\x1b[Kglovebox: ");
        };
        {
            Desk desk(m_home, {u"session"_s, u"put"_s, u"seen"_s, m_home.path(u"big"_s)});
            QVERIFY2(desk.waitFor(" files, "), desk.seen);
            QCOMPARE(desk.status(), 0);
            QVERIFY2(isGone(desk, " files, ") && desk.seen.contains("9 added (snapshot 2)"), desk.seen);
        }
        {
            Desk desk(m_home, {u"session"_s, u"get"_s, u"seen"_s, u"--to"_s, m_home.path(u"out-seen"_s)});
            QVERIFY2(desk.waitFor(" of 8 files, ") && desk.waitFor(" of 192.0 MB"), desk.seen);
            QCOMPARE(desk.status(), 0);
            QVERIFY2(isGone(desk, " of 192.0 MB") && desk.seen.contains("8 files were saved in "), desk.seen);
        }
        const Ended put = m_home.session({u"put"_s, u"quiet"_s, m_home.path(u"big"_s)});
        const Ended got = m_home.session({u"get"_s, u"quiet"_s, u"--to"_s, m_home.path(u"out-quiet"_s)});
        for (const Ended &ended : {put, got}) {
            QVERIFY2(ended.status == 0 && ended.out.isEmpty(), ended.err);
            QVERIFY2(ended.err.count('\n') == 1 && !ended.err.contains('\r'), ended.err);
        }
    }

    void cleanupTestCase() { sh(u"rm -rf in out* bytes* big"_s); } // Qt can't remove names that are no text

    void whatGoesInComesOut()
    {
        const Ended put = m_home.session({u"put"_s, u"shop"_s, m_home.path(u"in"_s)});
        QVERIFY2(put.status == 0
                     && put.err.contains("13 added (snapshot 2). To undo: glovebox session rollback shop\n"),
                 put.err);
        // Byte for byte what a run finds, names included.
        const Ended tar =
            m_home.shell(u"cd in && find . -type f -exec sha256sum {} + | sort; readlink link; [ -d none ]"_s);
        QCOMPARE(tar.status, 0);
        QCOMPARE(tar.out, sh(u"cd in && find . -type f -exec sha256sum {} + | sort; readlink link"_s).out);

        const Ended got = m_home.session({u"get"_s, u"shop"_s, u"--to"_s, m_home.path(u"out"_s)});
        QVERIFY2(got.status == 0, got.err);
        QVERIFY2(got.err.contains("Links aren't saved: in/link (1 in all)."), got.err);
        QVERIFY2(got.err.contains("Names that could mislead are changed:") && got.err.contains("(3 in all).")
                     && !got.err.contains('\033'),
                 got.err);
        QVERIFY2(got.err.contains("9 files were saved in "), got.err);
        for (const auto &[in, out] : {std::pair<QString, QString>{u"a\nb."_s, u"a_b."_s},
                                      {u"\033[2J."_s, u"_[2J."_s},
                                      {u"-dash."_s, u"-dash."_s},
                                      {u" blank ."_s, u" blank ."_s},
                                      {u"empty"_s, u"empty"_s},
                                      {u"large"_s, u"large"_s},
                                      {u"sub/binary"_s, u"sub/binary"_s}})
            QCOMPARE(contentOfFile(m_home.path(u"out/in/"_s + out)), contentOfFile(m_home.path(u"in/"_s + in)));
        QCOMPARE(contentOfFile(m_home.path(u"out/in/caf\\xe9."_s)), "of caf\xe9");
        struct stat info = {};
        QCOMPARE(::lstat(QFile::encodeName(m_home.path(u"out/in/large"_s)).constData(), &info), 0);
        QCOMPARE(info.st_mode & 07777, mode_t(0600));
        QVERIFY(QFileInfo(m_home.path(u"out/in/none"_s)).isDir());
        QVERIFY(!QFileInfo(m_home.path(u"out/in/link"_s)).isSymLink());

        QCOMPARE(m_home.session({u"get"_s, u"shop"_s, u"/work/in/sub/binary"_s, u"--to"_s, u"-"_s}).out,
                 QByteArray("a\0b\xff", 4));
        QCOMPARE(m_home.session({u"get"_s, u"shop"_s, u"in"_s, u"--to"_s, u"-"_s}).status, 2);
        // By the name that the list shows.
        QVERIFY(m_home.session({u"files"_s, u"shop"_s}).out.contains("in/a\\nb."));
        QCOMPARE(m_home.session({u"get"_s, u"shop"_s, u"in/a\\nb."_s, u"--to"_s, u"-"_s}).out, "of a\nb");
    }

    void nothingIsReplacedOrWrittenElsewhere()
    {
        QCOMPARE(m_home.session({u"put"_s, u"shop"_s, m_home.write(u"f"_s, "new")}).status, 0);
        sh(u"mkdir outfull; echo old > outfull/f; ln -s / outlink; echo old > outfile"_s);
        const std::pair<QString, QByteArray> places[]{{u"outfull"_s, "Name an empty one, or a new one."},
                                                      {u"outlink"_s, "is a link, and files are saved only in a folder"},
                                                      {u"outfile"_s, "is not a folder"}};
        for (const auto &[folder, says] : places) {
            const Ended got = m_home.session({u"get"_s, u"shop"_s, u"f"_s, u"--to"_s, m_home.path(folder)});
            QCOMPARE(got.status, 1);
            QVERIFY2(got.err.contains(says), got.err);
        }
        QCOMPARE(contentOfFile(m_home.path(u"outfull/f"_s)), "old\n");
        QVERIFY(!QFile::exists(u"/f"_s));
    }

    void namesThatAreNoTextGoInByThemselves()
    {
        const QByteArray folder = QFile::encodeName(m_home.path()) + '/';
        sh(u"printf x > \"$(printf 'bytes\\377')\""_s);
        const Ended put = m_home.runBytes({"session", "put", "shop", folder + "bytes\xff", "--to", "/work/there/"});
        QVERIFY2(put.status == 0, put.err);
        QVERIFY(m_home.paths().contains(u"there/bytes\\xff"_s));
        QCOMPARE(m_home.shell(u"cat there/bytes*"_s).out, "x");
        const Ended none = m_home.runBytes({"session", "put", "shop", folder + "nope\xff"});
        QVERIFY2(none.status == 1 && none.err.contains("nope\\xff\" can't be read"), none.err);
    }

    void setIdBitsStayOutside()
    {
        sh(u"printf x > good; chmod 6755 good"_s);
        QCOMPARE(m_home.session({u"put"_s, u"shop"_s, m_home.path(u"good"_s)}).status, 0);
        QCOMPARE(m_home.shell(u"stat -c %a good"_s).out, "755\n");
        QCOMPARE(m_home.session({u"remove"_s, u"shop"_s, u"good"_s}).status, 0);
    }

    // One that can't be read keeps all of them out.
    void allOfThemOrNone()
    {
        const QStringList before = m_home.paths();
        const QString good = m_home.write(u"good"_s, "x");
        QCOMPARE(m_home.session({u"put"_s, u"shop"_s, good, m_home.path(u"nope"_s)}).status, 1);
        sh(u"mkdir bytesfolder; mkfifo bytesfolder/pipe"_s);
        const Ended pipe = m_home.session({u"put"_s, u"shop"_s, good, m_home.path(u"bytesfolder"_s)});
        QVERIFY2(pipe.status == 1
                     && pipe.err.contains("bytesfolder/pipe is a socket, pipe or device. Nothing was copied."),
                 pipe.err);
        QCOMPARE(m_home.session({u"put"_s, u"shop"_s, good, m_home.path(u"./good"_s)}).status, 2);
        QCOMPARE(m_home.session({u"put"_s, u"shop"_s, good, u"--to"_s, u"../up"_s}).status, 1);
        QCOMPARE(m_home.paths(), before);
        const qsizetype snapshots = m_home.objects({u"snapshots"_s, u"shop"_s}).size();
        QCOMPARE(m_home.session({u"put"_s, u"shop"_s, good, m_home.path(u"f"_s), u"--to"_s, u"two"_s}).status, 0);
        QCOMPARE(m_home.objects({u"snapshots"_s, u"shop"_s}).size(), snapshots + 1);
        const Ended same = m_home.session({u"put"_s, u"shop"_s, good, m_home.path(u"f"_s), u"--to"_s, u"two"_s});
        QCOMPARE(same.err, "glovebox: Session shop has just these files already.\n");
        const Ended removed = m_home.session({u"remove"_s, u"shop"_s, u"two/good"_s, u"two"_s, u"two/f"_s});
        QVERIFY2(removed.status == 0 && removed.err.contains("Session shop: 3 removed"), removed.err);
        QCOMPARE(m_home.session({u"remove"_s, u"shop"_s, u"f"_s, u"nope"_s}).status, 1);
        QCOMPARE(m_home.paths(), before);
    }

    void whatCannotBeSavedIsToldInBounds()
    {
        const SessionHome home;
        const QString folder = home.create();
        QCOMPARE(home.shell(u"for i in $(seq 30); do echo $i > f$i; done"_s).status, 0);
        QStringList digests;
        for (const QJsonObject &file : home.objects({u"files"_s, u"shop"_s}))
            digests.append(file["sha256"_L1].toString());
        qsizetype removed = 0;
        QDirIterator all(folder, QDir::Files, QDirIterator::Subdirectories);
        while (all.hasNext()) {
            const QString path = all.next();
            const QString digest = QString(path).remove(u'/');
            if (std::ranges::any_of(digests, [&](const QString &each) { return digest.endsWith(each); }))
                removed += QFile::remove(path) ? 1 : 0;
        }
        QCOMPARE(removed, 30);
        const Ended got = home.session({u"get"_s, u"shop"_s, u"--to"_s, home.path(u"out"_s)});
        QCOMPARE(got.status, 74);
        QVERIFY2(got.err.contains("Files that can't be saved, beside these: 10\n"), got.err);
        QCOMPARE(got.err.count('\n'), 22);
    }
};

QTEST_GUILESS_MAIN(TestCliSessionFiles)
#include "tst_clisessionfiles.moc"
