// SPDX-License-Identifier: Apache-2.0
// The bench with a folder that runs get as a copy.
#pragma once

#include "benchseat.h"

#include <QDir>
#include <QLabel>
#include <QTemporaryDir>

namespace glovebox {

using namespace Qt::StringLiterals;

class ChangesSeat : protected BenchSeat
{
protected:
    QTemporaryDir m_room{u"/tmp/glovebox-changes-XXXXXX"_s};
    QString m_folder;

    void sitDownWithAFolder()
    {
        m_folder = m_room.filePath(u"src"_s);
        QVERIFY(QDir(m_folder).removeRecursively() && QDir().mkpath(m_folder));
        write(u"a.txt"_s, "one\ntwo\nthree\n");
        write(u"c.txt"_s, "gone\n");
        sitDown();
    }
    void write(const QString &name, const QByteArray &content)
    {
        QFile file(m_folder + u'/' + name);
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(content), content.size());
    }
    QString summary() { return inTab<QLabel>("bench.changes.summary")->text(); }

    // Changes a, adds b, removes c.
    void runOnACopy(const QString &code = u"sed -i s/two/zwei/ a.txt && echo new > b.txt && rm c.txt"_s,
                    int changes = 3)
    {
        Policy policy = tab()->policy().policy();
        policy.folders = {{m_folder, u"/work/src"_s, FolderGrant::Mode::Stage}};
        tab()->setPolicy(policy);
        run(u"cd src && "_s + code + u'\n', u"sh"_s);
        waitForEnd();
        QTRY_VERIFY2(tab()->runs().tab(u"changes"_s)->title() == u"Changes · %1"_s.arg(changes),
                     qPrintable(shown() + summary()));
    }
};

} // namespace glovebox
