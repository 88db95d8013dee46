// SPDX-License-Identifier: Apache-2.0
// Folders are removed meanwhile by one thread, and by the caller where there can be none.
#include "engine/base/system/files/tree.h"
#include "tests/support/nothreads.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <system_error>
#include <thread>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestRemoving : public QObject
{
    Q_OBJECT

    QTemporaryDir m_room;

    QString folderOf(const QString &name, int files) const
    {
        const QString folder = m_room.filePath(name);
        QDir().mkpath(folder);
        for (int i = 0; i < files; ++i) {
            QFile file(folder + u'/' + QString::number(i));
            if (!file.open(QIODevice::WriteOnly))
                qFatal("The folder can't be filled.");
        }
        return folder;
    }
    static QStringList threads() { return QDir(u"/proc/self/task"_s).entryList(QDir::Dirs | QDir::NoDotAndDotDot); }

private Q_SLOTS:
    void whereNoThreadStartsTheCallerRemoves()
    {
        const QString folder = folderOf(u"one"_s, 10);
        const test::NoThreads none;
        QVERIFY_THROWS_EXCEPTION(std::system_error, std::thread([] { }).join());
        removeTreeMeanwhile(folder);
        QVERIFY(!QFile::exists(folder));
        QVERIFY(!isBeingRemoved(folder));
    }

    // Which no signal finds.
    void aThreadRemovesAllFoldersInTurn()
    {
        QStringList folders;
        for (int i = 0; i < 30; ++i)
            folders.append(folderOf(u"of-many-%1"_s.arg(i), 100));
        const QStringList before = threads();
        for (const QString &folder : std::as_const(folders))
            removeTreeMeanwhile(folder);
        QVERIFY(isBeingRemoved(folders.last()));
        qsizetype most = 0;
        bool isBlocked = false;
        while (isBeingRemoved(folders.last())) {
            QStringList now = threads();
            now.removeIf([&](const QString &thread) { return before.contains(thread); });
            most = std::max(most, now.size());
            QFile status(u"/proc/self/task/%1/status"_s.arg(now.value(0)));
            if (!status.open(QIODevice::ReadOnly))
                continue;
            const QByteArray text = status.readAll();
            const quint64 blocked = text.mid(text.indexOf("SigBlk:") + 7).trimmed().left(16).toULongLong(nullptr, 16);
            isBlocked |= (blocked >> (SIGTERM - 1) & 1) != 0;
        }
        QCOMPARE(most, 1);
        QVERIFY(isBlocked);
        for (const QString &folder : std::as_const(folders))
            QVERIFY(!QFile::exists(folder));
    }
};

QTEST_GUILESS_MAIN(TestRemoving)
#include "tst_removing.moc"
