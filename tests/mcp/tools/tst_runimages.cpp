// SPDX-License-Identifier: Apache-2.0
// Pictures that a run left come with its answer, decoded sealed and within bounds.
#include "toolfixture.h"

#include "engine/mcp/protocol/results.h"
#include "engine/mcp/runs/shownimages.h"

#include <QJsonDocument>
#include <QSize>
#include <QtEndian>

using namespace glovebox;
using namespace glovebox::mcp;
using namespace Qt::StringLiterals;

namespace {

const QString drawing = uR"(
import os, struct, zlib
def chunk(kind, data):
    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
def png(name, width, height, row, extra=b''):
    rows = b''.join(b'\0' + row() for _ in range(height))
    with open(name, 'wb') as file:
        file.write(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, 8, 2, 0, 0, 0)) + extra
                   + chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b''))
def plain(name, width, height, **more):
    png(name, width, height, lambda: b'\xc8\x1e\x5a' * width, **more)
)"_s;

QSize sizeOf(const Image &image)
{
    if (!image.bytes.startsWith("\x89PNG\r\n\x1a\n") || image.mediaType != u"image/png"_s)
        return {};
    return {qFromBigEndian<int>(image.bytes.constData() + 16), qFromBigEndian<int>(image.bytes.constData() + 20)};
}

} // namespace

class TestRunImages : public ToolFixture
{
    Q_OBJECT

    ToolReply drawn(const QString &code, QJsonObject more = {})
    {
        more[u"language"_s] = u"python"_s;
        more[u"code"_s] = drawing + code;
        const auto reply = call(u"run_code"_s, more);
        if (!reply || reply->structured["outcome"_L1].toString() != u"completed"_s)
            qWarning("%s", reply ? qPrintable(reply->text) : qPrintable(reply.error().message.english()));
        return reply.value_or(ToolReply());
    }

private Q_SLOTS:
    void init() { open(); }
    void cleanup() { close(); }

    void picturesThatARunLeavesAreShown()
    {
        const ToolReply reply =
            drawn(u"plain('plot.png', 40, 20)\nplain('wide.png', 3000, 9)\nopen('a.txt', 'w').write('x')\n"
                  "open('broken.png', 'wb').write(b'\\x89PNG\\r\\n\\x1a\\n' + b'x' * 99)\n"
                  "open('b.svg', 'w').write('<svg xmlns=\"http://www.w3.org/2000/svg\"/>')"_s);
        QCOMPARE(reply.images.size(), 2);
        QCOMPARE(sizeOf(reply.images[0]), QSize(40, 20));
        QVERIFY2(sizeOf(reply.images[1]).width() <= shownImageSideMax, "too wide");
        QVERIFY2(
            reply.text.endsWith(u"\n\nPictures that follow: plot.png (40 by 20 pixels), wide.png (3000 by 9 pixels)"_s),
            qPrintable(reply.text));
        QCOMPARE(reply.structured["artifact_count"_L1].toInt(), 5);
        // Content for clients that show it, and nothing of it where a model would read base64.
        const QJsonObject result = toJson(Revision::R2025_11_25, reply);
        QCOMPARE(result["content"_L1].toArray().size(), 3);
        QCOMPARE(result["content"_L1][1]["type"_L1].toString(), u"image"_s);
        QCOMPARE(QByteArray::fromBase64(result["content"_L1][1]["data"_L1].toString().toLatin1()),
                 reply.images[0].bytes);
        const QByteArray structured = QJsonDocument(result["structuredContent"_L1].toObject()).toJson();
        QVERIFY(!structured.contains(reply.images[0].bytes.toBase64()));
        QCOMPARE(complaintsAboutAnswers(), "");
    }

    void waitRunShowsThemButNotWithEachPage()
    {
        const ToolReply reply = drawn(u"plain('plot.png', 4, 4)"_s);
        const QString run = reply.structured["run"_L1].toString();
        QCOMPARE(call(u"wait_run"_s, {{u"run"_s, run}})->images, reply.images);
        QCOMPARE(call(u"wait_run"_s, {{u"run"_s, run}, {u"cursor"_s, 0}})->images.size(), 0);
    }

    void asManyAndAsLargeAsAnAnswerBears()
    {
        const ToolReply many = drawn(u"for i in range(9): plain('%d.png' % i, 4, 4 + i)"_s);
        QCOMPARE(many.images.size(), shownImagesMax);
        QCOMPARE(sizeOf(many.images[3]), QSize(4, 7));
        const ToolReply noise = drawn(u"for i in range(3): png('%d.png' % i, 900, 900, lambda: os.urandom(2700))"_s);
        QVERIFY(!noise.images.isEmpty());
        qint64 bytes = 0;
        for (const Image &image : noise.images) {
            QVERIFY(sizeOf(image).width() < 900 && sizeOf(image).width() > 8);
            bytes += image.bytes.size();
        }
        QVERIFY(bytes <= shownImageBytesMax);
    }

    void aWithheldOneIsNotShown()
    {
        QVERIFY(m_engine->vault().add(u"KEY"_s, {}, {}, SecretValue::copyOf("correct horse battery"), {},
                                      Patience::of(std::chrono::seconds(5))));
        const QString code = u"plain('with.png', 4, 4, extra=chunk(b'tEXt', b'k\\0' + os.environ['KEY'].encode()))\n"
                             "plain('without.png', 5, 5)"_s;
        const ToolReply reply = drawn(code, {{u"secrets"_s, QJsonArray{u"KEY"_s}}});
        QVERIFY2(reply.text.contains(u"with.png"_s) && reply.text.contains(u"withheld"_s), qPrintable(reply.text));
        QCOMPARE(reply.images.size(), 1);
        QCOMPARE(sizeOf(reply.images[0]), QSize(5, 5));
    }

    // Decoding goes one at a time for each client: another call of the same waits a while, then answers without.
    void aClientsPicturesTakeTurns()
    {
        Turn::Held busy = m_client->pictures.take({});
        const ToolReply reply = drawn(u"plain('plot.png', 4, 4)"_s);
        QCOMPARE(reply.structured["outcome"_L1].toString(), u"completed"_s);
        QCOMPARE(reply.images.size(), 0);
        busy.reset();
        m_client = newClient();
        QCOMPARE(drawn(u"plain('plot.png', 4, 4)"_s).images.size(), 1);
    }
};

QTEST_GUILESS_MAIN(TestRunImages)
#include "tst_runimages.moc"
