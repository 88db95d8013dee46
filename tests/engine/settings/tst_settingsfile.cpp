// SPDX-License-Identifier: Apache-2.0
// The file of settings, which people and several programs write to.
#include "settingsfolder.h"

#include <csignal>
#include <sys/resource.h>

#include <thread>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestSettingsFile : public SettingsFolder
{
    Q_OBJECT

private Q_SLOTS:
    void storesForTheNextProgram();
    void aNewerProgramsSettingIsKeptAndTellsThatItIsUnknown();
    void aFullDiskLeavesTheOldFile();
    void removesOnlyItsKey();
    void neverWritesOverAFileThatIsNotValid();
    void writesThroughALink();
    void twoProgramsDontLoseEachOthersKeys();
    void refusesAFolderThatOthersCanWriteTo();
    void saysWhenTheFileCantBeWritten();
    void takesWhatOthersWroteAndKeepsItsOwnWhenThatIsBroken();
    void aBrokenFileIsKeptAside();
};

void TestSettingsFile::storesForTheNextProgram()
{
    const auto settings = load();
    QVERIFY(settings->store(u"run.memory_mb"_s, 100));
    QVERIFY(settings->store(u"run.strict"_s, u"yes"_s));
    QCOMPARE(settings->value(u"run.memory_mb"_s), (SettingValue{qint64(100), SettingOrigin::File}));
    QCOMPARE(json(), (QJsonObject{{u"run"_s, QJsonObject{{u"memory_mb"_s, 100}, {u"strict"_s, true}}}}));
    QCOMPARE(load()->policy(), settings->policy());
    const auto forOthers = QFile::ReadGroup | QFile::WriteGroup | QFile::ReadOther | QFile::WriteOther;
    QCOMPARE(QFile(m_file).permissions() & forOthers, QFile::Permissions());
    QCOMPARE(QFile(QFileInfo(m_file).path()).permissions() & forOthers, QFile::Permissions());
    // Nothing but the file and its lock is left.
    QCOMPARE(QFileInfo(m_file).dir().entryList(QDir::Files | QDir::Hidden, QDir::Name),
             (QStringList{u"settings.json"_s, u"settings.json.lock"_s}));
}

void TestSettingsFile::aNewerProgramsSettingIsKeptAndTellsThatItIsUnknown()
{
    write(R"({"run":{"strict":true}})");
    const auto settings = load();
    const QByteArray newer = R"({"run":{"strict":true},"engine":{"later":[1,{"a":null}]},"list":[]})";
    write(newer);
    const Status stored = settings->store(u"run.memory_mb"_s, 100);
    QVERIFY(!stored);
    QVERIFY2(stored.error().message.english().contains(u"unknown setting \"engine.later\""_s),
             qPrintable(stored.error().message.english()));
    QVERIFY(json().contains(u"list"_s) && json()[u"engine"_s].toObject().contains(u"later"_s));
    QVERIFY(settings->policy().strict); // what was in force stays
}

void TestSettingsFile::aFullDiskLeavesTheOldFile()
{
    write(R"({"run":{"strict":true}})");
    const auto settings = load();
    // The limit on file sizes stands for a full disk: it too is met by write(2).
    rlimit before{};
    QVERIFY(::getrlimit(RLIMIT_FSIZE, &before) == 0);
    const rlimit nothing{0, before.rlim_max};
    ::signal(SIGXFSZ, SIG_IGN);
    QVERIFY(::setrlimit(RLIMIT_FSIZE, &nothing) == 0);
    const Status stored = settings->store(u"run.memory_mb"_s, 100);
    ::setrlimit(RLIMIT_FSIZE, &before);
    QVERIFY(!stored);
    QVERIFY2(stored.error().message.english().contains(u"can't be written"_s),
             qPrintable(stored.error().message.english()));
    QCOMPARE(json(), (QJsonObject{{u"run"_s, QJsonObject{{u"strict"_s, true}}}}));
}

void TestSettingsFile::removesOnlyItsKey()
{
    write(R"({"run":{"strict":true,"memory_mb":100},"leaks":{"ignore":"jwt"}})");
    const auto settings = load();
    QVERIFY(settings->remove(u"run.strict"_s));
    QVERIFY(settings->value(u"run.strict"_s).origin == SettingOrigin::Default);
    const QJsonObject other{{u"ignore"_s, u"jwt"_s}};
    QCOMPARE(json(), (QJsonObject{{u"run"_s, QJsonObject{{u"memory_mb"_s, 100}}}, {u"leaks"_s, other}}));
    QVERIFY(settings->remove(u"run.memory_mb"_s));
    QCOMPARE(json(), (QJsonObject{{u"leaks"_s, other}}));
    QVERIFY(settings->remove(u"run.memory_mb"_s)); // not there: nothing to do
    QVERIFY(!settings->remove(u"run.colour"_s));
}

void TestSettingsFile::neverWritesOverAFileThatIsNotValid()
{
    const auto settings = load();
    write("{ half a file");
    const Status status = settings->store(u"run.memory_mb"_s, 100);
    QVERIFY(!status);
    QVERIFY(status.error().message.english().contains(m_file));
    QCOMPARE(content(), QByteArray("{ half a file"));
    QVERIFY(settings->value(u"run.memory_mb"_s).origin == SettingOrigin::Default);
}

void TestSettingsFile::writesThroughALink()
{
    const QString elsewhere = m_folder->filePath(u"dotfiles.json"_s);
    write("{}");
    QVERIFY(QFile::rename(m_file, elsewhere) && QFile::link(elsewhere, m_file));
    QVERIFY(load()->store(u"run.strict"_s, true));
    QVERIFY(QFileInfo(m_file).isSymLink());
    QVERIFY(load()->policy().strict);
}

void TestSettingsFile::twoProgramsDontLoseEachOthersKeys()
{
    // Each with its own Settings, as separate programs have.
    const auto program = [this](const QString &key, qint64 first) {
        const auto settings = load();
        for (qint64 i = 0; i < 40; ++i) {
            if (const auto status = settings->store(key, first + i); !status)
                qFatal("%s", qPrintable(status.error().message.english()));
            if (load()->value(key).value.toLongLong() != first + i)
                qFatal("lost %s", qPrintable(key));
        }
    };
    std::thread other([&] { program(u"run.memory_mb"_s, 100); });
    program(u"run.processes"_s, 10);
    other.join();
    QCOMPARE(json(), (QJsonObject{{u"run"_s, QJsonObject{{u"memory_mb"_s, 139}, {u"processes"_s, 49}}}}));
}

void TestSettingsFile::refusesAFolderThatOthersCanWriteTo()
{
    write("{}");
    const QString folder = QFileInfo(m_file).path();
    QVERIFY(QFile::setPermissions(folder, QFile::Permissions(0x7077)));
    const auto refused = Settings::load(m_file, {});
    QVERIFY(!refused && refused.error().message.english().contains("chmod go-w"_L1));
    QVERIFY(QFile::remove(m_file));
    QVERIFY(!load()->store(u"run.strict"_s, true));
    QVERIFY(!QFile::exists(m_file));
}

void TestSettingsFile::saysWhenTheFileCantBeWritten()
{
    QVERIFY(QDir().mkpath(m_file)); // a folder in its place
    const auto settings = Settings::load(m_file, {});
    QVERIFY(!settings);
    QVERIFY(settings.error().message.english().contains(m_file));
}

void TestSettingsFile::takesWhatOthersWroteAndKeepsItsOwnWhenThatIsBroken()
{
    const auto settings = load();
    write(R"({"run":{"strict":true}})");
    QVERIFY(settings->reload());
    QVERIFY(settings->policy().strict);
    write("{");
    const Status broken = settings->reload();
    QVERIFY(!broken && broken.error().message.english().contains(m_file));
    QVERIFY(settings->policy().strict);
}

void TestSettingsFile::aBrokenFileIsKeptAside()
{
    QVERIFY(!Settings::moveAside(m_file)); // there is none
    for (const QByteArray &broken : {QByteArray("{"), QByteArray("}")}) {
        write(broken);
        const auto aside = Settings::moveAside(m_file);
        QVERIFY(aside && aside->startsWith(m_file + u".broken-2"_s));
        QVERIFY(!QFile::exists(m_file));
        QFile kept(*aside);
        QVERIFY(kept.open(QIODevice::ReadOnly));
        QCOMPARE(kept.readAll(), broken); // each under a name of its own
    }
    QCOMPARE(load()->policy(), Policy());
}

QTEST_GUILESS_MAIN(TestSettingsFile)
#include "tst_settingsfile.moc"
