// SPDX-License-Identifier: Apache-2.0
// Linux is the platform to be excellent on, and its folders alone need it: what they hide from the others is in linux.json, by name.
#include "linuxuses.h"

#include <QDirIterator>
#include <QFile>
#include <QSet>
#include <QTest>

#include <utility>

using namespace Qt::StringLiterals;

namespace {

QList<Use> usesBelow(const QString &folder, const Linux &allOfIt)
{
    const QDir source(QStringLiteral(GLOVEBOX_SOURCE_DIR));
    QList<Use> uses;
    QDirIterator files(source.filePath(folder), {u"*.h"_s, u"*.cpp"_s}, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        QFile file(files.next());
        const QString path = source.relativeFilePath(file.fileName());
        if (!allOfIt.mayBeIn(path) && file.open(QIODevice::ReadOnly))
            uses += allOfIt.usesIn(path, QString::fromUtf8(file.readAll()));
    }
    return uses;
}

} // namespace

class TestPlatform : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void onlyTheLinuxFoldersNeedLinux()
    {
        const Linux allOfIt = Linux::read();
        QVERIFY(allOfIt.names.size() > 50);
        QVERIFY2(allOfIt.unreasoned.isEmpty(), qPrintable(u"without a reason:\n"_s + allOfIt.unreasoned));
        QStringList wrong;
        QSet<std::pair<QString, QString>> excused;
        for (const Use &use : usesBelow(u"engine"_s, allOfIt) + usesBelow(u"app"_s, allOfIt)) {
            const std::pair key{use.file, use.what};
            if (allOfIt.exceptions.contains(key))
                excused.insert(key);
            else
                wrong.append(u"%1:%2 uses %3"_s.arg(use.file).arg(use.line).arg(use.what));
        }
        wrong.sort();
        for (const auto &[file, what] : allOfIt.exceptions - excused)
            wrong.append(u"%1 no longer uses %2, and needs no exception"_s.arg(file, what));
        for (const QString &each : std::as_const(wrong))
            qWarning().noquote() << each;
        QVERIFY(wrong.isEmpty());
    }

    void theTestSeesWhatItSearchesFor()
    {
        const Linux some{
            {u"here/"_s}, {u"O_PATH"_s, u"::splice"_s}, {u"linux/"_s, u"sys/prctl.h"_s}, {u"/proc"_s}, {}, {}};
        QVERIFY(some.mayBeIn(u"here/file.cpp"_s) && !some.mayBeIn(u"there/file.cpp"_s));
        const QString source = u"// O_PATH\n#include <linux/openat2.h>\n#include \"sys/prctl.h\" /* splice\n*/\n"
                               "int a = O_PATH | 'O_PATH' | NO_PATH;\n"
                               "b = u\"/proc/self/fd\"_s + \"cat /proc/self\" + \"O_PATH \\\" splice\";\n"
                               "a = ::splice(a) + std::splice(b).splice(c) + R\"(/proc)\";\n"_s;
        const QList<Use> uses{{u"f"_s, 2, u"linux/openat2.h"_s}, {u"f"_s, 3, u"sys/prctl.h"_s},
                              {u"f"_s, 5, u"O_PATH"_s},          {u"f"_s, 6, u"/proc/self/fd"_s},
                              {u"f"_s, 7, u"::splice"_s},        {u"f"_s, 7, u"/proc"_s}};
        QCOMPARE(some.usesIn(u"f"_s, source), uses);
    }
};

QTEST_GUILESS_MAIN(TestPlatform)
#include "tst_platform.moc"
