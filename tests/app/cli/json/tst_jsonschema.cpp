// SPDX-License-Identifier: Apache-2.0
// The schema of --json and its manual page against the program: no command, word or field that only one of them has.
#include "app/cli/command.h"
#include "engine/engine.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QProcess>

using namespace glovebox;
using namespace Qt::StringLiterals;

class tst_JsonSchema : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void eachCommandWithJsonHasADefinition();
    void listsOfWordsAreThoseOfTheProgram_data();
    void listsOfWordsAreThoseOfTheProgram();
    void eachKindOfEntryHasADefinition();
    void theManualPageIsAsTheSchemaSays();

private:
    QJsonObject m_schema;
    QJsonObject m_definitions; // "$defs" of it
};

static QByteArray sourceFile(const QString &name)
{
    QFile file(QStringLiteral(GLOVEBOX_SOURCE_DIR "/") + name);
    if (!file.open(QIODevice::ReadOnly))
        qFatal("%s can't be read.", qPrintable(file.fileName()));
    return file.readAll();
}

// Of an enum, or of oneOf with a const each.
static QStringList wordsIn(const QJsonValue &definition)
{
    QStringList words;
    for (const auto word : definition["enum"_L1].toArray())
        words.append(word.toString());
    for (const auto choice : definition["oneOf"_L1].toArray())
        words.append(choice["const"_L1].toString());
    return words;
}

template<typename Enum> static QStringList namesIn()
{
    QStringList names;
    for (const std::string_view name : enumNames<Enum>)
        names.append(QString::fromLatin1(name.data(), qsizetype(name.size())));
    names.removeAll(u"unknown"_s); // of another version; never printed
    return names;
}

void tst_JsonSchema::initTestCase()
{
    m_schema = QJsonDocument::fromJson(sourceFile(u"resources/schema/glovebox.schema.json"_s)).object();
    m_definitions = m_schema["$defs"_L1].toObject();
    QVERIFY(!m_definitions.isEmpty());
}

void tst_JsonSchema::eachCommandWithJsonHasADefinition()
{
    QStringList expected{u"doctor-attack"_s, u"run-detach"_s}, defined;
    for (const Command &command : allCommands()) {
        const bool hasJson =
            std::ranges::any_of(command.options, [](const Option &option) { return option.name == "--json"; });
        if (hasJson)
            expected.append(QString(command.name).replace(u' ', u'-'));
    }
    for (auto definition = m_definitions.constBegin(); definition != m_definitions.constEnd(); ++definition) {
        if (definition.value()["title"_L1].isString())
            defined.append(definition.key());
    }
    expected.sort();
    QCOMPARE(defined, expected);
    QStringList any; // what the schema as a whole takes
    for (const auto choice : m_schema["anyOf"_L1].toArray())
        any.append(choice["$ref"_L1].toString().section(u'/', -1));
    any.sort();
    QCOMPARE(any, expected);
}

void tst_JsonSchema::listsOfWordsAreThoseOfTheProgram_data()
{
    QTest::addColumn<QStringList>("path");
    QTest::addColumn<QStringList>("words");
    const auto row = [](const QString &path, const QStringList &words) {
        QTest::newRow(qPrintable(path)) << path.split(u'/') << words;
    };
    row(u"outcome"_s, namesIn<Outcome>());
    row(u"controlName"_s, namesIn<ControlId>());
    row(u"controlState"_s, namesIn<Control::State>());
    row(u"session-snapshots/properties/cause"_s, namesIn<SnapshotCause>());
    row(u"eventType"_s, namesIn<EventType>());
    row(u"attemptWay"_s, namesIn<EgressAttempt::Way>());
    row(u"attemptVerdict"_s, namesIn<EgressAttempt::Verdict>());
    row(u"callerKind"_s, namesIn<Caller::Kind>());
    row(u"caller/properties/way"_s, namesIn<Caller::Way>());
    row(u"skippedFiles/properties/reason"_s, namesIn<NotKept>());
    row(u"want/properties/kind"_s, namesIn<Want::Kind>());
    row(u"doctor/properties/secrets/properties/state"_s, namesIn<StoreState>());
    row(u"doctor-attack/properties/attacks/items/properties/verdict"_s, namesIn<AttackResult::Verdict>());
    row(u"approval.decided/properties/scope"_s, namesIn<ApprovalScope>());
    row(u"approval.decided/properties/by"_s, namesIn<AnsweredBy>());
    row(u"run.finished/properties/usage/properties/source"_s, namesIn<UsageSource>() << QString());
    row(u"policy/properties/folders/items/properties/mode"_s, namesIn<FolderGrant::Mode>());
    QStringList origins = namesIn<SettingOrigin>();
    origins.removeAll(u"flag"_s); // of a single run, which none of these commands is about
    row(u"origin"_s, origins);
    QStringList states = namesIn<SecretCheck::State>();
    states.append(u"unknown"_s);
    row(u"secret-check/properties/state"_s, states);
}

void tst_JsonSchema::listsOfWordsAreThoseOfTheProgram()
{
    QFETCH(const QStringList, path);
    QJsonValue definition = m_definitions;
    for (const QString &step : path)
        definition = definition[step];
    QTEST(wordsIn(definition), "words");
}

void tst_JsonSchema::eachKindOfEntryHasADefinition()
{
    QStringList kinds = namesIn<EntryKind>(), defined;
    kinds.sort();
    for (const auto choice : m_definitions["entry"_L1]["allOf"_L1].toArray())
        defined.append(choice["if"_L1]["properties"_L1]["kind"_L1]["const"_L1].toString());
    defined.sort();
    QCOMPARE(defined, kinds);
    QStringList listed = wordsIn(m_definitions["entry"_L1]["if"_L1]["properties"_L1]["kind"_L1]);
    listed.sort();
    QCOMPARE(listed, kinds);
}

void tst_JsonSchema::theManualPageIsAsTheSchemaSays()
{
    QProcess writer;
    writer.start(u"python3"_s, {QStringLiteral(GLOVEBOX_SOURCE_DIR "/resources/schema/manpage.py"), u"--check"_s});
    QVERIFY(writer.waitForFinished());
    QVERIFY2(writer.exitStatus() == QProcess::NormalExit && writer.exitCode() == 0, writer.readAllStandardError());
}

QTEST_APPLESS_MAIN(tst_JsonSchema)
#include "tst_jsonschema.moc"
