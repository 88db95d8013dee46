// SPDX-License-Identifier: Apache-2.0
// The words of a text that is being edited, looked for in slices while nobody types.
#pragma once

#include <QObject>
#include <QSet>
#include <QTextBlock>
#include <QTimer>

class QTextDocument;

namespace glovebox {

// Lives on the GUI thread, as a child of its document.
class WordIndex : public QObject
{
    Q_OBJECT
public:
    static constexpr int shortest = 3, longest = 64; // characters
    static constexpr qsizetype most = 20'000; // of a text

    explicit WordIndex(QTextDocument *document);

    // As the text was a moment ago.
    const QSet<QString> &words() const { return m_words; }

Q_SIGNALS:
    void looked(); // words() are those of the text

private:
    void slice();

    QTextDocument *m_document;
    QSet<QString> m_words;
    QSet<QString> m_found; // so far
    QTextBlock m_next;
    QTimer m_timer;
    int m_revision = -1; // of the text that is looked through
};

// A word goes on with letters, digits and "_".
bool isWordCharacter(QChar character);

} // namespace glovebox
