// SPDX-License-Identifier: Apache-2.0
// Bytes are characters exactly where Unicode says so.
#include "engine/base/base.h"

#include <QString>
#include <QTest>

using namespace glovebox;

class TestCharacters : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyCharacterIsReadAsItself()
    {
        for (char32_t code = 0; code <= 0x10ffff; ++code) {
            if (code >= 0xd800 && code <= 0xdfff)
                continue;
            // Qt takes the one for a byte order mark.
            const QByteArray bytes =
                code == 0xfeff ? QByteArray("\xef\xbb\xbf") : QStringView(QChar::fromUcs4(code)).toUtf8();
            if (utf8CharacterAt(bytes + "x") != bytes.size() || decodedUtf8(bytes) != code)
                QFAIL(qPrintable(QString::number(uint(code), 16)));
        }
    }

    void whatIsNoCharacterIsRefused_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("nothing") << QByteArray();
        QTest::newRow("continuation") << QByteArray("\x80");
        QTest::newRow("overlong, two bytes") << QByteArray("\xc0\xaf");
        QTest::newRow("overlong, three bytes") << QByteArray("\xe0\x9f\xbf");
        QTest::newRow("overlong, four bytes") << QByteArray("\xf0\x8f\xbf\xbf");
        QTest::newRow("surrogate") << QByteArray("\xed\xa0\x80");
        QTest::newRow("beyond the last") << QByteArray("\xf4\x90\x80\x80");
        QTest::newRow("never a first byte") << QByteArray("\xf5\x80\x80\x80");
        QTest::newRow("cut") << QByteArray("\xe2\x82");
        QTest::newRow("interrupted") << QByteArray("\xe2\x82x");
    }

    void whatIsNoCharacterIsRefused()
    {
        QFETCH(QByteArray, bytes);
        QCOMPARE(utf8CharacterAt(bytes), 0);
    }

    void bytesMakeUpACharacterOneByOne()
    {
        QByteArray begun("\xe2");
        QVERIFY(!isWholeUtf8(begun));
        QVERIFY(appendUtf8(begun, '\x82') && !isWholeUtf8(begun));
        QVERIFY(!appendUtf8(begun, 'x') && !isWholeUtf8(begun));
        QVERIFY(appendUtf8(begun, '\xac') && isWholeUtf8(begun));
        QCOMPARE(begun, QByteArray("\xe2\x82\xac"));
        QByteArray surrogate("\xed");
        QVERIFY(!appendUtf8(surrogate, '\xa0'));
        QCOMPARE(surrogate, QByteArray("\xed"));
    }

    void whatMisleadsIsHidden()
    {
        for (const char32_t code :
             {0x00u, 0x07u, 0x1bu, 0x7fu, 0x9bu, 0xadu, 0x200bu, 0x202eu, 0x2066u, 0xfeffu, 0xe0041u})
            QVERIFY2(isHiddenCharacter(code), qPrintable(QString::number(uint(code), 16)));
        for (const char32_t code : {0x09u, 0x0au, 0x0du, 0x20u, 0x41u, 0xdfu, 0x200du, 0x20acu, 0x1f389u})
            QVERIFY2(!isHiddenCharacter(code), qPrintable(QString::number(uint(code), 16)));
    }
};

QTEST_GUILESS_MAIN(TestCharacters)
#include "tst_characters.moc"
