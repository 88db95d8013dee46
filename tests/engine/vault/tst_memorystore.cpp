// SPDX-License-Identifier: Apache-2.0
// The store of the tests keeps the promises that the seam makes.
#include "tests/support/memorystore.h"

#include <QTest>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestMemoryStore : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void keepsWhatIsWrittenUntilItIsRemoved()
    {
        const auto store = makeMemoryStore();
        const Patience patience;
        QVERIFY(store->status(patience).state == StoreState::Ready);
        QCOMPARE(store->read(u"a"_s, patience).error().code, ErrorCode::NotFound);
        QVERIFY(store->write(u"a"_s, SecretValue::copyOf("first"), patience));
        QVERIFY(store->write(u"a"_s, SecretValue::copyOf("second"), patience));
        QCOMPARE(store->read(u"a"_s, patience)->view(), QByteArrayView("second"));
        QCOMPARE(store->list(patience).value(), std::optional(QStringList{u"a"_s}));
        QVERIFY(store->remove(u"a"_s, patience));
        QCOMPARE(store->remove(u"a"_s, patience).error().code, ErrorCode::NotFound);
        QCOMPARE(store->list(patience).value(), std::optional(QStringList()));
    }

    void everyStateHasItsOwnWord()
    {
        QStringList words;
        for (int i = 0; i <= int(StoreState::NotAnswering); ++i)
            words.append(toString(StoreState(i)));
        QCOMPARE(words.join(u' '), u"ready locked absent denied not-answering"_s);
    }
};

QTEST_GUILESS_MAIN(TestMemoryStore)
#include "tst_memorystore.moc"
