// SPDX-License-Identifier: Apache-2.0
// Files that a run left in its home are told by name, whatever it left there.
#include "engine/artifacts/artifacts.h"
#include "tests/support/theirowner.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

// Takes one word for a value.
class WordSearch final : public SecretSearch
{
public:
    QStringList in(QByteArrayView) const override { return {}; }
    QByteArray scrubbed(QByteArrayView name) const override
    {
        return name.toByteArray().replace("hunter2", "[secret KEY]");
    }
    void feed(QByteArrayView) override { }
    QStringList end() override { return {}; }
};

} // namespace

class TestHomeFiles : public QObject
{
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    UniqueFd m_home;

    void leave(const QByteArray &name) const
    {
        const UniqueFd file(::openat(m_home.get(), name.constData(), O_WRONLY | O_CREAT, 0644));
        QVERIFY2(file, name.constData());
    }
    void makeFolder(const QByteArray &name, mode_t mode = 0755) const
    {
        QVERIFY2(::mkdirat(m_home.get(), name.constData(), mode) == 0, name.constData());
    }
    QString told(const QList<QByteArray> &shown = {}, const SecretSearch *search = nullptr) const
    {
        const auto left = leftInHome(m_home.get(), shown, search);
        return left ? left->english() : QString();
    }

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_home.reset(::open(QFile::encodeName(m_folder->path()).constData(), O_PATH | O_DIRECTORY | O_CLOEXEC));
        QVERIFY(m_home);
    }

    void whatProgramsLeaveIsNotTold()
    {
        QCOMPARE(told(), QString());
        leave(".bash_history");
        makeFolder(".cache");
        leave(".cache/x");
        QCOMPARE(told(), QString());
    }

    void theFirstNamesAreTold()
    {
        leave("out.txt");
        QCOMPARE(told(), u"Files in ~ go with the run, so they aren't kept: \"~/out.txt\"."_s);
        makeFolder("results");
        leave("results/.git");
        leave("b");
        QCOMPARE(told(), u"Files in ~ go with the run, so they aren't kept: \"~/b\", \"~/out.txt\", \"~/results/\"."_s);
        leave("a");
        leave("c");
        QCOMPARE(told(), u"Files in ~ go with the run, so they aren't kept: \"~/a\", \"~/b\", \"~/c\" and 2 more."_s);
    }

    // In /work, none of these would be kept either.
    void whatIsNoFileIsNotTold()
    {
        makeFolder("empty");
        QVERIFY(::symlinkat("/etc", m_home.get(), "link") == 0);
        QVERIFY(::symlinkat("/etc/passwd", m_home.get(), "file") == 0);
        QVERIFY(::mkfifoat(m_home.get(), "pipe", 0644) == 0);
        QCOMPARE(told(), QString());
        makeFolder("within");
        QVERIFY(::symlinkat("/etc", m_home.get(), "within/link") == 0);
        QCOMPARE(told(), u"Files in ~ go with the run, so they aren't kept: \"~/within/\"."_s);
    }

    void aFolderOfThePersonIsNotTold()
    {
        makeFolder("project");
        leave("project/main.c");
        makeFolder("deep");
        makeFolder("deep/shown");
        leave("projects");
        QCOMPARE(told({"project", "deep/shown"}),
                 u"Files in ~ go with the run, so they aren't kept: \"~/projects\"."_s);
    }

    void hostileNamesStayNames()
    {
        leave("a\"b");
        leave(QByteArray(200, 'x') + ".txt");
        leave("\xff");
        const QString sentence = told();
        QVERIFY2(sentence.contains(u"\"~/a\\x22b\""), qPrintable(sentence));
        QVERIFY2(sentence.contains(u"\"~/xxx") && sentence.contains(u"...") && sentence.size() < 250,
                 qPrintable(sentence));
        QVERIFY2(sentence.contains(u"\"~/\\xFF\"", Qt::CaseInsensitive), qPrintable(sentence));
    }

    void aNameHasNoValueOfASecret()
    {
        leave("key-hunter2");
        const WordSearch search;
        QCOMPARE(told({}, &search), u"Files in ~ go with the run, so they aren't kept: \"~/key-[secret KEY]\"."_s);
    }

    void manyNamesTakeNoTime()
    {
        for (int i = 0; i < 20'000; ++i)
            leave(QByteArray::number(i));
        QElapsedTimer timer;
        timer.start();
        const QString sentence = told();
        QVERIFY2(timer.elapsed() < 2000, qPrintable(QString::number(timer.elapsed())));
        QVERIFY2(sentence.endsWith(u" and at least 997 more."), qPrintable(sentence));
    }

    void aFolderThatCannotBeReadIsTold()
    {
        makeFolder("closed", 0);
        const AsTheirOwner owner; // root could read everything
        QCOMPARE(told(), u"Files in ~ go with the run, so they aren't kept: \"~/closed/\"."_s);
    }

    void aHomeThatIsGoneIsNotTold()
    {
        m_home.reset(::open("/etc/passwd", O_PATH | O_CLOEXEC)); // replaced
        QCOMPARE(told(), QString());
        m_home.reset();
        QCOMPARE(told(), QString());
    }
};

QTEST_GUILESS_MAIN(TestHomeFiles)
#include "tst_homefiles.moc"
