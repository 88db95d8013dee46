// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/vault/import/envfile.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestEnvFile : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void valuesAreReadAsOthersReadThem_data();
    void valuesAreReadAsOthersReadThem();
    void whatIsNoSecretSaysWhy_data();
    void whatIsNoSecretSaysWhy();
    void linesAreCountedAndOthersGoOn();
    void aFileIsReadWholeOrNotAtAll();
    void anyBytesAreSurvived();
};

void TestEnvFile::valuesAreReadAsOthersReadThem_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QByteArray>("value");
    const auto row = [](const char *name, const QByteArray &line, const QByteArray &value) {
        QTest::newRow(name) << line << value;
    };
    row("plain", "KEY=value", "value");
    row("export", "export KEY=value", "value");
    row("blanks around", "  KEY = value  ", "value");
    row("windows", "KEY=value\r\n", "value");
    row("comment behind", "KEY=value # not this", "value");
    row("a number sign inside", "KEY=val#ue", "val#ue");
    row("equals inside", "KEY=a=b=c==", "a=b=c==");
    row("single quotes", "KEY='a \\n # b'", "a \\n # b");
    row("double quotes", "KEY=\"a\\nb \\\"c\\\" \\\\ \\x\"", "a\nb \"c\" \\ \\x");
    row("several lines", "KEY=\"one\ntwo\"\n", "one\ntwo");
    row("byte order mark", "\xef\xbb\xbfKEY=value", "value");
}

void TestEnvFile::valuesAreReadAsOthersReadThem()
{
    QFETCH(QByteArray, line);
    QFETCH(QByteArray, value);
    const auto entries = readEnv(line);
    QCOMPARE(entries.size(), size_t(1));
    QCOMPARE(entries[0].problem, QString());
    QCOMPARE(entries[0].name, u"KEY"_s);
    QCOMPARE(entries[0].value.view().toByteArray(), value);
}

void TestEnvFile::whatIsNoSecretSaysWhy_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::newRow("no equals") << QByteArray("just words");
    QTest::newRow("empty") << QByteArray("KEY=");
    QTest::newRow("too short") << QByteArray("KEY=abc");
    QTest::newRow("open quote") << QByteArray("KEY=\"value");
    QTest::newRow("no name") << QByteArray("=value");
    QTest::newRow("what decides how programs start") << QByteArray("PATH=/usr/local/bin");
    QTest::newRow("odd name") << QByteArray("MY KEY=value");
}

void TestEnvFile::whatIsNoSecretSaysWhy()
{
    QFETCH(QByteArray, line);
    const auto entries = readEnv(line);
    QCOMPARE(entries.size(), size_t(1));
    QVERIFY(entries[0].problem.size() > 10);
}

void TestEnvFile::linesAreCountedAndOthersGoOn()
{
    const auto entries = readEnv("# remark\n\nA_KEY=\"one\ntwo\"\nnonsense\nB_KEY=third\n");
    QCOMPARE(entries.size(), size_t(3));
    QCOMPARE(entries[0].line, 3);
    QCOMPARE(entries[1].line, 5);
    QVERIFY(!entries[1].problem.isEmpty() && entries[1].name.isEmpty());
    QCOMPARE(entries[2].line, 6);
    QCOMPARE(entries[2].name, u"B_KEY"_s);
}

void TestEnvFile::aFileIsReadWholeOrNotAtAll()
{
    const QTemporaryDir folder;
    const auto read = [path = folder.filePath(u".env"_s)](const QByteArray &bytes) {
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
            qFatal("The file can't be written.");
        file.close();
        return readEnvFile(path);
    };
    QVERIFY(read("")->empty());
    QCOMPARE(read("A_KEY=first\nB_KEY=second\n")->size(), size_t(2));
    const QByteArray last("KEY=value");
    const QByteArray filling(envFileMax - last.size() - 2, 'x');
    const auto entries = read('#' + filling + '\n' + last);
    QVERIFY(entries && entries->size() == 1 && entries->front().name == u"KEY"_s);
    QVERIFY(!read("##" + filling + '\n' + last));
    QVERIFY(!readEnvFile(folder.filePath(u"none"_s)));
    QVERIFY(!readEnvFile(folder.path()));
    QVERIFY(!readEnvFile(u"/dev/zero"_s));
}

void TestEnvFile::anyBytesAreSurvived()
{
    QByteArray bytes;
    for (int i = 0; i < 20'000; ++i)
        bytes.append("=\"'\\\n#A \0\xff"[(i * 7919 + i / 11) % 10]);
    (void)readEnv(bytes);
}

QTEST_GUILESS_MAIN(TestEnvFile)
#include "tst_envfile.moc"
