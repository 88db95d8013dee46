// SPDX-License-Identifier: Apache-2.0
#include "wordindex.h"

#include <QElapsedTimer>
#include <QTextDocument>

#include <utility>

namespace glovebox {

namespace {

constexpr int rest = 400; // ms from a change until all of it is looked through again
constexpr int sliceOfWords = 6; // ms

} // namespace

bool isWordCharacter(QChar character)
{
    return character.isLetterOrNumber() || character == u'_';
}

WordIndex::WordIndex(QTextDocument *document)
    : QObject(document)
    , m_document(document)
{
    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, &WordIndex::slice);
    connect(document, &QTextDocument::contentsChange, this, [this](int, int removed, int added) {
        if (removed == 0 && added == 0)
            return;
        if (m_next.isValid() || !m_timer.isActive()) // else it is about to look, also while somebody types on and on
            m_timer.start(rest);
        m_next = {};
        m_revision = -1;
    });
}

void WordIndex::slice()
{
    if (m_revision != m_document->revision()) {
        m_revision = m_document->revision();
        m_next = m_document->begin();
        m_found.clear();
    }
    QElapsedTimer spent;
    spent.start();
    for (; m_next.isValid() && m_found.size() < most; m_next = m_next.next()) {
        if (spent.elapsed() >= sliceOfWords)
            return m_timer.start(0);
        const QString text = m_next.text();
        for (qsizetype i = 0; i < text.size();) {
            const qsizetype begin = i;
            while (i < text.size() && isWordCharacter(text[i]))
                ++i;
            if (i - begin >= shortest && i - begin <= longest && !text[begin].isDigit())
                m_found.insert(text.sliced(begin, i - begin));
            i += i == begin ? 1 : 0;
        }
    }
    m_next = {};
    m_words = std::exchange(m_found, {});
    Q_EMIT looked();
}

} // namespace glovebox
