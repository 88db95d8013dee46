// SPDX-License-Identifier: Apache-2.0
// Packages whose metadata has addresses in place of names, at which pip would download sources and build them: nothing of a package
// is run while packages are fetched, whatever pip reads.
#include "packageengine.h"

#include <QProcess>

#include <sys/stat.h>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

const QString privateIndex = u"https://www.allowed.test/private"_s;

} // namespace

class TestPackageAddresses : public QObject, PackageEngine
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        openWithIndex(u"python"_s, u"index.py"_s);
        QVERIFY(::chmod(QFile::encodeName(m_wheels.path()).constData(), 0755) == 0);
        const QString room = QFileInfo(qEnvironmentVariable("TEST_INTERNET_LOG")).path();
        const QString source = u"/sourceonly-1.0.tar.gz"_s;
        QVERIFY(QFile::copy(room + u"/www/packages"_s + source, m_wheels.path() + source));
    }
    void cleanupTestCase() { close(); }

    void noAddressIsFollowed_data()
    {
        QTest::addColumn<QString>("packages");
        QTest::addColumn<QString>("index");
        QTest::addColumn<QString>("why");
        const auto row = [](const char *packages, const char *demands, const QString &index = privateIndex) {
            QTest::newRow(qPrintable(QLatin1StringView(packages) + u" of "_s + index))
                << QString::fromLatin1(packages) << index
                << u"\"%1\" requires \"sourceonly\" from an address, and Glovebox installs packages of an index only. "
                   u"Nothing was installed."_s.arg(QLatin1StringView(demands));
        };
        row("refers", "refers");
        row("refers", "refers", u"https://pypi.org/simple"_s);
        row("refers-git", "refers-git");
        row("refers-file", "refers-file");
        row("refers-folder", "refers-folder");
        row("refers-wheel", "refers-wheel");
        row("deep", "refers");
        row("refers-extra[more]", "refers-extra");
    }
    void noAddressIsFollowed()
    {
        QFETCH(QString, packages);
        QFETCH(QString, index);
        QFETCH(QString, why);
        const InternetLog log;
        const auto installed = installBesideWheels(wishFor(packages, index));
        QVERIFY(!installed);
        const QByteArray said = this->why(installed);
        QVERIFY2(!said.contains("the set-up of a source ran"), said);
        const QByteArray seen = log.lines().join('\n');
        QVERIFY2(!seen.contains("GET /built") && !seen.contains("tiny.git") && !seen.contains("sourceonly"), seen);
        QVERIFY2(installed.error().message.english() == why, said);
        QVERIFY(m_engine->sessions().list().value().isEmpty());
    }

    // Nobody waits for a name that is longer than a pipe.
    void aNameOfAnyLengthIsAnswered()
    {
        const auto installed = install(wishFor(u"refers-longly"_s, privateIndex));
        QVERIFY(!installed);
        QVERIFY2(why(installed).startsWith("\"refers-longly\" requires \"?\" from an address"), why(installed));
    }

    void anAddressThatNobodyWantsIsNoHindrance()
    {
        const auto installed = install(wishFor(u"refers-extra"_s, privateIndex));
        QVERIFY2(installed, this->why(installed));
        QCOMPARE(installed->lock.names(), QStringList{u"refers-extra 1.0"_s});
    }

    // Whose file is there, by the index or in the folder of wheels.
    void noSourceIsBuiltForANameEither_data()
    {
        QTest::addColumn<QString>("packages");
        QTest::newRow("wanted") << u"sourceonly"_s;
        QTest::newRow("required") << u"needs-source"_s;
    }
    void noSourceIsBuiltForANameEither()
    {
        QFETCH(QString, packages);
        const InternetLog log;
        const auto installed = installBesideWheels(wishFor(packages, privateIndex));
        QVERIFY(!installed);
        const QByteArray said = this->why(installed);
        QVERIFY2(said.startsWith("www.allowed.test has \"sourceonly\" only as source code."), said);
        QVERIFY2(!said.contains("the set-up of a source ran"), said);
        QVERIFY(!log.has("request https www.allowed.test GET /built"));
    }

    // Even where pip is told to build, beside a pip that isn't held.
    void thePipOfAFetchStartsNoProgram_data()
    {
        QTest::addColumn<bool>("isHeld");
        QTest::addColumn<QString>("source");
        QTest::addColumn<QByteArray>("words");
        const QString file = m_wheels.filePath(u"sourceonly-1.0.tar.gz"_s);
        const QString repository = u"git+file:///nowhere"_s;
        const QByteArray refused = "Glovebox starts no program while packages are fetched";
        QTest::newRow("a file, raw") << false << file << QByteArray("the set-up of a source ran");
        QTest::newRow("a file") << true << file << refused;
        QTest::newRow("git, raw") << false << repository << QByteArray("git clone");
        QTest::newRow("git") << true << repository << refused;
    }
    void thePipOfAFetchStartsNoProgram()
    {
        QFETCH(bool, isHeld);
        QFETCH(QString, source);
        QFETCH(QByteArray, words);
        QFile held(QStringLiteral(GLOVEBOX_SOURCE_DIR "/engine/packages/python/scripts/pip.py"));
        QVERIFY(held.open(QIODevice::ReadOnly));
        const QStringList start = isHeld ? QStringList{u"-c"_s, QString::fromUtf8(held.readAll()), u"2"_s, QString()}
                                         : QStringList{u"-m"_s, u"pip"_s};
        const QTemporaryDir folder;
        QProcess pip;
        pip.setProcessChannelMode(QProcess::MergedChannels);
        pip.setWorkingDirectory(folder.path());
        pip.start(debianPython, QStringList{u"-I"_s} + start
                                    + QStringList{u"--isolated"_s, u"--disable-pip-version-check"_s, u"download"_s,
                                                  u"--no-index"_s, u"--no-deps"_s, source});
        QVERIFY(pip.waitForFinished(60'000));
        const QByteArray said = pip.readAll();
        QVERIFY(pip.exitCode() != 0);
        QVERIFY2(said.contains(words), said);
        QVERIFY2(!isHeld || (!said.contains("the set-up") && !said.contains("git clone")), said);
    }

private:
    // With the folder of the person's wheels, in which a source is.
    Result<InstalledPackages> installBesideWheels(const PackageWish &wish)
    {
        RETURN_IF_ERROR(m_engine->settings().setFlag(u"packages.wheels"_s, m_wheels.path()));
        const auto installed = install(wish);
        RETURN_IF_ERROR(m_engine->settings().setFlag(u"packages.wheels"_s, QString()));
        return installed;
    }
    static PackageWish wishFor(const QString &packages, const QString &index)
    {
        PackageWish wish{.language = u"python"_s};
        wish.requirements = readRequirements(packages, u"python"_s).value();
        wish.interpreter = debianPython;
        wish.index = index;
        return wish;
    }

    QTemporaryDir m_wheels;
};

GLOVEBOX_INTERNET_TEST_MAIN(TestPackageAddresses)
#include "tst_packageaddresses.moc"
