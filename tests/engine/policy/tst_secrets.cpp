// SPDX-License-Identifier: Apache-2.0
// Which names, variables and limits of secrets make sense.
#include "engine/policy/policy.h"

#include <QJsonArray>
#include <QTest>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestSecrets : public QObject
{
    Q_OBJECT

    static QString refusal(const std::vector<SecretGrant> &grants)
    {
        const Status status = checkSecretGrants(grants);
        return status ? QString() : status.error().message.english();
    }

private Q_SLOTS:
    void ordinaryNamesAreTaken()
    {
        for (const QString &name : {u"API_KEY"_s, u"_"_s, u"a.b-c"_s, u"x9"_s, QString(secretNameMax, u'n')})
            QVERIFY2(checkSecretName(name), qPrintable(name));
    }

    void otherNamesAreRefusedWithASentence_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("says");
        QTest::newRow("empty") << u""_s << u"needs a name"_s;
        QTest::newRow("space") << u"my key"_s << u"\"my key\" can't be"_s;
        QTest::newRow("equals") << u"A=b"_s << u"can't be"_s;
        QTest::newRow("unicode") << u"schlüssel"_s << u"can't be"_s;
        QTest::newRow("digits that aren't ASCII") << u"a٣"_s << u"can't be"_s;
        QTest::newRow("digit first") << u"1a"_s << u"can't be"_s;
        QTest::newRow("a path") << u"../../etc"_s << u"can't be"_s;
        QTest::newRow("a slash") << u"a/b"_s << u"can't be"_s;
        QTest::newRow("NUL") << QString(u"a"_s + QChar(0)) << u"can't be"_s;
        QTest::newRow("newline") << u"a\nb"_s << u"can't be"_s;
        QTest::newRow("option") << u"-a"_s << u"can't be"_s;
        QTest::newRow("one too long") << QString(secretNameMax + 1, u'n') << u"128 characters"_s;
        QTest::newRow("10,000") << QString(10000, u'n') << u"128 characters"_s;
    }

    void otherNamesAreRefusedWithASentence()
    {
        QFETCH(const QString, name);
        QFETCH(const QString, says);
        const Status status = checkSecretName(name);
        QVERIFY(!status);
        QCOMPARE(status.error().code, ErrorCode::InvalidInput);
        const QString sentence = status.error().message.english();
        QVERIFY2(sentence.contains(says), qPrintable(sentence));
        QVERIFY(sentence.size() < 250);
    }

    void aNewSecretIsNotCalledAsWhatDecidesHowProgramsStart()
    {
        for (const QString &name : {u"PATH"_s, u"LD_PRELOAD"_s, u"BASH_ENV"_s, u"NODE_OPTIONS"_s, u"PYTHONPATH"_s}) {
            const Status status = checkNewSecretName(name);
            QVERIFY2(!status && status.error().message.english().contains(name), qPrintable(name));
            QVERIFY(checkSecretName(name)); // it may be there already
        }
        QVERIFY(checkNewSecretName(u"API_KEY"_s));
        QVERIFY(!checkNewSecretName(u"A=b"_s));
    }

    void aGrantIsAVariableOrAFile()
    {
        QCOMPARE(refusal({{u"API_KEY"_s}}), QString());
        QCOMPARE(secretVariable({u"API_KEY"_s}), u"API_KEY"_s);
        QCOMPARE(secretVariable({u"a.b"_s, u"AB"_s}), u"AB"_s);
        QCOMPARE(refusal({{u"a.b"_s, u"AB"_s}, {u"a.b"_s, {}, true}}), QString());
        QVERIFY(refusal({{u"a.b"_s}}).contains(u"a.b=VARIABLE"_s));
        QVERIFY(refusal({{u"A"_s, u"x-y"_s}}).contains(u"can't be an environment variable"_s));
        QVERIFY(refusal({{u"A"_s, u"B"_s, true}}).contains(u"has no variable"_s));
    }

    void twoGrantsCantHaveOnePlace()
    {
        QVERIFY(refusal({{u"A"_s}, {u"B"_s, u"A"_s}}).contains(u"variable A"_s));
        QVERIFY(refusal({{u"A"_s, {}, true}, {u"A"_s, {}, true}}).contains(u"twice"_s));
        QCOMPARE(refusal({{u"A"_s}, {u"A"_s, u"B"_s}}), QString());
        QVERIFY(refusal(std::vector<SecretGrant>(grantedSecretsMax + 1)).contains(u"at most 256"_s));
    }

    void variablesThatProgramsObeyAreNoneForASecret()
    {
        for (const QString &variable : {u"PATH"_s, u"LD_PRELOAD"_s, u"BASH_ENV"_s, u"NODE_OPTIONS"_s, u"PYTHONPATH"_s})
            QVERIFY2(refusal({{u"A"_s, variable}}).contains(u"how programs start"_s), qPrintable(variable));
    }

    void limitsSurviveTheirJson()
    {
        const SecretLimits all{{u"python"_s}, QStringList{u"api.example.org:443"_s}, {u"cli"_s}, 1'900'000'000'000'000};
        SecretLimits forTools = all;
        forTools.tools = {u"notes.search"_s};
        for (const SecretLimits &limits : {SecretLimits(), all, forTools, SecretLimits{{}, QStringList(), {}, {}}})
            QCOMPARE(secretLimitsFromJson(toJson(limits)), limits);
    }

    void limitsWithoutToolsAreWrittenAsBefore() { QVERIFY(!toJson(SecretLimits()).contains(u"tools"_s)); }

    void limitsThatCantBeReadAreRefused()
    {
        QVERIFY(!secretLimitsFromJson({}));
        for (const QString &key : {u"languages"_s, u"hosts"_s, u"callers"_s, u"expires_us"_s, u"tools"_s, u"more"_s}) {
            QJsonObject object = toJson(SecretLimits());
            object.insert(key, true);
            QVERIFY2(!secretLimitsFromJson(object), qPrintable(key));
        }
        QJsonObject object = toJson(SecretLimits());
        object.insert(u"languages"_s, QJsonArray{1});
        QVERIFY(!secretLimitsFromJson(object));
    }
};

QTEST_GUILESS_MAIN(TestSecrets)
#include "tst_secrets.moc"
