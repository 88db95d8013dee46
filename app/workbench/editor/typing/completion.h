// SPDX-License-Identifier: Apache-2.0
// Words that may be meant, in a list beside the cursor. Lies in the editor and takes no focus: typing goes on.
//
// Offered while a word is typed; then Enter breaks the line as ever, and only Tab, or Enter after an arrow key, takes a word. Who
// asked for the list (Ctrl+Space) takes by Enter at once.
#pragma once

#include <QListWidget>
#include <QSet>
#include <QTimer>

#include <functional>

namespace glovebox {

class CodeEditor;

// All words that there are to choose from; prefix: what they begin with, whatever its case.
using WordSource = std::function<QSet<QString>(const QString &prefix)>;

// The best first: those that begin exactly like prefix, then the shorter ones. Without prefix itself.
QStringList bestWords(const QSet<QString> &words, const QString &prefix);

class Completion : public QListWidget
{
    Q_OBJECT
public:
    explicit Completion(CodeEditor &editor);

    void setSource(WordSource source) { m_source = std::move(source); }
    void setWhileTyping(bool on) { m_whileTyping = on; }
    // Takes the only word there is, else shows them.
    void ask();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    bool takesKey(int key);
    void afterKey(const QString &typed);
    void offer(bool asked);
    void place();
    void take(const QString &word);
    QString prefix() const;

    CodeEditor &m_editor;
    WordSource m_source;
    QTimer m_soon;
    bool m_whileTyping = true;
    bool m_isChosen = false; // Enter means the list
};

} // namespace glovebox
