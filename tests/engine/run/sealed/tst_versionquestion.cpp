// SPDX-License-Identifier: Apache-2.0
// Asking a program for its version is running it: sealed, or not at all.
#include "engine/run/versionquestion.h"

#include "engine/sandbox/native/native.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestVersionQuestion : public QObject
{
    Q_OBJECT

private:
    std::shared_ptr<Backend> m_backend = makeNativeBackend(QStringLiteral(GLOVEBOX_LIBEXEC), u"ask"_s);

    std::optional<QByteArray> ask(const QString &script) const
    {
        return askSealed(m_backend)({.path = u"/bin/bash"_s}, {u"-c"_s, script});
    }

private Q_SLOTS:
    void gathersWhatIsSaidOnBothStreams()
    {
        QCOMPARE(ask(u"echo 1.2; echo three >&2"_s).value_or("?"), "1.2\nthree\n");
    }

    void isEmptyWhenTheProgramFails()
    {
        QCOMPARE(ask(u"echo 1.2; exit 1"_s).value_or("?"), "");
        QCOMPARE(askSealed(m_backend)({.path = u"/bin/no-such-program"_s}, {}).value_or("?"), "");
    }

    void isNobodysAnswerWhenNothingCanRun()
    {
        const std::shared_ptr<Backend> none =
            makeNativeBackend(QStringLiteral(GLOVEBOX_LIBEXEC), u"none"_s,
                              {.only = NativeBuilder::Bubblewrap, .bubblewrap = u"/no/bwrap"_s});
        QVERIFY(!askSealed(none)({.path = u"/bin/bash"_s}, {u"-c"_s, u"echo 1.2"_s}));
    }

    void keepsTheProgramFromTheMachine()
    {
        const QTemporaryDir folder(u"/var/tmp/glovebox-test-XXXXXX"_s);
        QVERIFY(QFile::setPermissions(folder.path(), QFile::Permissions(0x7777)));
        const QString marker = folder.filePath(u"marker"_s);
        QCOMPARE(
            ask(u"exec 2>&1; echo x > %1; echo x > /work/y; cat /work/y; hostname; id -u"_s.arg(marker)).value_or("?"),
            "/bin/bash: line 1: " + marker.toUtf8() + ": No such file or directory\nx\nglovebox\n1000\n");
        QVERIFY(!QFile::exists(marker));
    }

    void readsOnlySoMuchOfALongAnswer()
    {
        const auto answer = ask(u"head -c 5M /dev/zero"_s);
        QVERIFY(answer && answer->size() > 1000 && answer->size() < 100'000);
    }
};

QTEST_GUILESS_MAIN(TestVersionQuestion)
#include "tst_versionquestion.moc"
