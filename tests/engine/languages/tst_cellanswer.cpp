// SPDX-License-Identifier: Apache-2.0
// The answer to a cell is found in whatever comes, in whatever pieces, and is held against its bounds.
#include "engine/languages/languages.h"

#include <QTest>

#include <algorithm>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestCellAnswer : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void anAnswerIsTheSameInAnyPieces_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<std::optional<int>>("status");
        QTest::addColumn<std::optional<CellValue>>("value");
        const auto row = [](const char *name, const QByteArray &bytes, std::optional<int> status,
                            const std::optional<CellValue> &value = {}) {
            QTest::newRow(name) << bytes << status << value;
        };
        const QByteArray none(4, '\0');
        const QByteArray large(maximumValueBytes, 'x');
        const QByteArray largest("\1\0\1\0w", 5);
        row("nothing", "", {});
        row("no value", "tagg\7" + none, 7);
        row("a high status", "tagg\xff" + none, 255);
        row("not whole", "tagg\7" + none.first(3), {});
        row("a value", QByteArray("tagg\0\3\0\0\0wab", 12), 0, CellValue{"ab", false});
        row("the beginning of one", QByteArray("tagg\0\3\0\0\0cab", 12), 0, CellValue{"ab", true});
        row("an empty one", QByteArray("tagg\0\1\0\0\0w", 10), 0, CellValue{"", false});
        row("one that isn't whole", QByteArray("tagg\0\4\0\0\0wab", 12), {});
        row("the largest", QByteArray("tagg\0", 5) + largest + large, 0, CellValue{large, false});
        row("too large", QByteArray("tagg\0\2\0\1\0", 9), 0);
        row("of no kind", QByteArray("tagg\0\2\0\0\0xa", 11), 0);
        row("behind others", "\n" + QByteArray("tag").repeated(99) + "tatagg\7" + none + "tagg\3" + none, 7);
        row("another's", "tugg\7" + none, {});
    }
    void anAnswerIsTheSameInAnyPieces()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(std::optional<int>, status);
        QFETCH(std::optional<CellValue>, value);
        for (const qsizetype step : {qsizetype(1), qsizetype(3), qsizetype(4096), bytes.size() + 1}) {
            CellAnswer answer("tagg");
            for (qsizetype at = 0; at < bytes.size(); at += step)
                answer.feed(QByteArrayView(bytes).sliced(at, std::min(step, bytes.size() - at)));
            QCOMPARE(answer.status(), status);
            QCOMPARE(answer.value(), value);
        }
    }
};

QTEST_GUILESS_MAIN(TestCellAnswer)
#include "tst_cellanswer.moc"
