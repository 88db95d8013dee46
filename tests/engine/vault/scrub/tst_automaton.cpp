// SPDX-License-Identifier: Apache-2.0
// The automaton against what it says of itself: each state is the longest end of what was read that some text begins with.
#include "engine/vault/scrub/automaton.h"

#include <QRandomGenerator>
#include <QTest>

#include <algorithm>
#include <set>

using namespace glovebox;
using namespace glovebox::scrub;

namespace {

QByteArray randomText(QRandomGenerator &random, qsizetype size, int letters)
{
    QByteArray text(size, '\0');
    for (char &c : text)
        c = char('a' + random.bounded(letters));
    return text;
}

Automaton automatonOf(const QList<QByteArray> &texts)
{
    qsizetype bytes = 0;
    for (const QByteArray &text : texts)
        bytes += text.size();
    Automaton automaton(texts.size(), bytes);
    State last = 0;
    for (qsizetype i = 0; i < texts.size(); ++i) {
        const bool isLonger = i > 0 && texts[i].chopped(1) == texts[i - 1];
        last = automaton.add(texts[i], Owner(i), Scope::Everywhere, isLonger ? last : 0);
    }
    automaton.finish();
    return automaton;
}

State read(const Automaton &automaton, State state, const QByteArray &text)
{
    for (const char c : text)
        state = automaton.next(state, uchar(c));
    return state;
}

class Expected
{
public:
    explicit Expected(const QList<QByteArray> &texts)
        : m_texts(texts)
        , m_all(texts.begin(), texts.end())
    {
        for (const QByteArray &text : texts) {
            for (qsizetype size = 1; size <= text.size(); ++size)
                m_beginnings.insert(text.first(size));
        }
    }

    // Sizes of the ends of what was read that are beginnings, or whole texts; the longest first.
    QList<qsizetype> beginningsAtEndOf(const QByteArray &read) const { return endsOf(read, m_beginnings); }
    QList<qsizetype> textsAtEndOf(const QByteArray &read) const { return endsOf(read, m_all); }
    std::optional<Owner> ownerOfLonger(const QByteArray &beginning, qsizetype longest) const
    {
        std::optional<Owner> lowest;
        for (const QByteArray &text : m_texts) {
            if (text.size() > beginning.size() && text.size() <= longest && text.startsWith(beginning))
                lowest = std::min(lowest.value_or(Owner(-1)), Owner(m_texts.indexOf(text)));
        }
        return lowest;
    }

private:
    static QList<qsizetype> endsOf(const QByteArray &read, const std::set<QByteArray> &all)
    {
        QList<qsizetype> sizes;
        for (qsizetype size = read.size(); size > 0; --size) {
            if (all.contains(read.last(size)))
                sizes << size;
        }
        return sizes;
    }

    const QList<QByteArray> m_texts;
    const std::set<QByteArray> m_all;
    std::set<QByteArray> m_beginnings;
};

QList<qsizetype> shorterAndShorter(const Automaton &automaton, State state, State (Automaton::*shorter)(State) const)
{
    QList<qsizetype> sizes;
    for (; state != 0; state = (automaton.*shorter)(state))
        sizes << automaton.depth(state);
    return sizes;
}

} // namespace

class TestAutomaton : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // Texts that share beginnings, repeat themselves and are in each other, longer and shorter than what is a node each.
    void eachStateIsTheLongestBeginning()
    {
        QRandomGenerator random(1975);
        for (int turn = 0; turn < 150; ++turn) {
            const int letters = 1 + random.bounded(4);
            const QByteArray common = randomText(random, 40, letters);
            QList<QByteArray> texts;
            for (int i = random.bounded(8); i >= 0; --i) {
                QByteArray text;
                for (int part = random.bounded(4); part >= 0; --part)
                    text += random.bounded(3) ? common.mid(random.bounded(30), 5 + random.bounded(35))
                                              : randomText(random, 1 + random.bounded(20), letters);
                texts << text;
                if (random.bounded(3) == 0)
                    texts << text + randomText(random, 1, letters);
            }
            const Automaton automaton = automatonOf(texts);
            const Expected expected(texts);
            QByteArray stream;
            while (stream.size() < 200) {
                stream += randomText(random, random.bounded(10), letters) + common.mid(random.bounded(30))
                          + texts[random.bounded(int(texts.size()))].first(1);
                stream += texts[random.bounded(int(texts.size()))].left(random.bounded(90));
            }
            State state = 0;
            for (qsizetype i = 1; i <= stream.size(); ++i) {
                state = automaton.next(state, uchar(stream[i - 1]));
                const QByteArray read = stream.first(i).last(std::min<qsizetype>(i, automaton.longest()));
                QCOMPARE(shorterAndShorter(automaton, state, &Automaton::shorterBeginning),
                         expected.beginningsAtEndOf(read));
                const State match = automaton.match(state);
                QCOMPARE(shorterAndShorter(automaton, match, &Automaton::shorterMatch), expected.textsAtEndOf(read));
                if (match)
                    QCOMPARE(qsizetype(automaton.owner(match)), texts.indexOf(read.last(automaton.depth(match))));
                if (state == 0 || i % 7 != 0)
                    continue;
                const quint32 longest = automaton.depth(state) + quint32(random.bounded(60));
                QCOMPARE(automaton.ownerOfLonger(state, longest, [](State) { return true; }),
                         expected.ownerOfLonger(read.last(automaton.depth(state)), longest));
            }
        }
    }

    // Where each byte goes back nearly as far as was read.
    void repetitionsAreReadInTheTimeOfOthers_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("stream");
        const QByteArray same(20'000, 'a');
        QTest::newRow("one letter") << same + "b" << same + same;
        QTest::newRow("two letters") << QByteArray("ab").repeated(10'000) + "c" << QByteArray("ab").repeated(20'000);
        QByteArray ruler(20, 'z');
        for (char c = 'a'; c < 'k'; ++c)
            ruler = ruler + c + ruler;
        QTest::newRow("ruler") << ruler << (ruler.chopped(1) + "y").repeated(2);
    }
    void repetitionsAreReadInTheTimeOfOthers()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, stream);
        const Automaton automaton = automatonOf({text});
        QCOMPARE(qsizetype(automaton.depth(read(automaton, 0, text))), text.size());
        const State end = read(automaton, 0, stream);
        qsizetype size = std::min(stream.size(), text.size());
        while (size > 0 && stream.last(size) != text.first(size))
            --size;
        QCOMPARE(qsizetype(automaton.depth(end)), size);
    }

    void ofEqualTextsTheFirstOfTheWidestScopeIsTold()
    {
        for (const QByteArray &text : {QByteArray("short"), QByteArray("abcdefghijklmnopqrstuvwxyz")}) {
            Automaton automaton(4, 4 * text.size());
            automaton.add(text, 3, Scope::Lists);
            automaton.add(text, 2, Scope::Everywhere);
            automaton.add(text, 1, Scope::Everywhere);
            automaton.add(text, 0, Scope::Escapes);
            automaton.finish();
            const State match = automaton.match(read(automaton, 0, text));
            QVERIFY(match != 0);
            QCOMPARE(automaton.owner(match), 2U);
            QCOMPARE(automaton.scope(match), Scope::Everywhere);
            QCOMPARE(automaton.firstByte(match), text.front());
        }
    }
};

QTEST_APPLESS_MAIN(TestAutomaton)
#include "tst_automaton.moc"
