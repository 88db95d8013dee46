// SPDX-License-Identifier: Apache-2.0
// People read one language, the same everywhere: what the program says is held to the rules of rules.json, which says what to
// write instead. Manual pages and README are prose of the same kind.
#include "literals.h"

#include <QDirIterator>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QSet>
#include <QTest>

#include <algorithm>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

const QDir &sourceFolder()
{
    static const QDir folder(QStringLiteral(GLOVEBOX_SOURCE_DIR));
    return folder;
}

QString textOf(const QString &path)
{
    QFile file(sourceFolder().filePath(path));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

struct Phrase
{
    QRegularExpression wrong;
    QString instead;
    QString example;
};

struct Rules
{
    int longest = 0; // words of a sentence
    QStringList beginnings;
    QStringList openings; // of a text: the thing is named in no sentence before it
    QList<Phrase> phrases;
    QSet<QString> exceptions; // literals or sentences that may be as they are

    static Rules read()
    {
        const QJsonObject json = QJsonDocument::fromJson(textOf(u"tests/app/words/rules.json"_s).toUtf8()).object();
        Rules rules;
        rules.longest = json["longest_sentence"_L1].toInt();
        for (const auto word : json["beginnings"_L1].toArray())
            rules.beginnings.append(word.toString());
        for (const auto words : json["openings"_L1].toArray())
            rules.openings.append(words.toString());
        for (const auto phrase : json["phrases"_L1].toArray())
            rules.phrases.append({QRegularExpression(phrase["not"_L1].toString()), phrase["but"_L1].toString(),
                                  phrase["example"_L1].toString()});
        for (const auto exception : json["exceptions"_L1].toArray())
            rules.exceptions.insert(exception["text"_L1].toString());
        return rules;
    }

    bool isOpenedWell(const QString &text) const
    {
        return std::ranges::none_of(openings, [&](const QString &words) { return text.startsWith(words + u' '); });
    }

    // What is wrong with a sentence; empty: nothing.
    QString faultOf(const QString &sentence) const
    {
        const QString first = sentence.section(u' ', 0, 0);
        if (beginnings.contains(first) && sentence.contains(u' '))
            return u"begins with \"%1\": name the thing"_s.arg(first);
        for (const Phrase &phrase : phrases) {
            const auto match = phrase.wrong.match(sentence);
            if (match.hasMatch() && !isPlural(sentence, match.captured()))
                return u"\"%1\": say %2"_s.arg(match.captured(), phrase.instead);
        }
        static const QRegularExpression prose(u"\\b(the|a|an|is|are|of|to|and|that)\\b"_s);
        if (const int words = wordsIn(sentence); words > longest && sentence.contains(prose))
            return u"has %1 words; %2 are the most"_s.arg(words).arg(longest);
        return {};
    }

private:
    // Qt's numerus form, whose words are in translations/glovebox_en.ts.
    static bool isPlural(const QString &sentence, const QString &found)
    {
        return found.startsWith(u'(') && (sentence.contains(u"%n"_s) || sentence.contains(u"%Ln"_s));
    }
};

// A statement of SQL, a pattern, a list of names: nothing that people read.
bool isForMachines(const QString &text)
{
    static const QRegularExpression sql(u"\\b(SELECT|INSERT|CREATE|UPDATE|DELETE|WHERE|PRAGMA|ALTER|DROP)\\b"_s);
    return !text.contains(u' ') || text.contains(sql);
}

// Each by itself: a long message is cut.
void sayAll(const QStringList &faults)
{
    for (const QString &fault : faults)
        qWarning("%s", qPrintable(fault));
}

} // namespace

class TestWords : public QObject
{
    Q_OBJECT

    const Rules m_rules = Rules::read();
    QSet<QString> m_excepted; // that were needed

    QStringList faultsOf(const QString &path, const QList<Literal> &literals)
    {
        QStringList faults;
        for (const Literal &literal : literals) {
            if (isForMachines(literal.text))
                continue;
            for (const QString &sentence : sentencesIn(literal.text)) {
                const QString fault = m_rules.faultOf(sentence);
                if (fault.isEmpty())
                    continue;
                if (m_rules.exceptions.contains(sentence))
                    m_excepted.insert(sentence);
                else
                    faults.append(u"%1:%2 %3\n    %4"_s.arg(path, QString::number(literal.line), fault, sentence));
            }
        }
        return faults;
    }

private Q_SLOTS:
    void literalsAreReadAsACompilerDoes()
    {
        const QString source =
            u"#include \"no.h\"\nf(u\"one \" // \"comment\"\n  \"two\\n\"_s, 'x', '\"', R\"(raw \"x\" (y))\", \"\\\"\");"_s;
        QCOMPARE(literalsIn(source), (QList<Literal>{{2, u"one two\n"_s}, {3, u"raw \"x\" (y)"_s}, {3, u"\""_s}}));
        QCOMPARE(sentencesIn(u"One. Two three: four\nfive\n\nSix\n  seven"_s),
                 (QStringList{u"One."_s, u"Two three:"_s, u"four five"_s, u"Six"_s, u"seven"_s}));
        QCOMPARE(wordsIn(u"a = b, c"_s), 3);
    }

    void eachRuleFindsItsExample()
    {
        QVERIFY(m_rules.longest > 0 && m_rules.beginnings.size() > 3 && m_rules.phrases.size() > 20);
        for (const Phrase &phrase : m_rules.phrases) {
            QVERIFY2(phrase.wrong.isValid(), qPrintable(phrase.wrong.pattern()));
            QVERIFY2(phrase.wrong.match(phrase.example).hasMatch(), qPrintable(phrase.example));
        }
        QVERIFY(!m_rules.faultOf(u"It failed."_s).isEmpty());
        QVERIFY(!m_rules.isOpenedWell(u"Its end failed."_s) && !m_rules.isOpenedWell(u"One of yours failed."_s));
        QVERIFY(m_rules.isOpenedWell(u"One run failed. Its end failed."_s));
        QVERIFY(!m_rules.faultOf(u"Say the"_s + u" word"_s.repeated(19)).isEmpty());
        for (const QString &fine :
             {u"The run failed."_s, u"%n run(s) match"_s, u"There is no run."_s, u"Itself fine"_s})
            QCOMPARE(m_rules.faultOf(fine), QString());
    }

    void theProgramSpeaksPlainly_data()
    {
        QTest::addColumn<QString>("folder");
        QTest::newRow("app") << u"app"_s;
        QTest::newRow("engine") << u"engine"_s;
    }
    void theProgramSpeaksPlainly()
    {
        QFETCH(QString, folder);
        QStringList faults;
        int literals = 0;
        QDirIterator files(sourceFolder().filePath(folder), {u"*.h"_s, u"*.cpp"_s}, QDir::Files,
                           QDirIterator::Subdirectories);
        while (files.hasNext()) {
            const QString path = sourceFolder().relativeFilePath(files.next());
            const QList<Literal> found = literalsIn(textOf(path));
            literals += int(found.size());
            faults += faultsOf(path, found);
            for (const Literal &literal : found) {
                if (!m_rules.isOpenedWell(literal.text))
                    faults.append(u"%1:%2 names nothing that has it\n    %3"_s.arg(path, QString::number(literal.line),
                                                                                   literal.text));
            }
        }
        QVERIFY(literals > 1000);
        sayAll(faults);
        QVERIFY(faults.isEmpty());
    }

    // The exact cause follows a message in brackets (Error::detail), unless the message has it.
    void aReasonIsToldOnce()
    {
        static const QRegularExpression twice(u"\\breturn\\b[^;]*\\berrnoText\\([^;]*\\berrnoDetail\\("_s);
        QStringList faults;
        int told = 0;
        for (const QString &folder : {u"app"_s, u"engine"_s}) {
            QDirIterator files(sourceFolder().filePath(folder), {u"*.cpp"_s}, QDir::Files,
                               QDirIterator::Subdirectories);
            while (files.hasNext()) {
                const QString path = sourceFolder().relativeFilePath(files.next()), source = textOf(path);
                told += int(source.count(u"errnoText("_s));
                for (auto matches = twice.globalMatch(source); matches.hasNext();)
                    faults.append(path + u": "_s + matches.next().captured().simplified());
            }
        }
        QVERIFY(told > 20);
        sayAll(faults);
        QVERIFY(faults.isEmpty());
    }

    // "3,000 wait", not "3000 wait" beside it.
    void theWorkbenchGroupsItsCounts()
    {
        static const QRegularExpression plain(u"%n\\b"_s);
        QStringList faults;
        int grouped = 0;
        QDirIterator files(sourceFolder().filePath(u"app/workbench"_s), {u"*.cpp"_s}, QDir::Files,
                           QDirIterator::Subdirectories);
        while (files.hasNext()) {
            const QString path = sourceFolder().relativeFilePath(files.next());
            for (const Literal &literal : literalsIn(textOf(path))) {
                grouped += int(literal.text.count(u"%Ln"_s));
                if (literal.text.contains(plain))
                    faults.append(u"%1:%2: write %Ln for %n: \"%3\""_s.arg(path).arg(literal.line).arg(literal.text));
            }
        }
        QVERIFY(grouped > 50);
        sayAll(faults);
        QVERIFY(faults.isEmpty());
    }

    void pluralsSpeakPlainly()
    {
        static const QRegularExpression form(u"<numerusform>([^<]*)</numerusform>"_s);
        const QString path = u"translations/glovebox_en.ts"_s, translations = textOf(path);
        QList<Literal> forms;
        for (auto matches = form.globalMatch(translations); matches.hasNext();) {
            const QRegularExpressionMatch match = matches.next();
            forms.append({int(QStringView(translations).first(match.capturedStart()).count(u'\n')) + 1,
                          match.captured(1).replace(u"&apos;"_s, u"'"_s)});
        }
        QVERIFY(forms.size() > 20);
        const QStringList faults = faultsOf(path, forms);
        sayAll(faults);
        QVERIFY(faults.isEmpty());
    }

    void theManualSpeaksPlainly()
    {
        QStringList faults;
        const QDir manual(sourceFolder().filePath(u"resources/man"_s));
        const QStringList pages = manual.entryList({u"*.[1-9]"_s}, QDir::Files);
        QVERIFY(!pages.isEmpty());
        for (const QString &page : pages) {
            const QString path = u"resources/man/"_s + page;
            faults += faultsOf(path, paragraphsOfPage(textOf(path)));
        }
        faults += faultsOf(u"README.md"_s, paragraphsOfMarkdown(textOf(u"README.md"_s)));
        sayAll(faults);
        QVERIFY(faults.isEmpty());
    }

    // The last one.
    void noExceptionIsLeftOver()
    {
        for (const QString &exception : m_rules.exceptions)
            QVERIFY2(m_excepted.contains(exception), qPrintable(exception));
    }
};

QTEST_GUILESS_MAIN(TestWords)
#include "tst_words.moc"
