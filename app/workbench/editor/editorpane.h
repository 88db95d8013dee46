// SPDX-License-Identifier: Apache-2.0
// The editor with its file: opening in slices, saving, and noticing what others do to the file meanwhile.
#pragma once

#include "code/codeeditor.h"
#include "file/codefile.h"

#include "app/workbench/shell/context.h"

#include <QFileSystemWatcher>
#include <QTimer>
#include <QWidget>

#include <functional>

namespace glovebox {

class CodeSearch;
class FindBar;
class GoToBar;
class LeakBar;
class NoticeBar;

// Lives on the GUI thread; files are read and written in the context's pools.
class EditorPane : public QWidget
{
    Q_OBJECT
public:
    EditorPane(WorkbenchContext &context, QWidget *parent = nullptr);
    ~EditorPane() override;

    CodeEditor &editor() { return *m_editor; }
    NoticeBar &notice() { return *m_notice; }
    LeakBar &leaks() { return *m_leaks; }

    // The file it belongs to; empty: none yet.
    const QString &path() const { return m_path; }
    QString fileName() const; // without its folder
    bool isModified() const;
    bool isLoading() const { return !m_rest.isEmpty(); }
    bool usesCrlf() const { return m_file.crlf; }
    QString text() const { return textNow()(); } // exact, unlike QPlainTextEdit::toPlainText()
    // The text as it is now, for any thread that puts it together: a long one takes longer than the window may wait.
    std::function<QString()> textNow() const;
    QByteArray bytes() const { return encoded(text(), m_file); } // as they would be saved
    QByteArray codeBytes() const; // as a run takes them: UTF-8
    Encoding encoding() const { return m_file.encoding; }
    // From the next saving on.
    void setEncoding(Encoding encoding);
    // From the next saving on, as Windows ends lines.
    void setCrlf(bool crlf);
    // nullopt: as the text does it.
    void setIndentation(const std::optional<Indentation> &chosen);
    const std::optional<Indentation> &chosenIndentation() const { return m_indentation; }
    void guessIndentation();
    // Only shown, in pieces of its lines: text() is whole.
    bool isReadOnly() const { return !m_whole.isNull(); }

    // Also to a line of what comes later, as soon as it is there, unless the person has gone elsewhere meanwhile.
    void goTo(int line);

    // Shows a file that was read. Large ones come in slices: the beginning can be edited at once.
    void setFile(const QString &path, const CodeFile &file);
    // Text without a file, or an unsaved version of one. modified: it is worth asking before closing.
    void setText(const QString &text, bool modified);
    // The unsaved text belongs to this file, which held that hash when it was opened.
    void adoptPath(const QString &path, const QByteArray &hash, bool crlf, bool mark, Encoding encoding);
    const CodeFile &file() const { return m_file; }

    // done(true) when it is on disk. Without a path it asks for one first; who sends that away gets done(false).
    void save(std::function<void(bool)> done = {});
    void saveAs(std::function<void(bool)> done = {});
    // For a text without a file: "Untitled 1.py".
    void setProposedName(const QString &name) { m_proposedName = name; }
    void reload(std::optional<Encoding> as = std::nullopt);
    void checkFile(); // whether somebody changed it

    void showFind(bool withReplace);
    CodeSearch &search() { return *m_search; }
    void showGoTo();

Q_SIGNALS:
    void pathChanged();
    void modifiedChanged();
    void textChanged(); // by a person or a file, not by colours
    void filesDropped(const QStringList &paths);

private:
    void load(const QString &text);
    void loadSlice();
    void endLoading();
    void write(const QString &path, const QByteArray &expectedHash, std::function<void(bool)> done);
    void watch();
    void takeCheck(const FileStamp &stamp, const QByteArray &hash);
    void tellForm();
    void tellHidden(const std::optional<HiddenText> &hidden);

    WorkbenchContext &m_context;
    CodeEditor *m_editor;
    FindBar *m_find;
    CodeSearch *m_search;
    GoToBar *m_goTo;
    NoticeBar *m_notice;
    LeakBar *m_leaks;
    QString m_path;
    QString m_proposedName;
    CodeFile m_file; // without its text
    std::optional<Indentation> m_indentation; // that the person chose
    QString m_whole; // of a text that has lines too long to be edited; null: none
    QString m_rest; // of the text, not in the document yet
    qsizetype m_restAt = 0;
    QTimer m_loadTimer;
    bool m_touched = false; // by the person, while it was loading
    bool m_ours = false; // a change of the document by loading
    int m_wantedLine = 0; // that comes later; 0: none
    QFileSystemWatcher m_watcher;
    QTimer m_checkTimer;
    int m_generation = 0; // of what was read and written: late answers are dropped
    int m_beforeGoTo = 0;
};

} // namespace glovebox
