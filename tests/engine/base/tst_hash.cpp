// SPDX-License-Identifier: Apache-2.0
// SHA-256 as FIPS 180-4 has it.
#include "engine/base/base.h"

#include <QTest>

using namespace glovebox;

class TestHash : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void agreesWithThePublishedExamples()
    {
        QCOMPARE(sha256({"abc"}).toHex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        QCOMPARE(sha256({}).toHex(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }

    // Little is hashed without OpenSSL until something needs that.
    void muchAndLittleAreHashedAlike()
    {
        QCOMPARE(sha256({QByteArray(1'000'000, 'a')}).toHex(),
                 "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
        agreesWithThePublishedExamples();
        partsAreHashedOneAfterTheOther();
    }

    void piecesAreHashedAsTheWhole()
    {
        for (const qint64 expected : {qint64(3), qint64(1) << 30}) {
            Sha256 hash(expected);
            hash.add("a");
            hash.add("");
            hash.add("bc");
            QCOMPARE(hash.result(), sha256({"abc"}));
        }
    }

    void partsAreHashedOneAfterTheOther() { QCOMPARE(sha256({"a", "", "bc"}), sha256({"abc"})); }
};

QTEST_GUILESS_MAIN(TestHash)
#include "tst_hash.moc"
