// SPDX-License-Identifier: Apache-2.0
// The layers of the settings: which value holds, and what is refused.
#include "settingsfolder.h"

#include <QThread>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestSettings : public SettingsFolder
{
    Q_OBJECT

private Q_SLOTS:
    void withoutAFileThereAreTheDefaults();
    void laterLayersWin();
    void everySettingIsReadFromEveryLayer();
    void makesThePolicyOfARun();
    void refusesWhatIsNotValid_data();
    void refusesWhatIsNotValid();
    void ignoresVariablesThatAreNoSettings();
    void anEnvironmentOfOthersOnlyTightens_data();
    void anEnvironmentOfOthersOnlyTightens();
    void anEnvironmentOfOthersNeverLoosensWhatTheFileTightensLater();
    void refusesFlagsOutOfRange_data();
    void refusesFlagsOutOfRange();
    void whatWasTightenedByAFormerNameIsHeeded();
    void aFolderIsThereWhenItIsSet();
};

void TestSettings::withoutAFileThereAreTheDefaults()
{
    const auto settings = load();
    for (const SettingInfo &info : Settings::schema()) {
        QCOMPARE(settings->value(info.key), (SettingValue{info.defaultValue, SettingOrigin::Default}));
        QVERIFY(!info.description.isEmpty());
    }
    QCOMPARE(settings->policy(), Policy());
    QCOMPARE(settings->maxConcurrent(), QThread::idealThreadCount());
    QCOMPARE(settings->queueLimit(), 256);
    QVERIFY(!QFile::exists(m_file)); // reading creates nothing
    QVERIFY(!QFile::exists(QFileInfo(m_file).path()));
}

void TestSettings::laterLayersWin()
{
    const QString key = u"run.memory_mb"_s;
    write(R"({"run":{"memory_mb":100}})");
    QCOMPARE(load()->value(key), (SettingValue{qint64(100), SettingOrigin::File}));
    const auto settings = load({u"GLOVEBOX_RUN_MEMORY_MB=200"_s});
    QCOMPARE(settings->value(key), (SettingValue{qint64(200), SettingOrigin::Environment}));
    QVERIFY(settings->setFlag(key, u"300"_s));
    QCOMPARE(settings->value(key), (SettingValue{qint64(300), SettingOrigin::Flag}));
    QCOMPARE(settings->policy().limits.memoryBytes, 300 * mebibyte);
    QCOMPARE(toString(SettingOrigin::Environment), u"environment"_s);
}

void TestSettings::everySettingIsReadFromEveryLayer()
{
    for (const SettingInfo &info : Settings::schema()) {
        // Some value other than the default.
        const QVariant other =
            info.type == SettingInfo::Type::Integer
                ? QVariant(info.defaultValue.toLongLong() == info.maximum ? info.minimum : info.maximum)
            : info.type == SettingInfo::Type::Boolean ? QVariant(!info.defaultValue.toBool())
                                                      : info.defaultValue; // there is but one backend so far
        const QString group = info.key.section(u'.', 0, 0), name = info.key.section(u'.', 1);
        write(QJsonDocument(QJsonObject{{group, QJsonObject{{name, QJsonValue::fromVariant(other)}}}}).toJson());
        QCOMPARE(load()->value(info.key), (SettingValue{other, SettingOrigin::File}));
        write("{}");
        const QString variable = u"GLOVEBOX_"_s + info.key.toUpper().replace(u'.', u'_') + u'=' + other.toString();
        QCOMPARE(load({variable})->value(info.key), (SettingValue{other, SettingOrigin::Environment}));
        const auto settings = load();
        QVERIFY(settings->setFlag(info.key, other));
        QCOMPARE(settings->value(info.key), (SettingValue{other, SettingOrigin::Flag}));
    }
}

void TestSettings::makesThePolicyOfARun()
{
    write(
        R"({"run":{"wall_seconds":5,"cpu_seconds":3,"cpu_percent":50,"memory_mb":64,"processes":8,"output_bytes":1000,"disk_mb":32,"traffic_mb":9,"bandwidth_kb":11,
              "strict":true,"backend":"native"},"engine":{"max_concurrent":3,"queue_limit":7}})");
    Policy expected;
    expected.limits.wall = std::chrono::seconds(5);
    expected.limits.cpu = std::chrono::seconds(3);
    expected.limits.cpuPercent = 50;
    expected.limits.memoryBytes = 64 * mebibyte;
    expected.limits.processes = 8;
    expected.limits.outputBytes = 1000;
    expected.limits.diskBytes = 32 * mebibyte;
    expected.limits.trafficBytes = 9 * mebibyte;
    expected.limits.bandwidthBytes = 11 * kibibyte;
    expected.strict = true;
    const auto settings = load();
    QCOMPARE(settings->policy(), expected);
    QCOMPARE(settings->maxConcurrent(), 3);
    QCOMPARE(settings->queueLimit(), 7);
}

void TestSettings::refusesWhatIsNotValid_data()
{
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QString>("variable");
    QTest::addColumn<QString>("named"); // what the sentence must name besides

    const auto file = [](const char *content, const char *named) {
        QTest::newRow(content) << QByteArray(content) << QString() << QString::fromUtf8(named);
    };
    file("{\"run\":{\n\"strict\":true,\n}}", "Line 3");
    file("{\"run\":{\"strict\":true,\n\"strict\":false}}", "Line 2");
    file("{} x", "Line 1");
    file("", "Line 1");
    file("[]", "Line 1");
    file("{\"run\":5}", "\"run\" must be an object");
    file(R"({"run":{"strcit":true}})", "unknown setting \"run.strcit\". Did you mean \"run.strict\"?");
    file(R"({"runs":{"strict":true}})", "unknown setting \"runs\". Did you mean \"run\"?");
    file(R"({"Run":{"strict":true}})", "unknown setting \"Run\". Did you mean \"run\"?");
    file(R"({"run.strict":true})", "unknown setting \"run.strict\"");
    file(R"({"strict":true})", "unknown setting \"strict\". Correct");
    file(R"({"":true})", "unknown setting \"\"");
    file(R"({"run":{"":true}})", "unknown setting \"run.\"");
    file(R"({"mcp":{"ask_me":true}})", "unknown setting \"mcp.ask_me\"");
    file(R"({"theme":{"name":"dark"}})", "unknown setting \"theme\"");
    file("{\"run\":{\"memory_mb\":\"256\"}}", "run.memory_mb must be a whole number without quotes");
    file("{\"run\":{\"memory_mb\":true}}", "run.memory_mb must be a whole number");
    file("{\"run\":{\"memory_mb\":null}}", "run.memory_mb must be a whole number");
    file("{\"run\":{\"memory_mb\":2.5}}", "Line 1");
    file("{\"run\":{\"memory_mb\":1}}", "run.memory_mb must be a whole number from 16 to 1048576, not \"1\"");
    file("{\"run\":{\"memory_mb\":-1}}", "run.memory_mb");
    file("{\"run\":{\"strict\":\"true\"}}", "run.strict must be true or false");
    file("{\"run\":{\"strict\":1}}", "run.strict must be true or false");
    file("{\"run\":{\"backend\":1}}", "run.backend must be a text in quotes");
    const auto proxy = [&](const char *text, const char *named) {
        file(QByteArray(R"({"engine":{"upstream_proxy":")").append(text).append("\"}}").constData(), named);
    };
    const char *const form = "engine.upstream_proxy must be written as http://HOST:PORT";
    for (const char *text : {"proxy.example.org:3128", "https://proxy.example.org:3128", "http://proxy.example.org",
                             "http://proxy.example.org:0", "http://proxy.example.org:99999", "http://:3128", "x", " ",
                             "http://proxy.example.org:3128/path", "http://proxy.example.org:3128?x"})
        proxy(text, form);
    proxy("http://me:secret@proxy.example.org:3128", "must not hold a user's name or password");
    const auto variable = [](const char *pair, const char *named) {
        QTest::newRow(pair) << QByteArray() << QString::fromUtf8(pair) << QString::fromUtf8(named);
    };
    variable("GLOVEBOX_RUN_WALL_SECONDS=0",
             "GLOVEBOX_RUN_WALL_SECONDS must be a whole number from 1 to 3600, not \"0\"");
    variable("GLOVEBOX_RUN_WALL_SECONDS=", "GLOVEBOX_RUN_WALL_SECONDS");
    variable("GLOVEBOX_RUN_WALL_SECONDS=2.5", "GLOVEBOX_RUN_WALL_SECONDS");
    variable("GLOVEBOX_RUN_WALL_SECONDS=99999999999999999999", "GLOVEBOX_RUN_WALL_SECONDS");
    variable("GLOVEBOX_RUN_STRICT=maybe", "GLOVEBOX_RUN_STRICT must be true or false, not \"maybe\"");
    variable("GLOVEBOX_RUN_STIRCT=true",
             "Unknown environment variable GLOVEBOX_RUN_STIRCT. Did you mean GLOVEBOX_RUN_STRICT?");
    variable("GLOVEBOX_RUN_MEMORY=1", "Did you mean GLOVEBOX_RUN_MEMORY_MB?");
    variable("GLOVEBOX_HOEM=/x", "Did you mean GLOVEBOX_HOME?");
    variable("GLOVEBOX_XYZZY=1", "GLOVEBOX_XYZZY. Correct its name or unset it.");
    variable("GLOVEBOX_=1", "GLOVEBOX_. Correct");
    variable("GLOVEBOX_RUN_STRIC", "GLOVEBOX_RUN_STRICT?"); // without a value
}

void TestSettings::refusesWhatIsNotValid()
{
    QFETCH(QByteArray, file);
    QFETCH(QString, variable);
    QFETCH(QString, named);
    if (variable.isEmpty())
        write(file);
    const auto settings = Settings::load(m_file, {variable});
    QVERIFY(!settings);
    QCOMPARE(settings.error().code, ErrorCode::InvalidInput);
    const QString sentence = settings.error().message.english();
    QVERIFY2(sentence.contains(named), qPrintable(sentence));
    if (variable.isEmpty())
        QVERIFY2(sentence.contains(m_file), qPrintable(sentence));
}

void TestSettings::ignoresVariablesThatAreNoSettings()
{
    const auto settings =
        load({u"GLOVEBOX_HOME=/x"_s, u"GLOVEBOX_TOKEN=x"_s, u"GLOVEBOX_PACKAGES=skip"_s, u"GLOVEBOX_TEST_X=1"_s,
              u"RUN_STRICT=5"_s, u"GLOVEBOX=1"_s, u"glovebox_run_strict=1"_s});
    QCOMPARE(settings->policy(), Policy());
}

void TestSettings::anEnvironmentOfOthersOnlyTightens_data()
{
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QString>("variable");
    QTest::addColumn<QString>("refusal"); // empty: the variable holds
    const auto row = [](const char *name, const char *file, const QString &variable, const QString &refusal = {}) {
        QTest::newRow(name) << QByteArray(file) << variable << refusal;
    };
    const auto may = u" in the environment, which may only tighten "_s;
    const auto out = u". Take the variable out."_s;
    row("less memory", "{}", u"GLOVEBOX_RUN_MEMORY_MB=64"_s);
    row("more memory", "{}", u"GLOVEBOX_RUN_MEMORY_MB=257"_s,
        u"GLOVEBOX_RUN_MEMORY_MB is \"257\""_s + may + u"run.memory_mb here (\"256\")"_s + out);
    row("as much memory", "{}", u"GLOVEBOX_RUN_MEMORY_MB=256"_s);
    row("more than the file's", R"({"run":{"memory_mb":128}})", u"GLOVEBOX_RUN_MEMORY_MB=129"_s,
        u"GLOVEBOX_RUN_MEMORY_MB is \"129\""_s + may + u"run.memory_mb here (\"128\")"_s + out);
    row("a limit where there is none", "{}", u"GLOVEBOX_RUN_CPU_SECONDS=3600"_s);
    row("no limit where there is one", R"({"run":{"cpu_seconds":9}})", u"GLOVEBOX_RUN_CPU_SECONDS=0"_s,
        u"GLOVEBOX_RUN_CPU_SECONDS is \"0\""_s + may + u"run.cpu_seconds here (\"9\")"_s + out);
    row("a higher limit", R"({"run":{"traffic_mb":9}})", u"GLOVEBOX_RUN_TRAFFIC_MB=10"_s,
        u"GLOVEBOX_RUN_TRAFFIC_MB is \"10\""_s + may + u"run.traffic_mb here (\"9\")"_s + out);
    row("strict", "{}", u"GLOVEBOX_RUN_STRICT=yes"_s);
    row("not strict", R"({"run":{"strict":true}})", u"GLOVEBOX_RUN_STRICT=0"_s,
        u"GLOVEBOX_RUN_STRICT is \"false\""_s + may + u"run.strict here (\"true\")"_s + out);
    row("fewer hosts", R"({"bench":{"allow":"a.org b.org"}})", u"GLOVEBOX_BENCH_ALLOW=b.org"_s);
    row("no hosts", R"({"bench":{"allow":"a.org"}})", u"GLOVEBOX_BENCH_ALLOW="_s);
    row("another host", R"({"bench":{"allow":"a.org"}})", u"GLOVEBOX_BENCH_ALLOW=a.org b.org"_s,
        u"GLOVEBOX_BENCH_ALLOW is \"a.org b.org\""_s + may + u"bench.allow here (\"a.org\")"_s + out);
    row("leaks that are not looked for", "{}", u"GLOVEBOX_LEAKS_IGNORE=card-number"_s,
        u"GLOVEBOX_LEAKS_IGNORE is \"card-number\""_s + may + u"leaks.ignore here (\"\")"_s + out);
    const auto other = u" is set in the environment, which may not change "_s;
    row("a proxy", "{}", u"GLOVEBOX_ENGINE_UPSTREAM_PROXY=http://p.org:1"_s,
        u"GLOVEBOX_ENGINE_UPSTREAM_PROXY"_s + other + u"engine.upstream_proxy here"_s + out);
    row("fewer things that agents may", "{}", u"GLOVEBOX_MCP_HOSTS=off"_s);
    row("more things that agents may", R"({"mcp":{"run_code":"off"}})", u"GLOVEBOX_MCP_RUN_CODE=asks"_s,
        u"GLOVEBOX_MCP_RUN_CODE is \"asks\""_s + may + u"mcp.run_code here (\"off\")"_s + out);
    row("hosts without a question", "{}", u"GLOVEBOX_MCP_HOSTS=on"_s,
        u"GLOVEBOX_MCP_HOSTS is \"on\""_s + may + u"mcp.hosts here (\"asks\")"_s + out);
    row("the same store", R"({"vault":{"store":"file"}})", u"GLOVEBOX_VAULT_STORE=file"_s);
    row("another store", R"({"vault":{"store":"file"}})", u"GLOVEBOX_VAULT_STORE=keychain"_s,
        u"GLOVEBOX_VAULT_STORE"_s + other + u"vault.store here"_s + out);
}

void TestSettings::anEnvironmentOfOthersOnlyTightens()
{
    QFETCH(QByteArray, file);
    QFETCH(QString, variable);
    QFETCH(QString, refusal);
    write(file);
    const auto settings = Settings::load(m_file, {variable}, EnvironmentMay::OnlyTighten);
    QCOMPARE(settings ? QString() : settings.error().message.english(), refusal);
    if (!settings)
        return;
    const QString name = variable.section(u'=', 0, 0);
    const auto info = std::ranges::find_if(Settings::schema(), [&](const auto &any) { return any.variable() == name; });
    QVERIFY((*settings)->value(info->key).origin == SettingOrigin::Environment);
}

void TestSettings::anEnvironmentOfOthersNeverLoosensWhatTheFileTightensLater()
{
    write("{}");
    const auto settings = Settings::load(m_file, {u"GLOVEBOX_RUN_MEMORY_MB=128"_s}, EnvironmentMay::OnlyTighten);
    QVERIFY(settings);
    QCOMPARE((*settings)->policy().limits.memoryBytes, 128 * mebibyte);
    write(R"({"run":{"memory_mb":64}})");
    QVERIFY((*settings)->reload());
    QCOMPARE((*settings)->value(u"run.memory_mb"_s), (SettingValue{qint64(64), SettingOrigin::File}));
    QCOMPARE((*settings)->policy().limits.memoryBytes, 64 * mebibyte);
}

void TestSettings::refusesFlagsOutOfRange_data()
{
    QTest::addColumn<QString>("key");
    QTest::addColumn<QVariant>("value");
    QTest::addColumn<QString>("sentence");

    QTest::newRow("too much") << u"run.processes"_s << QVariant(32769)
                              << u"run.processes must be a whole number from 1 to 32768, not \"32769\"."_s;
    QTest::newRow("a fraction") << u"run.processes"_s << QVariant(2.5)
                                << u"run.processes must be a whole number from 1 to 32768, not \"2.5\"."_s;
    QTest::newRow("a yes") << u"run.processes"_s << QVariant(true)
                           << u"run.processes must be a whole number from 1 to 32768, not \"true\"."_s;
    QTest::newRow("nothing") << u"run.processes"_s << QVariant()
                             << u"run.processes must be a whole number from 1 to 32768, not \"\"."_s;
    QTest::newRow("no yes or no") << u"run.strict"_s << QVariant(2)
                                  << u"run.strict must be true or false, not \"2\"."_s;
    QTest::newRow("no such choice") << u"mcp.hosts"_s << QVariant(u"yes"_s)
                                    << u"mcp.hosts must be \"on\", \"asks\" or \"off\", not \"yes\"."_s;
    QTest::newRow("no such place") << u"vault.store"_s << QVariant(u"cloud"_s)
                                   << u"vault.store must be \"keychain\" or \"file\", not \"cloud\"."_s;
    QTest::newRow("unknown") << u"run.colour"_s << QVariant(1) << u"Unknown setting \"run.colour\"."_s;
}

void TestSettings::refusesFlagsOutOfRange()
{
    QFETCH(QString, key);
    QFETCH(QVariant, value);
    QFETCH(QString, sentence);
    const auto settings = load();
    for (const Status &status : {settings->setFlag(key, value), settings->store(key, value)}) {
        QVERIFY(!status);
        QCOMPARE(status.error().message.english(), sentence);
    }
    QCOMPARE(settings->policy(), Policy());
    QVERIFY(!QFile::exists(m_file));
}

void TestSettings::whatWasTightenedByAFormerNameIsHeeded()
{
    write(R"({"mcp":{"ask":true}})");
    const auto settings = load();
    QCOMPARE(settings->value(u"mcp.run_code"_s), (SettingValue{u"asks"_s, SettingOrigin::File}));
    QVERIFY(settings->remove(u"mcp.run_code"_s)); // back to the default
    QCOMPARE(settings->value(u"mcp.run_code"_s), (SettingValue{u"on"_s, SettingOrigin::Default}));
    write(R"({"mcp":{"ask":true,"run_code":"off"}})");
    QCOMPARE(load()->value(u"mcp.run_code"_s).value, u"off"_s);
    write(R"({"mcp":{"ask":false}})");
    QCOMPARE(load()->value(u"mcp.run_code"_s).value, u"on"_s);
}

void TestSettings::aFolderIsThereWhenItIsSet()
{
    const QString key = u"packages.wheels"_s, folder = m_folder->path();
    const auto settings = load();
    QVERIFY(settings->store(key, folder));
    const auto refusal = [&](const QString &value) {
        const Status stored = settings->store(key, value);
        return stored ? u"stored"_s : stored.error().message.english();
    };
    QVERIFY2(refusal(folder + u"/none"_s).contains(u"there is none at "_s + folder), qPrintable(refusal(folder)));
    QVERIFY(refusal(m_file).contains(u"isn't one. Name the folder"_s));
    QVERIFY(refusal(u"wheels"_s).contains(u"beginning with /, not \"wheels\""_s));
    QCOMPARE(settings->value(key).value, folder);
    QVERIFY(QDir(folder).removeRecursively());
    QVERIFY(QDir().mkpath(folder)); // the file is gone with it, and what it had
    write(R"({"packages":{"wheels":"/nowhere/wheels"}})"); // a folder may go later: the run that wants it tells
    QCOMPARE(load()->value(key).value, u"/nowhere/wheels"_s);
    QVERIFY(settings->store(key, QString()));
}

QTEST_GUILESS_MAIN(TestSettings)
#include "tst_settings.moc"
