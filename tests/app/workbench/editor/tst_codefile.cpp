// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/editor/code/codeeditor.h"
#include "app/workbench/editor/file/codefile.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>
#include <unistd.h>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

// root may write everything: for a while this process is nobody, and comes back by its saved user id.
class AsOrdinaryUser
{
public:
    AsOrdinaryUser()
    {
        if (m_wasRoot && ::setresuid(nobody, nobody, 0) != 0)
            qFatal("The user can't be changed.");
    }
    ~AsOrdinaryUser()
    {
        if (m_wasRoot && ::setresuid(0, 0, 0) != 0)
            qFatal("The user can't be changed back.");
    }
    Q_DISABLE_COPY_MOVE(AsOrdinaryUser)

private:
    static constexpr uid_t nobody = 65534;
    const bool m_wasRoot = ::geteuid() == 0;
};

} // namespace

class TestCodeFile : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void whatIsReadIsWrittenBackByteForByte_data();
    void whatIsReadIsWrittenBackByteForByte();
    void whatIsNoTextIsRefusedWithASentence_data();
    void whatIsNoTextIsRefusedWithASentence();
    void aPipeIsNotWaitedFor();
    void somebodyElsesChangeIsNotOverwritten();
    void aFileThatIsGoneIsMadeAgain();
    void aFileWithoutPermissionIsLeftAlone();

private:
    QString write(const QByteArray &bytes)
    {
        const QString path = m_folder.filePath(u"file%1.py"_s.arg(++m_number));
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
            qFatal("no file");
        return path;
    }

    QTemporaryDir m_folder;
    int m_number = 0;
};

void TestCodeFile::whatIsReadIsWrittenBackByteForByte_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("plain") << QByteArray("a\nb\n");
    QTest::newRow("no newline at the end") << QByteArray("a\nb");
    QTest::newRow("windows") << QByteArray("a\r\nb\r\n");
    QTest::newRow("mark") << QByteArray("\xef\xbb\xbf"
                                        "a\n");
    QTest::newRow("no-break space") << QByteArray("a\xc2\xa0"
                                                  "b\n");
    QTest::newRow("beyond the BMP") << QByteArray("\xf0\x9f\x8e\x89\n");
}

void TestCodeFile::whatIsReadIsWrittenBackByteForByte()
{
    QFETCH(QByteArray, bytes);
    const auto read = readCodeFile(write(bytes));
    QVERIFY2(read, qPrintable(read ? QString() : read.error()));
    QCOMPARE(encoded(read->text, read->crlf, read->mark), bytes);
    QCOMPARE(read->hash, hashOf(bytes));
}

void TestCodeFile::whatIsNoTextIsRefusedWithASentence_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("says");
    QTest::newRow("binary") << QByteArray("\x89PNG\0x", 6) << u"zero bytes"_s;
    QTest::newRow("latin-1") << QByteArray("gr\xfc\xdf"
                                           "e\n")
                             << u"UTF-8"_s;
    QTest::newRow("huge") << QByteArray(maximumFileBytes + 1, 'x') << u"up to"_s;
    QTest::newRow("one long line") << QByteArray(CodeEditor::longestLine + 1, 'x') << u"glovebox run"_s;
}

void TestCodeFile::whatIsNoTextIsRefusedWithASentence()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, says);
    const auto read = readCodeFile(write(bytes));
    QVERIFY(!read);
    QVERIFY2(read.error().contains(says), qPrintable(read.error()));
    QVERIFY(readCodeFile(m_folder.path()).error().contains(m_folder.path()));
    QVERIFY(readCodeFile(m_folder.filePath(u"nowhere.py"_s)).error().contains(u"not there"_s));
}

void TestCodeFile::aPipeIsNotWaitedFor()
{
    const QString path = m_folder.filePath(u"pipe"_s);
    QCOMPARE(::mkfifo(qPrintable(path), 0600), 0);
    QVERIFY(!readCodeFile(path));
    QVERIFY(!writeCodeFile(path, "x", {}));
}

void TestCodeFile::somebodyElsesChangeIsNotOverwritten()
{
    const QString path = write("one");
    const auto read = readCodeFile(path);
    QVERIFY(read);
    QFile other(path);
    QVERIFY(other.open(QIODevice::WriteOnly));
    other.write("two");
    other.close();
    const auto refused = writeCodeFile(path, "mine", read->hash);
    QVERIFY(!refused);
    QVERIFY(refused.error().changed);
    QCOMPARE(readCodeFile(path)->text, u"two"_s);
    const auto forced = writeCodeFile(path, "mine", {});
    QVERIFY(forced);
    QCOMPARE(forced->hash, hashOf("mine"));
    QCOMPARE(readCodeFile(path)->text, u"mine"_s);
}

void TestCodeFile::aFileThatIsGoneIsMadeAgain()
{
    const QString path = write("one");
    const auto read = readCodeFile(path);
    QVERIFY(QFile::remove(path));
    QVERIFY(!stampOf(path).exists());
    QVERIFY(writeCodeFile(path, "one", read->hash));
    QVERIFY(stampOf(path).exists());
}

void TestCodeFile::aFileWithoutPermissionIsLeftAlone()
{
    const QString path = write("one");
    QVERIFY(QFile::setPermissions(path, QFile::ReadOwner | QFile::ReadGroup | QFile::ReadOther));
    QVERIFY(QFile::setPermissions(m_folder.path(), QFile::permissions(m_folder.path()) | QFile::ReadGroup
                                                       | QFile::ExeGroup | QFile::ReadOther | QFile::ExeOther));
    const AsOrdinaryUser user;
    QVERIFY(!readCodeFile(path)->writable);
    const auto saved = writeCodeFile(path, "two", {});
    QVERIFY(!saved);
    QVERIFY(saved.error().sentence.contains(u"permission"_s));
    QCOMPARE(readCodeFile(path)->text, u"one"_s);
}

QTEST_GUILESS_MAIN(TestCodeFile)
#include "tst_codefile.moc"
