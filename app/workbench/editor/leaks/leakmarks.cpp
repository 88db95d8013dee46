// SPDX-License-Identifier: Apache-2.0
#include "leakmarks.h"

#include "app/workbench/editor/code/codeeditor.h"
#include "app/workbench/shell/words/words.h"

#include "engine/languages/languages.h"
#include "engine/vault/vault.h"

#include <QTextBlock>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int pause = 400; // ms without a change
constexpr int longPause = 3000; // where copying the text takes a while
constexpr int large = 1'000'000; // characters
constexpr qsizetype mostMarks = 100;

QString sentenceOf(int line, const QString &kind)
{
    return LeakMarks::tr("Line %1 has what looks like a secret: %2.").arg(line).arg(translated(leakName(kind)));
}

} // namespace

struct LeakMarks::Search
{
    int revision = 0; // of the document
    QStringList ignored;
    qsizetype count = 0;
    QList<Found> found; // the first of them

    // raw: as QTextDocument has it, so that positions are the document's.
    void look(QString raw)
    {
        raw.replace(QChar::ParagraphSeparator, u'\n');
        const QByteArray bytes = raw.toUtf8();
        const QList<Leak> leaks = findLeaks(bytes, ignored);
        count = leaks.size();
        qint64 at = 0;
        int position = 0;
        const auto lengthOf = [&](qint64 begin, qint64 end) {
            return int(QString::fromUtf8(QByteArrayView(bytes).sliced(begin, end - begin)).size());
        };
        for (const Leak &leak : leaks.first(std::min(leaks.size(), mostMarks))) {
            position += lengthOf(at, leak.offset);
            at = leak.offset;
            found.append({position, lengthOf(at, at + leak.length), leak.kind});
        }
    }
};

LeakMarks::LeakMarks(WorkbenchContext &context, CodeEditor &editor, QObject *parent)
    : QObject(parent)
    , m_context(context)
    , m_editor(editor)
{
    m_pause.setSingleShot(true);
    connect(&m_pause, &QTimer::timeout, this, &LeakMarks::search);
    connect(&context, &WorkbenchContext::settingsChanged, this, &LeakMarks::search);
    connect(&context, &WorkbenchContext::engineChanged, this, &LeakMarks::search);
}

void LeakMarks::textChanged()
{
    m_pause.start(m_editor.document()->characterCount() > large ? longPause : pause);
}

// Which kinds a person doesn't want to be told of is known with the engine only; before, nothing is said.
void LeakMarks::search()
{
    const Settings *settings = m_context.settings();
    if (!settings)
        return;
    if (m_editor.document()->characterCount() > maximumCodeBytes)
        return take({}); // no run takes it, and its copy alone would stop the window for a moment
    Search search{
        .revision = m_editor.document()->revision(),
        .ignored = settings->value(u"leaks.ignore"_s).value.toString().split(u' ', Qt::SkipEmptyParts),
        .count = 0,
        .found = {},
    };
    inBackground(
        m_context.pool(), this,
        [search = std::move(search), raw = m_editor.document()->toRawText()]() mutable {
            search.look(std::move(raw));
            return search;
        },
        [this](const Search &done) {
            if (done.revision == m_editor.document()->revision()) // else it will be searched again
                take(done);
        });
}

void LeakMarks::take(const Search &search)
{
    if (search.count == 0 && m_count == 0)
        return;
    QList<LineMark> marks;
    for (const Found &found : search.found) {
        QTextCursor cursor(m_editor.document());
        cursor.setPosition(found.position);
        const int line = m_editor.numberOf(cursor.block());
        cursor.setPosition(std::min(found.position + found.length, m_editor.document()->characterCount() - 1),
                           QTextCursor::KeepAnchor);
        cursor.setKeepPositionOnInsert(true); // what is typed behind it isn't part of it
        marks.append({cursor, sentenceOf(line, found.kind), found.kind});
    }
    m_count = search.count;
    m_editor.setMarks(marks);
    Q_EMIT changed();
}

int LeakMarks::firstLine() const
{
    const QList<LineMark> &marks = m_editor.marks();
    return marks.isEmpty() ? 0 : lineOf(marks.first());
}

int LeakMarks::lineOf(const LineMark &mark) const
{
    return m_editor.numberOf(m_editor.document()->findBlock(mark.where.selectionStart()));
}

QString LeakMarks::sentence() const
{
    if (m_count == 0)
        return {};
    if (m_count == 1)
        return m_editor.marks().first().sentence;
    return tr("%Ln places look like secrets; the first is in line %1: %2.", "", int(m_count))
        .arg(firstLine())
        .arg(translated(leakName(m_editor.marks().first().kind)));
}

QString LeakMarks::sentenceAt(int line) const
{
    for (const LineMark &mark : m_editor.marks()) {
        if (lineOf(mark) == line)
            return sentenceOf(line, mark.kind);
    }
    return {};
}

void LeakMarks::goToNext()
{
    const QList<LineMark> &marks = m_editor.marks();
    if (marks.isEmpty())
        return;
    const auto next =
        std::ranges::find_if(marks, [this](const LineMark &mark) { return lineOf(mark) > m_editor.line(); });
    m_editor.goTo(lineOf(next == marks.end() ? marks.first() : *next));
    m_editor.setFocus();
}

} // namespace glovebox
