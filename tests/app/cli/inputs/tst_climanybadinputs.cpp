// SPDX-License-Identifier: Apache-2.0
// Nearly six hundred mistakes, badinputs.json: each gets a sentence and the exit status of its kind, and nothing is lost by any.
#include "tests/app/cli/program.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QRegularExpression>
#include <QTest>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestCliManyBadInputs : public QObject
{
    Q_OBJECT

    // In the home, whose folder "d" can be mounted.
    Ended inHome(const QStringList &arguments) const
    {
        const auto process = m_home.program(arguments);
        process->setWorkingDirectory(m_home.path());
        process->start();
        process->closeWriteChannel();
        return finish(*process);
    }
    // A session's files, the settings and the secrets.
    QByteArray possessions() const
    {
        return inHome({u"session"_s, u"files"_s, u"shop"_s}).out + inHome({u"session"_s, u"list"_s, u"--json"_s}).out
               + inHome({u"settings"_s, u"list"_s}).out + inHome({u"secret"_s, u"list"_s}).out;
    }

    Home m_home;
    QByteArray m_before;

private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY(QDir().mkdir(m_home.path(u"d"_s)));
        const QString file = m_home.write(u"a.py"_s, "print(1)\n");
        QCOMPARE(inHome({u"session"_s, u"create"_s, u"--name"_s, u"shop"_s}).status, 0);
        QCOMPARE(inHome({u"session"_s, u"put"_s, u"shop"_s, file}).status, 0);
        QCOMPARE(inHome({u"settings"_s, u"set"_s, u"run.memory_mb"_s, u"300"_s}).status, 0);
        m_before = possessions();
        QVERIFY2(m_before.contains("a.py") && m_before.contains("300"), m_before);
    }

    // "*" in the words is the value; as the first word, the value is a command of one or two words.
    void aMistakeHasASentenceAndAStatus_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("status");
        QFile file(QStringLiteral(GLOVEBOX_SOURCE_DIR "/tests/app/cli/inputs/badinputs.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        int rows = 0;
        for (const auto group : QJsonDocument::fromJson(file.readAll()).array()) {
            for (const auto value : group[u"values"_s].toArray()) {
                QStringList arguments;
                for (const auto word : group[u"words"_s].toArray()) {
                    if (word.toString() != u"*"_s)
                        arguments.append(word.toString());
                    else if (arguments.isEmpty())
                        arguments = value.toString().split(u' ');
                    else
                        arguments.append(value.toString());
                }
                QTest::addRow("%d %s", ++rows, qPrintable(arguments.join(u' ')))
                    << arguments << group[u"status"_s].toInt();
            }
        }
        QVERIFY(rows >= 580);
    }

    void aMistakeHasASentenceAndAStatus()
    {
        QFETCH(const QStringList, arguments);
        QFETCH(const int, status);
        const Ended ended = inHome(arguments);
        QVERIFY2(ended.status == status, QByteArray::number(ended.status) + ": " + ended.err);
        QCOMPARE(ended.out, "");
        static const QRegularExpression sentence(u"^glovebox: (?!(It|That|What|Of) )[^\\n]{10,1500}\\n"_s);
        const QString said = QString::fromUtf8(ended.err);
        QVERIFY2(sentence.match(said).hasMatch() && said.count(u'\n') <= 3, ended.err);
        static const QRegularExpression innards(u"std::|terminate called|ASSERT|%[0-9]|QObject"_s);
        QVERIFY2(!innards.match(said).hasMatch(), ended.err);
    }

    void nothingIsLost() { QCOMPARE(possessions(), m_before); }
};

QTEST_GUILESS_MAIN(TestCliManyBadInputs)
#include "tst_climanybadinputs.moc"
