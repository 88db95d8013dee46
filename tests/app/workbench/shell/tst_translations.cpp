// SPDX-License-Identifier: Apache-2.0
// Held for every page: a run in a made-up language, in which every word that can be translated is marked, finds those that
// can't. Made from the sources as they are, by the same tools that make real translations.
#include "app/workbench/shell/look/roles.h"
#include "tests/app/workbench/desk/desk.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QProcess>
#include <QRegularExpression>
#include <QTabBar>
#include <QTranslator>
#include <QXmlStreamReader>
#include <QXmlStreamWriter>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

constexpr QChar openMark(u'⟦');
constexpr QChar closeMark(u'⟧');

bool run(const QString &program, const QStringList &arguments)
{
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(program, arguments);
    if (process.waitForFinished(60'000) && process.exitCode() == 0)
        return true;
    qWarning("%s: %s", qPrintable(program), process.readAll().constData());
    return false;
}

// Every message of a .ts file translated to itself between marks.
bool translateToMarks(const QString &from, const QString &to)
{
    QFile in(from);
    QFile out(to);
    if (!in.open(QIODevice::ReadOnly) || !out.open(QIODevice::WriteOnly))
        return false;
    QXmlStreamReader reader(&in);
    QXmlStreamWriter writer(&out);
    QString source;
    bool plural = false;
    while (!reader.atEnd()) {
        reader.readNext();
        if (reader.isStartElement() && reader.name() == "message"_L1)
            plural = reader.attributes().value("numerus"_L1) == "yes"_L1;
        if (reader.isStartElement() && reader.name() == "source"_L1) {
            source = reader.readElementText();
            writer.writeTextElement(u"source"_s, source);
        } else if (reader.isStartElement() && reader.name() == "translation"_L1) {
            reader.skipCurrentElement();
            writer.writeStartElement(u"translation"_s);
            if (plural) // the file's language, Japanese, has one form
                writer.writeTextElement(u"numerusform"_s, openMark + source + closeMark);
            else
                writer.writeCharacters(openMark + source + closeMark);
            writer.writeEndElement();
        } else {
            writer.writeCurrentToken(reader);
        }
    }
    return !reader.hasError();
}

// Words that are nobody's to translate: languages with their versions, names of files.
bool isName(const QString &text)
{
    static const QRegularExpression name(
        u"\\A((Python|Node\\.js|Bash|sh)( [\\d.]+)?|[\\w-]+\\.(py|mjs|cjs|js|sh))\\z"_s);
    return name.match(text).hasMatch();
}

bool hasWords(const QString &text)
{
    static const QRegularExpression word(u"\\p{L}{3,}"_s);
    return word.match(text).hasMatch();
}

// What the widget shows or says, with where.
QMap<QString, QString> textsOf(const QWidget *widget)
{
    QMap<QString, QString> texts;
    const bool data = widget->property(roles::data).toBool();
    if (const auto *label = qobject_cast<const QLabel *>(widget); label && !data)
        texts[u"text"_s] = label->text();
    if (const auto *button = qobject_cast<const QAbstractButton *>(widget); button && !data)
        texts[u"text"_s] = button->text();
    if (const auto *line = qobject_cast<const QLineEdit *>(widget))
        texts[u"placeholder"_s] = line->placeholderText();
    if (const auto *edit = qobject_cast<const QPlainTextEdit *>(widget))
        texts[u"placeholder"_s] = edit->placeholderText();
    if (const auto *bar = qobject_cast<const QTabBar *>(widget); bar && !data) {
        for (int i = 0; i < bar->count(); ++i)
            texts[u"tab %1"_s.arg(i)] = bar->tabText(i);
    }
    if (const auto *header = qobject_cast<const QHeaderView *>(widget); header && header->model()) {
        for (int i = 0; i < header->count(); ++i)
            texts[u"column %1"_s.arg(i)] = header->model()->headerData(i, header->orientation()).toString();
    }
    if (!data) {
        texts[u"tool tip"_s] = widget->toolTip();
        texts[u"accessible name"_s] = widget->accessibleName();
        texts[u"accessible description"_s] = widget->accessibleDescription();
    }
    return texts;
}

// As qtbase's own translation has it.
class GermanKeys : public QTranslator
{
public:
    bool isEmpty() const override { return false; }
    QString translate(const char *context, const char *source, const char *, int) const override
    {
        const bool isControl = QLatin1StringView(context) == "QShortcut"_L1 && QLatin1StringView(source) == "Ctrl"_L1;
        return isControl ? u"Strg"_s : QString();
    }
};

} // namespace

class TestTranslations : public QObject
{
    Q_OBJECT

private:
    QTemporaryDir m_room;
    QTranslator m_marks;
    QString m_sentences; // those with places to fill in, one after the other

    // A sentence whose %1 are widgets is shown in pieces, and only the first and the last of them have a mark.
    bool isPieceOfASentence(const QString &text) const { return m_sentences.contains(text); }

private Q_SLOTS:
    void initTestCase()
    {
        const QString ts = m_room.filePath(u"sources.ts"_s);
        const QString marked = m_room.filePath(u"marked.ts"_s);
        const QString qm = m_room.filePath(u"marked.qm"_s);
        QVERIFY(run(QStringLiteral(LUPDATE),
                    {u"-silent"_s, u"-locations"_s, u"none"_s, QStringLiteral(GLOVEBOX_SOURCE_DIR "/app/workbench"),
                     QStringLiteral(GLOVEBOX_SOURCE_DIR "/engine"), u"-extensions"_s, u"cpp,h"_s, u"-source-language"_s,
                     u"en"_s, u"-target-language"_s, u"ja"_s, u"-ts"_s, ts}));
        QVERIFY(translateToMarks(ts, marked));
        QVERIFY(run(QStringLiteral(LRELEASE), {u"-silent"_s, marked, u"-qm"_s, qm}));
        QVERIFY(m_marks.load(qm));
        QFile sources(ts);
        QVERIFY(sources.open(QIODevice::ReadOnly));
        QXmlStreamReader reader(&sources);
        while (!reader.atEnd()) {
            reader.readNext();
            if (reader.isStartElement() && reader.name() == "source"_L1) {
                if (const QString source = reader.readElementText(); source.contains(u'%'))
                    m_sentences += source + u'\n';
            }
        }
    }

    void everyWordCanBeTranslated()
    {
        QCoreApplication::installTranslator(&m_marks);
        {
            Desk desk;
            desk.show();
            desk.openEngine();
            desk.runExample();
            QStringList findings;
            const auto check = [&](const QString &where, const QString &what, const QString &text) {
                if (hasWords(text) && !text.contains(openMark) && !isName(text) && !isPieceOfASentence(text))
                    findings.append(u"%1, %2: \"%3\""_s.arg(where, what, text.left(80)));
            };
            desk.walk([&](const QString &name, const Page &page) {
                check(u"page "_s + name, u"title"_s, page.title());
                const auto items = page.status();
                for (const StatusItem &item : items)
                    check(u"status "_s + item.id, u"text"_s, item.description.isEmpty() ? item.text : item.description);
                const auto widgets = visibleWidgets(&desk.frame);
                for (const QWidget *widget : widgets) {
                    const auto texts = textsOf(widget);
                    for (auto it = texts.begin(); it != texts.end(); ++it) {
                        if (!widget->objectName().startsWith("status."_L1)) // short forms: checked above
                            check(name + u": "_s + describe(widget), it.key(), it.value());
                    }
                }
            });
            const QStringList ids = desk.context.actions().ids();
            for (const QString &id : ids)
                check(id, u"text"_s, desk.context.actions().action(id)->text());
            findings.removeDuplicates();
            QVERIFY2(findings.isEmpty(), qPrintable(u'\n' + findings.join(u'\n')));
        }
        QCoreApplication::removeTranslator(&m_marks);
    }

    void keysAreNamedAsTheirSystemNamesThem()
    {
        GermanKeys german;
        QCoreApplication::installTranslator(&german);
        {
            Desk desk;
            desk.show();
            desk.openEngine();
            QStringList findings;
            const QStringList ids = desk.context.actions().ids();
            for (const QString &id : ids)
                findings.append(desk.context.actions().action(id)->text());
            for (const QWidget *widget : desk.frame.findChildren<QWidget *>())
                findings += textsOf(widget).values();
            QVERIFY(!findings.filter(u"Strg+"_s).isEmpty());
            QCOMPARE(findings.filter(u"Ctrl+"_s), QStringList());
        }
        QCoreApplication::removeTranslator(&german);
    }

    void englishHasItsPlurals()
    {
        // ninja update-translations, then fill in the new ones.
        QFile file(QStringLiteral(GLOVEBOX_SOURCE_DIR "/translations/glovebox_en.ts"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray committed = file.readAll();
        QVERIFY(!committed.contains("type=\"unfinished\""));
        QFile sources(m_room.filePath(u"sources.ts"_s));
        QVERIFY(sources.open(QIODevice::ReadOnly));
        QXmlStreamReader reader(&sources);
        bool plural = false;
        while (!reader.atEnd()) {
            reader.readNext();
            if (!reader.isStartElement())
                continue;
            if (reader.name() == "message"_L1)
                plural = reader.attributes().value("numerus"_L1) == "yes"_L1;
            else if (plural && reader.name() == "source"_L1) {
                const QString source = reader.readElementText();
                QVERIFY2(committed.contains(source.toHtmlEscaped().replace(u'\'', u"&apos;"_s).toUtf8()),
                         qPrintable(source));
            }
        }
    }
};

GLOVEBOX_TEST_MAIN(TestTranslations)
#include "tst_translations.moc"
