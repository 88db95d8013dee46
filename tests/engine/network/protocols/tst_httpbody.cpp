// SPDX-License-Identifier: Apache-2.0
// Where bodies end, in whatever pieces they pass by.
#include "engine/network/protocols/http/httpbody.h"

#include "splits.h"

#include <limits>

using namespace glovebox::network;

namespace {

constexpr HttpBody inChunks{HttpBody::Framing::Chunked, 0};

struct Followed
{
    ParseState state;
    std::size_t used;
    std::string fault;

    bool operator==(const Followed &) const = default;
};

Followed follow(const HttpBody &body, const std::string &bytes, std::size_t piece)
{
    HttpBodyFollower follower(body);
    std::size_t used = 0;
    while (used < bytes.size() && follower.state() == ParseState::NeedMore)
        used += follower.follow(std::string(bytes.substr(used, piece)));
    return {follower.state(), used, std::string(follower.fault())};
}

// The same in pieces of every size.
Followed follow(const HttpBody &body, const std::string &bytes)
{
    const Followed whole = follow(body, bytes, bytes.size());
    for (std::size_t piece = 1; piece < bytes.size(); ++piece) {
        if (follow(body, bytes, piece) != whole)
            qFatal("another end in pieces of %zu", piece);
    }
    return whole;
}

} // namespace

class TestHttpBody : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void bodiesEndWhereTheirLengthSays()
    {
        QCOMPARE(follow({}, "GET /"s), (Followed{ParseState::Done, 0, {}}));
        QCOMPARE(follow({HttpBody::Framing::Length, 0}, "GET /"s), (Followed{ParseState::Done, 0, {}}));
        QCOMPARE(follow({HttpBody::Framing::Length, 5}, "helloGET /"s), (Followed{ParseState::Done, 5, {}}));
        QCOMPARE(follow({HttpBody::Framing::Length, 9}, "hello"s), (Followed{ParseState::NeedMore, 5, {}}));
        QCOMPARE(follow({HttpBody::Framing::UntilClose, 0}, "hello"s), (Followed{ParseState::NeedMore, 5, {}}));
    }

    void chunksEndWithTheLastOne()
    {
        for (const std::string &bytes :
             {"0\r\n\r\n"s, "5\r\nhello\r\n0\r\n\r\n"s,
              "5\r\nhello\r\n00c;name=\"v\"\r\n0\r\n\r\nworld!!\r\n000\r\n\r\n"s,
              "a  \r\n0123456789\r\n0 \t;x\r\n\r\n"s, "A\r\n0123456789\r\n0\r\nX: y\r\nZ: \xc3\xa4\r\n\r\n"s,
              "1\r\n\r\r\n1\r\n\n\r\n1\r\n\0\r\n0\r\n\r\n"s}) {
            QCOMPARE(follow(inChunks, bytes + "GET / HTTP/1.1\r\n"s), (Followed{ParseState::Done, bytes.size(), {}}));
            QCOMPARE(follow(inChunks, bytes.substr(0, bytes.size() - 1)).state, ParseState::NeedMore);
        }
    }

    void badChunksAreRefused_data()
    {
        QTest::addColumn<std::string>("bytes");
        const auto row = [](const char *name, const std::string &bytes) { QTest::newRow(name) << bytes; };
        row("no size", "\r\n\r\n"s);
        row("extension without a size", ";x\r\n"s);
        row("blank before the size", " 5\r\nhello\r\n"s);
        row("0x", "0x5\r\nhello\r\n"s);
        row("plus", "+5\r\nhello\r\n"s);
        row("minus", "-1\r\n"s);
        row("no number", "5g\r\nhello\r\n"s);
        row("underscore", "1_0\r\n"s);
        row("two sizes", "5 6\r\nhello\r\n"s);
        row("16 digits", "8000000000000000\r\n"s);
        row("many zeros", "0000000000000000\r\n"s);
        row("LF only", "5\nhello\r\n"s);
        row("LF in an extension", "5;\nhello\r\n"s);
        row("CR in an extension", "5;\rx\r\nhello\r\n"s);
        row("NUL in an extension", "5;\0\r\nhello\r\n"s);
        row("long extension", "5;"s + std::string(300, 'x') + "\r\nhello\r\n"s);
        row("many blanks", "5"s + std::string(300, ' ') + "\r\nhello\r\n"s);
        row("longer than its size", "5\r\nhello!\r\n"s);
        row("no CR after the data", "5\r\nhello!\n0\r\n\r\n"s);
        row("LF after the data", "5\r\nhello\n0\r\n\r\n"s);
        row("CR after the data", "5\r\nhello\r0\r\n\r\n"s);
        row("LF for an end", "0\r\n\n"s);
        row("trailer that goes on", "0\r\nX: y\r\n z\r\n\r\n"s);
        row("trailer with LF", "0\r\nX: y\n\r\n"s);
        row("trailer with CR", "0\r\nX: y\rz\r\n\r\n"s);
        row("trailer with NUL", "0\r\nX: \0\r\n\r\n"s);
        row("control character first", "0\r\n\1\r\n\r\n"s);
        row("long trailers", "0\r\nX: "s + std::string(9000, 'x') + "\r\n\r\n"s);
    }

    void badChunksAreRefused()
    {
        QFETCH(std::string, bytes);
        const auto followed = bytes.size() > 1000 ? follow(inChunks, bytes, 7) : follow(inChunks, bytes);
        QCOMPARE(followed.state, ParseState::Malformed);
        QVERIFY(!followed.fault.empty());
        QVERIFY(followed.used < bytes.size());
    }

    void whatNeedsNoLookingAtCanBeSkipped()
    {
        HttpBodyFollower length({HttpBody::Framing::Length, 10});
        QCOMPARE(length.opaque(), 10U);
        length.skip(4);
        QCOMPARE(length.follow("abc"), 3U);
        QCOMPARE(length.opaque(), 3U);
        length.skip(3);
        QCOMPARE(length.state(), ParseState::Done);
        QCOMPARE(length.opaque(), 0U);

        HttpBodyFollower chunks(inChunks);
        QCOMPARE(chunks.opaque(), 0U);
        QCOMPARE(chunks.follow("fffffffffffffff\r\nab"), 19U);
        QCOMPARE(chunks.opaque(), 0xfffffffffffffffU - 2);
        chunks.skip(chunks.opaque());
        QCOMPARE(chunks.opaque(), 0U);
        QCOMPARE(chunks.follow("\r\n0\r\n\r\nx"), 7U);
        QCOMPARE(chunks.state(), ParseState::Done);

        HttpBodyFollower rest({HttpBody::Framing::UntilClose, 0});
        QCOMPARE(rest.opaque(), std::numeric_limits<std::uint64_t>::max());
        rest.skip(rest.opaque());
        QCOMPARE(rest.state(), ParseState::NeedMore);
    }
};

QTEST_GUILESS_MAIN(TestHttpBody)
#include "tst_httpbody.moc"
