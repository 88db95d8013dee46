// SPDX-License-Identifier: Apache-2.0
// The list of what harmless code misses in a run has a reason for each entry, and the quick ones of it are still as listed.
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>

using namespace Qt::StringLiterals;

class TestCompatibility : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void eachDifferenceHasAReason()
    {
        QFile file(QStringLiteral(GLOVEBOX_SOURCE_DIR "/tests/compatibility/differences.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QJsonArray listed = QJsonDocument::fromJson(file.readAll()).object()[u"cpython"_s].toArray();
        QVERIFY(!listed.isEmpty());
        QSet<QString> seen;
        for (const auto each : listed) {
            const QString reason = each[u"reason"_s].toString();
            QVERIFY2(reason.size() > 40 && reason.endsWith(u'.'), qPrintable(reason));
            QJsonObject modules = each[u"modules"_s].toObject();
            QVERIFY2(!modules.isEmpty(), qPrintable(reason));
            for (auto module = modules.begin(); module != modules.end(); ++module) {
                QVERIFY2(!module->toArray().isEmpty(), qPrintable(module.key()));
                for (const auto test : module->toArray()) {
                    const QString name = module.key() + u'.' + test.toString();
                    QVERIFY2(!seen.contains(name), qPrintable(name));
                    seen.insert(name);
                }
            }
        }
    }

    // Those that wait least, listed and not.
    void quickModulesDifferAsListed()
    {
        const QStringList modules{u"test_fcntl"_s, u"test_grp"_s, u"test_resource"_s, u"test_spwd"_s};
        QProcess ask;
        ask.start(u"/usr/bin/python3"_s,
                  {u"-c"_s, u"import sys, test.test_fcntl; sys.exit(sys.version_info[:2] != (3, 11))"_s});
        QVERIFY(ask.waitForFinished());
        if (ask.exitCode() != 0)
            QSKIP("The tests of CPython 3.11 (libpython3.11-testsuite) are not installed.");
        const QTemporaryDir home;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(u"GLOVEBOX_HOME"_s, home.path());
        QProcess compare;
        compare.setProcessEnvironment(environment);
        compare.setProcessChannelMode(QProcess::MergedChannels);
        compare.start(QStringLiteral(GLOVEBOX_SOURCE_DIR "/tests/compatibility/compare.py"),
                      QStringList{u"--glovebox"_s, QStringLiteral(GLOVEBOX_BIN "/glovebox")} + modules);
        QVERIFY(compare.waitForFinished(100'000));
        const QByteArray said = compare.readAll();
        QVERIFY2(compare.exitCode() == 0, said);
        // Which of them there are depends on Python's version.
        QVERIFY2(said.contains("modules that pass raw pass sealed; 0 differ from the list"), said);
        QVERIFY2(!said.contains("0 of 0"), said);
    }
};

QTEST_GUILESS_MAIN(TestCompatibility)
#include "tst_compatibility.moc"
