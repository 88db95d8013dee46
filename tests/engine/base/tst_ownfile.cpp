// SPDX-License-Identifier: Apache-2.0
// Files that decide what is allowed are obeyed only where nobody else can have written them, and none is waited for.
#include "engine/audit/audit.h"
#include "engine/base/base.h"

#include <QDir>
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>
#include <unistd.h>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestOwnFile : public QObject
{
    Q_OBJECT

private:
    std::unique_ptr<QTemporaryDir> m_room;

    QString at(const QString &name) const { return m_room->filePath(name); }
    QByteArray name(const QString &file) const { return QFile::encodeName(at(file)); }
    void write(const QString &file, const QByteArray &content) const
    {
        QVERIFY(QDir().mkpath(QFileInfo(at(file)).path()));
        QFile target(at(file));
        QVERIFY(target.open(QIODevice::WriteOnly) && target.write(content) == content.size());
        target.close();
        QCOMPARE(::chmod(name(file).constData(), 0600), 0);
    }
    static QString said(const auto &result) { return result ? QString() : result.error().message.english(); }

private Q_SLOTS:
    void init() { m_room = std::make_unique<QTemporaryDir>(); }

    void readsWhatIsOnesOwn()
    {
        write(u"a/file"_s, "content");
        QCOMPARE(readOwnFile(at(u"a/file"_s), 7).value().value_or("absent"), "content");
        write(u"empty"_s, {});
        QCOMPARE(readOwnFile(at(u"empty"_s), 0).value().value_or("absent"), "");
        QVERIFY(!readOwnFile(at(u"none"_s), 7).value());
        QVERIFY(!readOwnFile(at(u"none/at/all"_s), 7).value());
        QVERIFY(QFile::link(at(u"a/file"_s), at(u"link"_s)));
        QCOMPARE(readOwnFile(at(u"link"_s), 7).value().value_or("absent"), "content");
    }

    void whatIsNoFileGetsASentenceAtOnce_data()
    {
        QTest::addColumn<QString>("target");
        QTest::newRow("fifo") << QString();
        QTest::newRow("endless") << u"/dev/zero"_s;
        QTest::newRow("terminal") << u"/dev/ptmx"_s;
        QTest::newRow("folder") << u"."_s;
        QTest::newRow("link to nothing") << u"nowhere"_s;
    }
    void whatIsNoFileGetsASentenceAtOnce()
    {
        QFETCH(QString, target);
        if (target.isEmpty())
            QCOMPARE(::mkfifo(name(u"file"_s).constData(), 0600), 0);
        else
            QCOMPARE(::symlink(QFile::encodeName(target).constData(), name(u"file"_s).constData()), 0);
        QElapsedTimer timer;
        timer.start();
        QVERIFY(said(readOwnFile(at(u"file"_s), 100)).contains(at(u"file"_s)));
        // The log is opened by SQLite, which waits.
        if (target != "nowhere"_L1) {
            QVERIFY(said(AuditReader::open(at(u"file"_s))).contains(at(u"file"_s)));
            QVERIFY(!AuditLog::open(at(u"file"_s), newId(Clock::system()), Clock::system()));
        }
        QVERIFY(timer.elapsed() < 1000);
    }

    void aFileThatIsTooLargeIsNotRead()
    {
        write(u"huge"_s, "x");
        QCOMPARE(::truncate(name(u"huge"_s).constData(), off_t(1) << 40), 0);
        QCOMPARE(said(readOwnFile(at(u"huge"_s), 100)), at(u"huge"_s) + u" has more than 100 bytes. Move it aside."_s);
    }

    void whatOthersCanWriteIsNotObeyed_data()
    {
        QTest::addColumn<QString>("changed");
        QTest::addColumn<int>("mode");
        QTest::addColumn<bool>("refused");
        QTest::newRow("file") << u"a/b/file"_s << 0622 << true;
        QTest::newRow("folder") << u"a/b"_s << 0777 << true;
        QTest::newRow("folder above") << u"a"_s << 0777 << true;
        QTest::newRow("sticky folder above") << u"a"_s << 01777 << false;
        QTest::newRow("readable by all") << u"a/b/file"_s << 0644 << false;
    }
    void whatOthersCanWriteIsNotObeyed()
    {
        QFETCH(QString, changed);
        QFETCH(int, mode);
        QFETCH(bool, refused);
        write(u"a/b/file"_s, "content");
        QCOMPARE(::chmod(name(changed).constData(), mode_t(mode)), 0);
        const auto read = readOwnFile(at(u"a/b/file"_s), 100);
        QCOMPARE(!read.has_value(), refused);
        QVERIFY2(
            !refused
                || said(read)
                       == u"Other users can write to %1. Take that right away with \"chmod go-w\" and try again."_s.arg(
                           at(changed)),
            qPrintable(said(read)));
        // The same for the folder that everything is kept in.
        if (changed != "a/b/file"_L1)
            QCOMPARE(!makePrivateFolder(at(u"a/b"_s)).has_value(), refused);
    }

    // Debian's nobody, sync and _apt have the same first group, which lists no members.
    void aGroupIsOfOneOnlyWhereNobodyElseIsInIt()
    {
        constexpr uid_t nobody = 65534;
        QFile accounts(u"/etc/passwd"_s);
        QVERIFY(accounts.open(QIODevice::ReadOnly));
        if (::geteuid() != 0 || accounts.readAll().count(":65534:") < 3)
            QSKIP("Only root can become another user, and /etc/passwd here has no three whose group is 65534.");
        write(u"file"_s, "content");
        for (const QByteArray &path : {name(u"."_s), name(u"file"_s)})
            QCOMPARE(::chown(path.constData(), nobody, nobody), 0);
        const auto readAsNobody = [&] {
            if (::seteuid(nobody) != 0)
                qFatal("this can't become nobody");
            auto read = readOwnFile(at(u"file"_s), 100);
            return ::seteuid(0) == 0 ? read : fail(ErrorCode::Internal, "this can't become root again");
        };
        QVERIFY2(readAsNobody(), qPrintable(said(readAsNobody())));
        QCOMPARE(::chmod(name(u"file"_s).constData(), 0660), 0);
        QVERIFY2(said(readAsNobody()).startsWith(u"Other users can write to "_s), qPrintable(said(readAsNobody())));
    }

    void whatAnotherUserOwnsIsNotObeyed_data()
    {
        QTest::addColumn<QString>("changed");
        for (const char *path : {"a/b/file", "a/b", "a"})
            QTest::newRow(path) << QString::fromLatin1(path);
        QTest::newRow("where a link leads to") << u"elsewhere"_s;
    }
    void whatAnotherUserOwnsIsNotObeyed()
    {
        if (::geteuid() != 0)
            QSKIP("Only root can give files away.");
        QFETCH(QString, changed);
        write(u"a/b/file"_s, "content");
        write(u"elsewhere/file"_s, "content");
        if (changed == "elsewhere"_L1) {
            QVERIFY(QFile::remove(at(u"a/b/file"_s)));
            QVERIFY(QFile::link(at(u"elsewhere/file"_s), at(u"a/b/file"_s)));
        }
        QVERIFY(readOwnFile(at(u"a/b/file"_s), 100));
        QCOMPARE(::chown(name(changed).constData(), 12345, 12345), 0);
        const auto read = readOwnFile(at(u"a/b/file"_s), 100);
        QVERIFY2(said(read).startsWith(at(changed) + u" belongs to another user"_s), qPrintable(said(read)));
    }
};

QTEST_GUILESS_MAIN(TestOwnFile)
#include "tst_ownfile.moc"
