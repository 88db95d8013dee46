// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/editor/code/codeeditor.h"
#include "app/workbench/editor/file/codefile.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <optional>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
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

// 16 pages over folder, for this process and its children; not for a program with threads.
bool mountSmallDisk(const QByteArray &folder)
{
    const uid_t user = ::geteuid();
    const gid_t group = ::getegid();
    if (::unshare((user == 0 ? 0 : CLONE_NEWUSER) | CLONE_NEWNS) != 0)
        return false;
    if (user != 0) { // without these nobody can own a file there
        const QByteArray groupMap = QByteArray::number(group) + ' ' + QByteArray::number(group) + " 1";
        const QByteArray userMap = QByteArray::number(user) + ' ' + QByteArray::number(user) + " 1";
        for (const auto &[name, content] :
             {std::pair("setgroups", QByteArray("deny")), {"gid_map", groupMap}, {"uid_map", userMap}}) {
            QFile map(u"/proc/self/"_s + QString::fromLatin1(name));
            if (!map.open(QIODevice::WriteOnly | QIODevice::Unbuffered) || map.write(content) < 0)
                return false;
        }
    }
    return ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0
           && ::mount("tmpfs", folder.constData(), "tmpfs", 0, "size=65536") == 0;
}

} // namespace

class TestCodeFile : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void whatIsReadIsWrittenBackByteForByte_data();
    void whatIsReadIsWrittenBackByteForByte();
    void whatIsNoTextIsRefusedWithASentence_data();
    void whatIsNoTextIsRefusedWithASentence();
    void whatAnEncodingDoesNotHaveIsFound();
    void longLinesAreCutBetweenCharacters();
    void aPipeIsNotWaitedFor();
    void somebodyElsesChangeIsNotOverwritten();
    void aFileThatIsGoneIsMadeAgain();
    void aFileWithoutPermissionIsLeftAlone();
    void aFullDiskLeavesTheOldFile_data();
    void aFullDiskLeavesTheOldFile();
    void aFileInAFolderThatCantBeWrittenIsSaved();

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
    QTest::newRow("latin-1") << QByteArray("gr\xfc\xdf"
                                           "e\n");
    QTest::newRow("utf-16") << QByteArray("\xff\xfe"
                                          "g\0r\0\xfc\0\r\0\n\0",
                                          12);
    QTest::newRow("utf-16, big end first") << QByteArray("\xfe\xff"
                                                         "\0g\0\n",
                                                         6);
    QTest::newRow("one long line") << QByteArray(CodeEditor::longestLine + 1, 'x');
    QTest::newRow("beyond the BMP") << QByteArray("\xf0\x9f\x8e\x89\n");
}

void TestCodeFile::whatIsReadIsWrittenBackByteForByte()
{
    QFETCH(QByteArray, bytes);
    const auto read = readCodeFile(write(bytes));
    QVERIFY2(read, qPrintable(read ? QString() : read.error()));
    QCOMPARE(encoded(read->text, *read), bytes);
    QCOMPARE(read->hash, hashOf(bytes));
}

void TestCodeFile::whatIsNoTextIsRefusedWithASentence_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("says");
    QTest::newRow("binary") << QByteArray("\x89PNG\0x", 6) << u"zero bytes"_s;
    QTest::newRow("binary without zero bytes") << QByteArray("\x89PNG\x01\xff") << u"control characters"_s;
    QTest::newRow("half a UTF-16") << QByteArray("\xff\xfe\x41") << u"UTF-16"_s;
    QTest::newRow("huge") << QByteArray(maximumFileBytes + 1, 'x') << u"up to"_s;
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

void TestCodeFile::whatAnEncodingDoesNotHaveIsFound()
{
    QCOMPARE(missingIn(Encoding::Latin1, u"gr\u00fc\u00df"_s), QString());
    QCOMPARE(missingIn(Encoding::Latin1, u"5 \u20ac"_s), u"\u20ac"_s);
    QCOMPARE(missingIn(Encoding::Utf16Le, u"5 \u20ac"_s), QString());
    const auto forced = readCode("gr\xc3\xbc", u"a"_s, Encoding::Latin1);
    QVERIFY(forced);
    QCOMPARE(forced->text, u"gr\u00c3\u00bc"_s);
}

void TestCodeFile::longLinesAreCutBetweenCharacters()
{
    const QString party = QString::fromUtf8("\xf0\x9f\x8e\x89");
    const QString whole = u"short\n"_s + u'x' + party.repeated(CodeEditor::longestLine) + u"\nend"_s;
    const auto [cut, continuing] = cutLongLines(whole);
    QVERIFY(longestLineOf(cut) <= CodeEditor::longestLine);
    QVERIFY(QString(cut).remove(u'\n') == QString(whole).remove(u'\n'));
    QVERIFY(cut.startsWith(u"short\nx"_s) && cut.endsWith(u"\nend"_s));
    QVERIFY(!cut.toUtf8().contains('?')); // no half of a character
    QCOMPARE(cutLongLines(u"a\nb\n"_s).text, u"a\nb\n"_s);
    // All lines of what is shown but the three of the file.
    QCOMPARE(continuing.size(), cut.count(u'\n') + 1 - 3);
    QCOMPARE(continuing.first(), 2);
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

void TestCodeFile::aFullDiskLeavesTheOldFile_data()
{
    QTest::addColumn<int>("left"); // bytes that the disk still has
    QTest::addColumn<bool>("closed"); // nothing new may be made in the folder
    QTest::addColumn<int>("length");
    QTest::newRow("nothing left") << 0 << false << 20'000;
    QTest::newRow("nothing left for a short text")
        << 0 << false << 10; // QSaveFile writes it late, and forgets the error
    QTest::newRow("too little left") << 4096 << false << 20'000;
    QTest::newRow("in a closed folder") << 0 << true << 20'000;
}

// On a small disk of its own, in a child with a mount namespace of its own.
void TestCodeFile::aFullDiskLeavesTheOldFile()
{
    QFETCH(int, left);
    QFETCH(bool, closed);
    QFETCH(int, length);
    if (closed && ::geteuid() != 0)
        QSKIP("Only root can be somebody else, to whom a folder of a mount namespace is closed.");
    const QByteArray folder = QFile::encodeName(m_folder.path());
    const QByteArray old(5000, 'o'); // two pages
    const pid_t child = ::fork();
    if (child == 0) {
        if (!mountSmallDisk(folder))
            ::_exit(77);
        const auto put = [](const QString &path, const QByteArray &bytes) {
            QFile file(path);
            return file.open(QIODevice::WriteOnly | QIODevice::Unbuffered) ? file.write(bytes) : -1;
        };
        const QString path = m_folder.filePath(u"a.py"_s);
        put(path, old);
        for (int page = 0; page < 16 - 2 - left / 4096; ++page)
            put(m_folder.filePath(u"fill%1"_s.arg(page)), QByteArray(4096, 'x'));
        QFile::setPermissions(path, QFile::Permissions(0x6666));
        std::optional<AsOrdinaryUser> user;
        if (closed) {
            ::chmod(folder.constData(), 0555);
            user.emplace();
        }
        const auto saved = writeCodeFile(path, QByteArray(length, 'n'), {});
        QFile now(path);
        ::_exit(saved                                                    ? 1
                : !saved.error().sentence.contains(u"still here"_s)      ? 2
                : !now.open(QIODevice::ReadOnly) || now.readAll() != old ? 3
                                                                         : 0);
    }
    int status = 0;
    QCOMPARE(::waitpid(child, &status, 0), child);
    QVERIFY(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77)
        QSKIP("This machine lets nobody mount a small disk.");
    QCOMPARE(WEXITSTATUS(status), 0);
}

void TestCodeFile::aFileInAFolderThatCantBeWrittenIsSaved()
{
    const QString path = write("one");
    QVERIFY(QFile::setPermissions(path, QFile::Permissions(0x6666)));
    ::chmod(QFile::encodeName(m_folder.path()).constData(), 0555);
    {
        const AsOrdinaryUser user;
        for (const QByteArray &text : {QByteArray("a longer text"), QByteArray("two")}) {
            QVERIFY(writeCodeFile(path, text, {}));
            QCOMPARE(readCodeFile(path)->text, QString::fromUtf8(text));
        }
    }
    ::chmod(QFile::encodeName(m_folder.path()).constData(), 0755);
}

QTEST_GUILESS_MAIN(TestCodeFile)
#include "tst_codefile.moc"
