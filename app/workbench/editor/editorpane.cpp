// SPDX-License-Identifier: Apache-2.0
#include "editorpane.h"

#include "codesearch.h"
#include "findbar.h"
#include "gotobar.h"
#include "leaks/leakbar.h"

#include "app/workbench/shell/look.h"

#include <QElapsedTimer>
#include <QFileDialog>
#include <QFileInfo>
#include <QTextBlock>

#include <utility>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype firstSlice = 128 * 1024; // characters: more than a screen, less than 50 ms
constexpr qsizetype piece = 16 * 1024;
constexpr int sliceMilliseconds = 6;

// Up to a line's end; the "\n" itself stays with the rest, so that who types at the end of what is there types into
// that line.
qsizetype cutAt(const QString &text, qsizetype from, qsizetype length)
{
    if (from + length >= text.size())
        return text.size();
    const qsizetype end = text.indexOf(u'\n', from + length);
    return end < 0 ? text.size() : end;
}

} // namespace

EditorPane::EditorPane(WorkbenchContext &context, QWidget *parent)
    : QWidget(parent)
    , m_context(context)
    , m_editor(new CodeEditor(context.theme(), this))
    , m_find(new FindBar(context.theme(), FindBar::Full, u"bench.editor"_s, this))
    , m_search(new CodeSearch(*m_editor, *m_find))
    , m_goTo(new GoToBar(this))
    , m_notice(new NoticeBar(context.theme(), u"bench.notice"_s, this))
    , m_leaks(new LeakBar(context, *m_editor, this))
{
    auto *layout = columnIn(this, 0);
    layout->addWidget(m_notice);
    layout->addWidget(m_leaks);
    layout->addWidget(m_find);
    layout->addWidget(m_goTo);
    layout->addWidget(m_editor, 1);
    m_find->hide();
    setFocusProxy(m_editor);
    setNames(m_editor, u"bench.editor"_s, tr("Code"));
    const auto sayKeys = [this] {
        const QString keys = m_context.actions().keys(u"bench.run"_s);
        m_editor->setPlaceholderText(
            keys.isEmpty() ? tr("Type or paste code here, or drop a file. Run runs it, sealed.")
                           : tr("Type or paste code here, or drop a file. %1 runs it, sealed.").arg(keys));
    };
    connect(&context.actions(), &ActionRegistry::shortcutsChanged, this, sayKeys);
    sayKeys();

    m_loadTimer.setInterval(0);
    connect(&m_loadTimer, &QTimer::timeout, this, &EditorPane::loadSlice);
    m_checkTimer.setSingleShot(true);
    m_checkTimer.setInterval(200); // writers take several steps
    connect(&m_checkTimer, &QTimer::timeout, this, &EditorPane::checkFile);
    connect(&m_watcher, &QFileSystemWatcher::fileChanged, this, [this] { m_checkTimer.start(); });
    connect(&m_watcher, &QFileSystemWatcher::directoryChanged, this, [this] { m_checkTimer.start(); });

    connect(m_editor->document(), &QTextDocument::modificationChanged, this, &EditorPane::modifiedChanged);
    connect(m_editor, &QPlainTextEdit::textChanged, this, [this] {
        m_touched = m_touched || !m_ours;
        m_leaks->marks().textChanged();
        Q_EMIT textChanged();
    });
    connect(m_editor, &QPlainTextEdit::cursorPositionChanged, this, [this] {
        if (!m_ours)
            m_wantedLine = 0;
    });
    connect(m_editor, &CodeEditor::filesDropped, this, &EditorPane::filesDropped);
    connect(m_editor, &CodeEditor::pasted, this, [this] { tellHidden(findHiddenText(text())); });
    connect(m_editor, &CodeEditor::refused, this, [this](const QString &why) { m_notice->show(Tone::Warn, why); });

    connect(m_goTo, &GoToBar::chosen, this,
            [this](int line, int column) { m_editor->goTo(line, std::max(column, 1)); });
    connect(m_goTo, &GoToBar::closed, this, [this](bool stay) {
        if (!stay)
            m_editor->goTo(m_beforeGoTo);
        m_editor->setFocus();
    });
}

EditorPane::~EditorPane() = default;

QString EditorPane::fileName() const
{
    return QFileInfo(m_path).fileName();
}

bool EditorPane::isModified() const
{
    // Without undo, which is off while loading, a document calls every change of its colours a modification.
    return isLoading() ? m_touched : m_editor->document()->isModified();
}

std::function<QString()> EditorPane::textNow() const
{
    if (isReadOnly())
        return [whole = m_whole] { return whole; };
    // toPlainText() would make plain spaces of non-breaking ones.
    return [raw = m_editor->document()->toRawText(), rest = m_rest, restAt = m_restAt] {
        QString text = raw;
        text.replace(QChar::ParagraphSeparator, u'\n');
        text += QStringView(rest).sliced(restAt);
        return text;
    };
}

// --- loading

void EditorPane::setFile(const QString &path, const CodeFile &file)
{
    const bool renamed = path != m_path;
    m_path = path;
    m_file = file;
    m_file.text.clear();
    ++m_generation;
    m_whole = file.hasLongLines ? file.text : QString();
    const CutText shown = file.hasLongLines ? cutLongLines(file.text) : CutText{.text = file.text};
    m_editor->setContinuing(shown.continuing);
    load(shown.text);
    m_notice->dismiss();
    tellForm();
    if (!file.writable)
        m_notice->show(Tone::Info,
                       tr("%1 is read-only. Your changes can be run, and saved under another name.").arg(fileName()));
    tellHidden(file.hidden);
    watch();
    if (renamed)
        Q_EMIT pathChanged();
}

// Says how the file's bytes differ from the usual.
void EditorPane::tellForm()
{
    if (isReadOnly())
        m_notice->show(Tone::Info,
                       tr("%1 has lines of more than %L2 characters: shown in pieces, and not to be edited. "
                          "A run takes the file as it is.")
                           .arg(fileName())
                           .arg(CodeEditor::longestLine));
    else if (m_file.encoding != Encoding::Utf8)
        m_notice->show(Tone::Info, tr("%1 is read as %2 and saved as such; a run takes the text as UTF-8. The status "
                                      "bar changes the encoding.")
                                       .arg(fileName(), encodingName(m_file.encoding)));
}

QByteArray EditorPane::codeBytes() const
{
    CodeFile form = m_file;
    form.mark = form.mark && form.encoding == Encoding::Utf8;
    form.encoding = Encoding::Utf8;
    return encoded(text(), form);
}

void EditorPane::setEncoding(Encoding encoding)
{
    if (const QString missing = missingIn(encoding, text()); !missing.isEmpty()) {
        m_notice->show(Tone::Warn, tr("%1 doesn't have \"%2\". The text stays %3.")
                                       .arg(encodingName(encoding), missing, encodingName(m_file.encoding)));
        return;
    }
    if (encoding == m_file.encoding)
        return;
    m_file.encoding = encoding;
    m_file.mark = encoding == Encoding::Utf16Le || encoding == Encoding::Utf16Be; // nothing else tells it apart
    m_editor->document()->setModified(true);
    Q_EMIT modifiedChanged();
}

void EditorPane::setCrlf(bool crlf)
{
    if (crlf == m_file.crlf || isReadOnly())
        return;
    m_file.crlf = crlf;
    m_editor->document()->setModified(true);
    Q_EMIT modifiedChanged();
}

void EditorPane::setIndentation(const std::optional<Indentation> &chosen)
{
    m_indentation = chosen;
    guessIndentation();
}

void EditorPane::guessIndentation()
{
    m_editor->setIndentation(m_indentation.value_or(detectIndentation(*m_editor->document(), m_editor->style())));
    Q_EMIT modifiedChanged(); // what the status bar says of the text
}

void EditorPane::tellHidden(const std::optional<HiddenText> &hidden)
{
    if (hidden)
        m_notice->show(
            Tone::Warn, hiddenTextSentence(*hidden),
            {{tr("Go to line %1").arg(hidden->line), [this, line = hidden->line] { m_editor->goTo(line); }}});
}

void EditorPane::setText(const QString &text, bool modified)
{
    ++m_generation;
    m_whole = QString();
    m_editor->setContinuing({});
    load(text);
    if (isLoading())
        m_touched = modified; // set when all is there
    else
        m_editor->document()->setModified(modified);
    tellHidden(findHiddenText(text));
}

void EditorPane::adoptPath(const QString &path, const QByteArray &hash, bool crlf, bool mark, Encoding encoding)
{
    m_path = path;
    m_file.hash = hash;
    m_file.crlf = crlf;
    m_file.mark = mark;
    m_file.encoding = encoding;
    m_file.stamp = {};
    watch();
    m_checkTimer.start();
    Q_EMIT pathChanged();
}

void EditorPane::load(const QString &text)
{
    const int line = m_editor->line();
    // Unlike setReadOnly(), this leaves a cursor to those without a mouse.
    m_editor->setTextInteractionFlags(isReadOnly() ? Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard
                                                   : Qt::TextInteractionFlags(Qt::TextEditorInteraction));
    m_touched = false;
    m_wantedLine = 0;
    m_rest = text;
    m_restAt = cutAt(text, 0, firstSlice);
    m_ours = true;
    // What is typed while the rest comes can't be undone: an undo would take the rest along.
    m_editor->document()->setUndoRedoEnabled(false);
    m_editor->setPlainText(text.first(m_restAt));
    m_editor->expectLines(int(text.count(u'\n')) + 1);
    m_ours = false;
    guessIndentation();
    if (line > 1)
        goTo(line);
    if (m_restAt < m_rest.size())
        m_loadTimer.start();
    else
        endLoading();
}

void EditorPane::endLoading()
{
    m_rest.clear();
    m_restAt = 0;
    m_editor->expectLines(0);
    m_editor->document()->setUndoRedoEnabled(true);
    m_editor->document()->setModified(m_touched);
    if (const int line = std::exchange(m_wantedLine, 0); line > 0)
        m_editor->goTo(line);
}

void EditorPane::goTo(int line)
{
    m_editor->goTo(line);
    m_wantedLine = isLoading() && m_editor->line() < line ? line : 0;
}

void EditorPane::loadSlice()
{
    QElapsedTimer spent;
    spent.start();
    m_ours = true;
    while (m_restAt < m_rest.size() && spent.elapsed() < sliceMilliseconds) {
        const qsizetype end = cutAt(m_rest, m_restAt, piece);
        QTextCursor cursor(m_editor->document());
        cursor.movePosition(QTextCursor::End);
        QTextBlock block = cursor.block();
        cursor.insertText(m_rest.sliced(m_restAt, end - m_restAt));
        // Qt makes a line's layout when it is asked for first: of all lines at once, where the width or the wrapping changes.
        for (; block.isValid(); block = block.next())
            block.layout();
        m_restAt = end;
    }
    m_ours = false;
    if (m_restAt < m_rest.size())
        return;
    m_loadTimer.stop();
    endLoading();
    Q_EMIT modifiedChanged();
}

// --- saving

void EditorPane::save(std::function<void(bool)> done)
{
    if (m_path.isEmpty())
        saveAs(std::move(done));
    else
        write(m_path, m_file.hash, std::move(done));
}

void EditorPane::saveAs(std::function<void(bool)> done)
{
    auto *dialog = new QFileDialog(this, tr("Save code"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setObjectName(u"bench.saveas.dialog"_s);
    dialog->setDefaultSuffix(QFileInfo(m_path.isEmpty() ? m_proposedName : m_path).suffix());
    dialog->selectFile(m_path.isEmpty() ? m_proposedName : m_path);
    // The dialog has asked already whether an existing file may be replaced.
    connect(dialog, &QFileDialog::finished, this, [this, dialog, done = std::move(done)](int result) {
        if (result == QDialog::Accepted && !dialog->selectedFiles().isEmpty())
            write(dialog->selectedFiles().constFirst(), {}, done);
        else if (done)
            done(false);
    });
    dialog->open();
}

void EditorPane::write(const QString &path, const QByteArray &expectedHash, std::function<void(bool)> done)
{
    const int revision = m_editor->document()->revision();
    const bool loading = isLoading();
    inBackground(
        m_context.pool(), this,
        [path, text = textNow(), form = m_file, expectedHash]() -> std::expected<SavedFile, SaveError> {
            const QString whole = text();
            if (const QString missing = missingIn(form.encoding, whole); !missing.isEmpty())
                return std::unexpected(SaveError{.missing = missing});
            return writeCodeFile(path, encoded(whole, form), expectedHash);
        },
        [this, path, revision, loading, expectedHash, encoding = m_file.encoding,
         done = std::move(done)](const std::expected<SavedFile, SaveError> &saved) {
            if (!saved && !saved.error().missing.isEmpty()) {
                m_notice->show(Tone::Bad,
                               tr("%1 was not saved: %2 doesn't have \"%3\".")
                                   .arg(fileName(), encodingName(encoding), saved.error().missing),
                               {{tr("Save as UTF-8"), [this, path, expectedHash, done] {
                                     setEncoding(Encoding::Utf8);
                                     write(path, expectedHash, done);
                                 }}});
                return;
            }
            if (!saved) {
                QList<Remedy> ways;
                if (saved.error().changed) {
                    ways.append({tr("Save over it"), [this, path] { write(path, {}, {}); }});
                    ways.append({tr("Load it, and drop my changes"), [this] { reload(); }});
                }
                ways.append({tr("Save as…"), [this] { saveAs(); }});
                m_notice->show(Tone::Bad, saved.error().sentence, ways);
                if (done)
                    done(false);
                return;
            }
            ++m_generation;
            const bool renamed = path != m_path;
            m_path = path;
            m_file.hash = saved->hash;
            m_file.stamp = saved->stamp;
            m_file.writable = true;
            m_notice->dismiss();
            // What was typed meanwhile isn't saved.
            if (m_editor->document()->revision() == revision && !loading)
                m_editor->document()->setModified(false);
            watch();
            if (renamed)
                Q_EMIT pathChanged();
            if (done)
                done(true);
        });
}

// --- the file, meanwhile

void EditorPane::watch()
{
    if (const QStringList watched = m_watcher.files() + m_watcher.directories(); !watched.isEmpty())
        m_watcher.removePaths(watched);
    if (m_path.isEmpty())
        return;
    // The folder too: a file that is replaced or deleted is not watched any more.
    m_watcher.addPath(QFileInfo(m_path).absolutePath());
    if (QFileInfo::exists(m_path))
        m_watcher.addPath(m_path);
}

void EditorPane::checkFile()
{
    if (m_path.isEmpty())
        return;
    inBackground(
        m_context.reading(), this,
        [path = m_path, known = m_file.stamp] {
            const FileStamp stamp = stampOf(path);
            QByteArray hash;
            if (stamp.exists() && stamp != known) {
                QFile file(path);
                if (file.open(QIODevice::ReadOnly))
                    hash = hashOf(file.read(maximumFileBytes + 1));
            }
            return std::pair(stamp, hash);
        },
        [this, generation = m_generation](const std::pair<FileStamp, QByteArray> &found) {
            if (generation == m_generation)
                takeCheck(found.first, found.second);
        });
}

void EditorPane::takeCheck(const FileStamp &stamp, const QByteArray &hash)
{
    if (stamp == m_file.stamp)
        return;
    m_file.stamp = stamp;
    if (!stamp.exists()) {
        // Nothing is lost: the text is here, and worth asking for before it is closed.
        m_editor->document()->setModified(true);
        m_notice->show(Tone::Warn,
                       tr("%1 was deleted or moved by another program. Your text is still here.").arg(fileName()),
                       {{tr("Save it again"), [this] { save(); }}, {tr("Save as…"), [this] { saveAs(); }}});
        return;
    }
    if (!m_watcher.files().contains(m_path))
        m_watcher.addPath(m_path);
    if (hash.isEmpty() || hash == m_file.hash)
        return;
    if (!isModified()) {
        reload();
        return;
    }
    m_notice->show(
        Tone::Warn,
        tr("%1 was changed by another program, and you have unsaved changes. Saving asks first.").arg(fileName()),
        {{tr("Load it, and drop my changes"), [this] { reload(); }}, {tr("Keep mine"), {}}});
}

void EditorPane::reload(std::optional<Encoding> as)
{
    inBackground(
        m_context.reading(), this, [path = m_path, as] { return readCodeFile(path, as); },
        [this, path = m_path, as](const std::expected<CodeFile, QString> &file) {
            if (path != m_path)
                return;
            if (!file) {
                m_notice->show(Tone::Warn, file.error(), {{tr("Save as…"), [this] { saveAs(); }}});
                return;
            }
            setFile(path, *file);
            if (file->writable && !as)
                m_notice->showForAWhile(
                    Tone::Info, tr("%1 was changed by another program; this is the new version.").arg(fileName()));
        });
}

void EditorPane::showFind(bool withReplace)
{
    m_goTo->hide();
    m_search->show(withReplace);
}

void EditorPane::showGoTo()
{
    m_find->hide();
    m_beforeGoTo = m_editor->line();
    m_goTo->open(m_editor->line(), m_editor->numberOf(m_editor->document()->lastBlock()));
}

} // namespace glovebox
