// SPDX-License-Identifier: Apache-2.0
#include "engine/run/live/output.h"

#include <QTest>

#include <random>

using namespace glovebox;

// What the store promises, kept the expensive way: every byte with its stream.
struct Model
{
    struct Byte
    {
        OutputStream stream;
        qint64 offset;
        char value;
    };
    explicit Model(qint64 limit)
        : head(limit - limit / 4)
        , tail(limit - head)
    {
    }
    void append(OutputStream stream, const QByteArray &text)
    {
        for (char value : text)
            bytes.push_back({stream, total[size_t(stream)]++, value});
    }
    bool isKept(const Byte &byte) const
    {
        return byte.offset < head || byte.offset >= total[size_t(byte.stream)] - tail;
    }

    qint64 head, tail;
    std::vector<Byte> bytes;
    qint64 total[2] = {0, 0};
};

// Reads from the cursor to the end in slices, and compares every byte with the model.
static bool readsLike(const Model &model, const OutputStore &store, qint64 cursor, qint64 max)
{
    const qint64 end = std::ssize(model.bytes);
    while (cursor < end) {
        const OutputSlice slice = store.read(cursor, max);
        qint64 at = cursor;
        for (qint64 i = 0; i < slice.skipped; ++i) {
            if (model.isKept(model.bytes[size_t(at++)]))
                return false;
        }
        qint64 size = 0;
        for (const OutputChunk &chunk : slice.chunks) {
            for (qint64 i = 0; i < chunk.bytes.size(); ++i) {
                const Model::Byte &byte = model.bytes[size_t(at++)];
                if (byte.stream != chunk.stream || byte.offset != chunk.offset + i || byte.value != chunk.bytes[i]
                    || !model.isKept(byte))
                    return false;
            }
            size += chunk.bytes.size();
        }
        if (slice.next != at || size > max || (size == 0 && at != end))
            return false;
        cursor = at;
    }
    return store.read(end, max).chunks.isEmpty();
}

static QByteArray sequence(qint64 size)
{
    QByteArray text(size, Qt::Uninitialized);
    for (qint64 i = 0; i < size; ++i)
        text[i] = char('a' + i % 23);
    return text;
}

class tst_Output : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void keepsExactlyWhatItPromisesForRandomAppends();
    void keepsEverythingUpToTheLimit();
    void keepsHeadAndTailBeyondTheLimit();
    void keepsNothingAtLimitZero();
    void anAbsurdLimitCostsNothing();
    void bothStreamsStayInOrderOfArrival();
    void tinyWritesAreJoined();
    void aLongStreamOfAlternatingBytesCostsNoMoreThanWhatIsKept();
    void aFloodIsNotMuchSlowerThanCopyingIt();
};

void tst_Output::keepsExactlyWhatItPromisesForRandomAppends()
{
    std::mt19937 random(20240229);
    const auto upTo = [&](qint64 limit) { return std::uniform_int_distribution<qint64>(0, limit)(random); };
    for (int round = 0; round < 300; ++round) {
        const qint64 limit = upTo(round % 3 == 0 ? 8 : 200);
        const qint64 largest = 1 + upTo(round % 2 ? 10 : 2 * limit);
        OutputStore store(limit);
        Model model(limit);
        for (int step = 0; step < 60; ++step) {
            const auto stream = upTo(2) ? OutputStream::Out : OutputStream::Err;
            QByteArray text(upTo(largest), Qt::Uninitialized);
            for (char &value : text)
                value = char('a' + upTo(25));
            store.append(stream, text);
            model.append(stream, text);
            if (step % 10 == 0 || step > 55) {
                QVERIFY2(readsLike(model, store, 0, 1 + upTo(50)), qPrintable(QString::number(round)));
                QVERIFY(readsLike(model, store, upTo(store.size()), 1 + upTo(50)));
            }
        }
        for (auto stream : {OutputStream::Out, OutputStream::Err}) {
            QByteArray all, kept;
            for (const auto &byte : model.bytes) {
                if (byte.stream != stream)
                    continue;
                all += byte.value;
                if (model.isKept(byte))
                    kept += byte.value;
            }
            const CapturedOutput captured = store.captured(stream);
            QCOMPARE(captured.kept(), kept);
            QCOMPARE(captured.totalBytes, all.size());
            QCOMPARE(captured.isTruncated(), all.size() > limit);
            QCOMPARE(store.isTruncated(stream), all.size() > limit);
            QCOMPARE(captured.head, all.first(std::min<qint64>(all.size(), limit - limit / 4)));
        }
    }
}

void tst_Output::keepsEverythingUpToTheLimit()
{
    OutputStore store(100);
    store.append(OutputStream::Out, sequence(100));
    const OutputSlice slice = store.read(0, 1000);
    QCOMPARE(slice.chunks.size(), 1); // head and tail meet
    QCOMPARE(slice.chunks[0].bytes, sequence(100));
    QCOMPARE(slice.skipped, 0);
    QVERIFY(!store.isTruncated(OutputStream::Out));
}

void tst_Output::keepsHeadAndTailBeyondTheLimit()
{
    OutputStore store(100);
    store.append(OutputStream::Out, sequence(1000));
    const OutputSlice head = store.read(0, 1000);
    QCOMPARE(head.chunks.size(), 1);
    QCOMPARE(head.chunks[0].bytes, sequence(75));
    const OutputSlice tail = store.read(head.next, 1000);
    QCOMPARE(tail.skipped, 900);
    QCOMPARE(tail.chunks[0].offset, 975);
    QCOMPARE(tail.chunks[0].bytes, sequence(1000).last(25));
    QCOMPARE(tail.next, 1000);
}

void tst_Output::keepsNothingAtLimitZero()
{
    OutputStore store(0);
    store.append(OutputStream::Err, "abc");
    const OutputSlice slice = store.read(0, 10);
    QVERIFY(slice.chunks.isEmpty());
    QCOMPARE(slice.skipped, 3);
    QCOMPARE(slice.next, 3);
    QCOMPARE(store.captured(OutputStream::Err).totalBytes, 3);
}

void tst_Output::anAbsurdLimitCostsNothing()
{
    for (qint64 limit : {std::numeric_limits<qint64>::max(), std::numeric_limits<qint64>::min(), qint64(-1)}) {
        OutputStore store(limit);
        store.append(OutputStream::Out, "abc");
        QCOMPARE(store.captured(OutputStream::Out).kept(), QByteArray(limit > 0 ? "abc" : ""));
    }
}

void tst_Output::bothStreamsStayInOrderOfArrival()
{
    OutputStore store(1000);
    store.append(OutputStream::Out, "one ");
    store.append(OutputStream::Err, "two ");
    store.append(OutputStream::Out, "three");
    const OutputSlice slice = store.read(0, 1000);
    QCOMPARE(slice.chunks,
             (QList<OutputChunk>{
                 {OutputStream::Out, 0, "one "}, {OutputStream::Err, 0, "two "}, {OutputStream::Out, 4, "three"}}));
}

void tst_Output::tinyWritesAreJoined()
{
    OutputStore store(1000);
    for (int i = 0; i < 1000; ++i)
        store.append(OutputStream::Out, "x");
    QCOMPARE(store.read(0, 1000).chunks.size(), 1);
    QCOMPARE(store.indexSize(), 1);
}

void tst_Output::aLongStreamOfAlternatingBytesCostsNoMoreThanWhatIsKept()
{
    OutputStore store(1000);
    for (int i = 0; i < 1'000'000; ++i)
        store.append(i % 2 ? OutputStream::Out : OutputStream::Err, "x");
    QVERIFY2(store.indexSize() <= 2000, qPrintable(QString::number(store.indexSize())));
}

void tst_Output::aFloodIsNotMuchSlowerThanCopyingIt()
{
    const QByteArray piece = sequence(64 * kibibyte);
    constexpr int pieces = 16384; // 1 GiB
    QByteArray target(piece.size(), Qt::Uninitialized);
    QElapsedTimer timer;
    timer.start();
    for (int i = 0; i < pieces; ++i) {
        std::memcpy(target.data(), piece.constData(), size_t(piece.size()));
        asm volatile("" : : "r"(target.constData()) : "memory");
    }
    const qint64 copying = timer.nsecsElapsed();
    OutputStore store(mebibyte);
    timer.restart();
    for (int i = 0; i < pieces; ++i)
        store.append(i % 2 ? OutputStream::Out : OutputStream::Err, piece);
    const qint64 appending = timer.nsecsElapsed();
    qInfo("1 GiB: copied in %lld ms, appended in %lld ms", copying / 1000000, appending / 1000000);
    QVERIFY(appending < 20 * copying + 500'000'000); // slack for a busy machine; a walk over what is kept takes minutes
    QCOMPARE(store.captured(OutputStream::Out).kept().size(), mebibyte);
}

QTEST_APPLESS_MAIN(tst_Output)
#include "tst_output.moc"
