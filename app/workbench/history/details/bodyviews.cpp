// SPDX-License-Identifier: Apache-2.0
#include "bodyviews.h"

#include "app/workbench/editor/code/codeeditor.h"
#include "app/workbench/editor/file/hiddentext.h"
#include "app/workbench/runpanel/output/outputview.h"
#include "app/workbench/shell/look.h"
#include "app/workbench/shell/words/words.h"

#include <QLabel>
#include <QScrollBar>
#include <QVBoxLayout>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype longestCode = 200'000; // characters: what can be laid out at once without being felt
constexpr qsizetype longestLine = 5'000; // as the highlighter has it
constexpr qsizetype slice = 64 * 1024; // bytes of output a turn of the event loop

QLabel *makeRemark(QWidget *parent, const QString &name)
{
    QLabel *remark = makeLabel({}, parent, FontRole::Base, Colour::Warn);
    remark->setObjectName(name);
    remark->setContentsMargins(Space::l, Space::s, Space::l, Space::s);
    remark->hide();
    return remark;
}

void tell(QLabel *remark, const QStringList &sentences)
{
    QStringList all = sentences;
    all.removeAll(QString());
    showText(remark, all.join(u' '));
}

// True: something was left out.
bool shorten(QString &text)
{
    bool cut = text.size() > longestCode;
    text.truncate(longestCode);
    QStringList shown;
    for (const QStringView line : qTokenize(text, u'\n')) {
        shown << line.left(longestLine).toString();
        cut = cut || line.size() > longestLine;
    }
    text = shown.join(u'\n');
    return cut;
}

} // namespace

CodeBodyView::CodeBodyView(Theme &theme, QWidget *parent)
    : QWidget(parent)
    , m_remark(makeRemark(this, u"history.code.remark"_s))
    , m_editor(new CodeEditor(theme, this))
{
    auto *layout = columnIn(this, 0);
    layout->addWidget(m_remark);
    layout->addWidget(m_editor, 1);
    m_editor->setReadOnly(true);
    m_editor->setTabChangesFocus(true);
    m_editor->setFrameShape(QFrame::NoFrame);
    setNames(m_editor, u"history.code"_s, tr("Code of this run"));
    setFocusProxy(m_editor);
}

void CodeBodyView::setRecord(const RunRecord &record)
{
    QString text = QString::fromUtf8(record.code.content);
    text.replace(QChar::Null, QChar::ReplacementCharacter);
    const auto hidden = findHiddenText(text);
    const bool cut = shorten(text);
    const bool kept = record.code.state == RecordedBody::State::Kept;
    m_editor->setVisible(kept);
    m_editor->setLanguage(record.row.language, {});
    m_editor->setPlainText(text);
    QStringList remarks{bodyRemark(record.code, record.row.run), scrubbedRemark(record)};
    if (record.code.state == RecordedBody::State::None)
        remarks << tr("The log has no code of this run.");
    if (cut)
        remarks << tr("Long lines and what follows %1 characters aren't shown here; the editor opens all of it.")
                       .arg(longestCode);
    if (kept && hidden)
        remarks << hiddenTextSentence(*hidden);
    tell(m_remark, remarks);
    static_cast<QVBoxLayout *>(layout())->setAlignment(m_remark, kept ? Qt::Alignment() : Qt::AlignTop);
}

OutputBodyView::OutputBodyView(Theme &theme, QWidget *parent)
    : QWidget(parent)
    , m_remark(makeRemark(this, u"history.output.remark"_s))
    , m_view(new OutputView(theme, this))
    , m_log(std::make_unique<OutputLog>())
{
    auto *layout = columnIn(this, 0);
    layout->addWidget(m_remark);
    layout->addWidget(m_view, 1);
    setNames(m_view, u"history.output"_s, tr("Output of this run"));
    m_view->setLog(m_log.get());
    setFocusProxy(m_view);
    connect(&m_timer, &QTimer::timeout, this, &OutputBodyView::feed);
}

OutputBodyView::~OutputBodyView()
{
    m_view->setLog(nullptr);
}

void OutputBodyView::addPieces(const RecordedBody &body, OutputStream stream, const RunRecord &record)
{
    if (body.state != RecordedBody::State::Kept || body.content.isEmpty())
        return;
    if (stream == OutputStream::Err && !m_pieces.isEmpty())
        m_pieces.append({.kind = Piece::Kind::Remark, .remark = tr("Standard error:")});
    if (!body.isCut()) {
        m_pieces.append({.stream = stream, .bytes = body.content});
        return;
    }
    const qint64 limit = record.policy ? record.policy->limits.outputBytes : body.kept;
    const qsizetype head = std::min<qsizetype>(CapturedOutput::headLimit(limit), body.content.size());
    m_pieces.append({.stream = stream, .bytes = body.content.first(head)});
    m_pieces.append({.kind = Piece::Kind::Gap, .gap = body.bytes - body.kept});
    m_pieces.append({.stream = stream, .bytes = body.content.sliced(head)});
}

void OutputBodyView::setRecord(const RunRecord &record)
{
    m_pieces.clear();
    m_fed = 0;
    m_view->setLog(nullptr);
    m_log = std::make_unique<OutputLog>();
    m_view->setLog(m_log.get());
    m_terminal = record.terminal;
    openScreen();
    addPieces(record.out, OutputStream::Out, record);
    addPieces(record.err, OutputStream::Err, record);
    QStringList remarks;
    for (const RecordedBody *body : {&record.out, &record.err}) {
        if (body->state <= RecordedBody::State::Kept)
            continue;
        const QString remark = bodyRemark(*body, record.row.run);
        remarks << (body->state == RecordedBody::State::Deleted ? remark
                    : body == &record.out                       ? tr("Output: %1").arg(remark)
                                                                : tr("Errors: %1").arg(remark));
    }
    remarks.removeDuplicates();
    tell(m_remark, remarks);
    m_view->setPlaceholder(!remarks.isEmpty()     ? QString()
                           : !record.isFinished() ? tr("Output is in the log when the run has finished.")
                           : record.isBroken ? tr("Glovebox ended before the run did, so its output isn't in the log.")
                           : nothingRan(record.result.outcome) ? tr("Nothing ran, so nothing was printed.")
                                                               : tr("The run printed nothing."));
    if (!m_pieces.isEmpty())
        m_timer.start();
    feed();
}

// What a program drew on a terminal can be read only on a screen of that size.
void OutputBodyView::openScreen()
{
    if (m_terminal)
        m_log->openScreen(*m_terminal);
}

void OutputBodyView::feed()
{
    if (m_pieces.isEmpty()) {
        m_timer.stop();
        return;
    }
    Piece &piece = m_pieces.first();
    switch (piece.kind) {
    case Piece::Kind::Gap:
        m_log->finish();
        m_log->remark(OutputLine::Kind::Note, tr("… %1 of output left out here …").arg(sizeWord(piece.gap)));
        openScreen(); // of what is left: where its lines were drawn over is not known
        break;
    case Piece::Kind::Remark:
        m_log->finish();
        m_log->remark(OutputLine::Kind::Note, piece.remark);
        break;
    case Piece::Kind::Bytes:
        m_log->append({piece.stream, m_fed, piece.bytes.mid(m_fed, slice)});
        m_fed += slice;
        if (m_fed < piece.bytes.size())
            return;
        m_fed = 0;
        break;
    }
    m_pieces.removeFirst();
    if (!m_pieces.isEmpty())
        return;
    m_log->finish();
    if (!m_view->hasFocus())
        m_view->verticalScrollBar()->setValue(0); // it is over: reading begins at the beginning
}

} // namespace glovebox
