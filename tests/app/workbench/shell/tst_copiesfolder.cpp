// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/shell/copies/copiesfolder.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestCopiesFolder : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_place = std::make_unique<QTemporaryDir>();
        m_usual = qgetenv("TMPDIR");
        qputenv("TMPDIR", m_place->path().toUtf8());
    }

    void cleanup()
    {
        if (m_usual.isEmpty())
            qunsetenv("TMPDIR");
        else
            qputenv("TMPDIR", m_usual);
    }

    void goesWithItsOwner()
    {
        {
            const CopiesFolder copies;
            fill(copies.filePath({}));
            QCOMPARE(names().size(), 1);
            QCOMPARE(
                QFile::permissions(copies.filePath({}))
                    & (QFile::ReadGroup | QFile::WriteGroup | QFile::ExeGroup | QFile::ReadOther | QFile::ExeOther),
                QFile::Permissions());
            CopiesFolder::removeLeft(); // not while the owner lives
            QVERIFY(QFile::exists(copies.filePath(u"a/copy"_s)));
        }
        QCOMPARE(names(), QStringList());
    }

    void isRemovedLaterWhereItsOwnerWasKilled()
    {
        const CopiesFolder alive;
        fill(alive.filePath({}));
        const QString killed = leftByADeadProgram();
        QVERIFY(QFile::exists(killed + u"/a/copy"_s));
        CopiesFolder::removeLeft();
        QVERIFY(!QFile::exists(killed));
        QVERIFY(QFile::exists(alive.filePath(u"a/copy"_s)));
    }

    void whatIsNotSurelyOneStays()
    {
        const QDir place(m_place->path());
        const QString outside = place.filePath(u"outside"_s);
        QVERIFY(place.mkpath(outside));
        fill(outside);
        QVERIFY(QFile::link(outside, place.filePath(u"glovebox-workbench.linked"_s)));
        const QString open = place.filePath(u"glovebox-workbench.opened"_s);
        const QString longer = place.filePath(u"glovebox-workbench.longer-name"_s);
        const QString anothers = place.filePath(u"glovebox-workbench.others"_s);
        for (const QString &folder : {open, longer, anothers}) {
            QVERIFY(place.mkpath(folder));
            fill(folder);
            QCOMPARE(::chmod(QFile::encodeName(folder).constData(), folder == open ? 0755 : 0700), 0);
        }
        if (::geteuid() == 0)
            QCOMPARE(::chown(QFile::encodeName(anothers).constData(), 1, 1), 0);
        else
            QVERIFY(QDir(anothers).removeRecursively());
        const QStringList before = names();
        CopiesFolder::removeLeft();
        QCOMPARE(names(), before);
        for (const QString &folder : {outside, open, longer})
            QVERIFY(QFile::exists(folder + u"/a/copy"_s));
    }

    // Somebody else could put another folder in the place of one.
    void whereOthersMayWriteNothingIsRemoved()
    {
        const QString killed = leftByADeadProgram();
        QCOMPARE(::chmod(QFile::encodeName(m_place->path()).constData(), 0777), 0);
        CopiesFolder::removeLeft();
        QVERIFY(QFile::exists(killed + u"/a/copy"_s));
        QCOMPARE(::chmod(QFile::encodeName(m_place->path()).constData(), 01777), 0);
        CopiesFolder::removeLeft();
        QVERIFY(!QFile::exists(killed));
    }

private:
    QStringList names() const
    {
        return QDir(m_place->path()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot | QDir::Hidden, QDir::Name);
    }

    static void fill(const QString &folder)
    {
        QVERIFY(QDir().mkpath(folder + u"/a"_s));
        QFile copy(folder + u"/a/copy"_s);
        QVERIFY(copy.open(QIODevice::WriteOnly) && copy.write("x") == 1);
    }

    QString leftByADeadProgram() const
    {
        const QStringList before = names();
        const pid_t child = ::fork();
        if (child == 0) {
            const auto *copies = new CopiesFolder;
            fill(copies->filePath({}));
            ::_exit(0);
        }
        int status = 0;
        if (child < 0 || ::waitpid(child, &status, 0) != child)
            return {};
        QStringList left = names();
        left.removeIf([&](const QString &name) { return before.contains(name); });
        return m_place->filePath(left.value(0));
    }

    std::unique_ptr<QTemporaryDir> m_place;
    QByteArray m_usual;
};

QTEST_GUILESS_MAIN(TestCopiesFolder)
#include "tst_copiesfolder.moc"
