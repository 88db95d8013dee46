// SPDX-License-Identifier: Apache-2.0
// Pictures are decoded in a real sandbox, and what is none is a sentence.
#include "engine/pictures/pictures.h"

#include "engine/sandbox/native/native.h"

#include <QBuffer>
#include <QDir>
#include <QElapsedTimer>
#include <QImage>
#include <QImageReader>
#include <QImageWriter>
#include <QLibraryInfo>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <QtEndian>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

constexpr QRgb paint = qRgb(200, 30, 90);

QByteArray encoded(const QImage &image, const char *format)
{
    QBuffer buffer;
    return image.save(&buffer, format, 100) ? buffer.data() : QByteArray();
}

QByteArray painted(int width, int height, const char *format)
{
    QImage image(width, height, QImage::Format_RGB32);
    image.fill(paint);
    return encoded(image, format);
}

QRgb firstPixel(const Picture &picture)
{
    return qRgb(uchar(picture.pixels[0]), uchar(picture.pixels[1]), uchar(picture.pixels[2]));
}

quint32 crc32Of(const QByteArray &bytes)
{
    quint32 crc = 0xffffffff;
    for (const char byte : bytes) {
        crc ^= uchar(byte);
        for (int bit = 0; bit < 8; ++bit)
            crc = (crc >> 1) ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc;
}

// A small PNG whose header says something else (RFC 2083: length and "IHDR" before, 13 bytes, then their CRC).
QByteArray pngSaying(quint32 width, quint32 height)
{
    QByteArray png = painted(4, 4, "png");
    qToBigEndian(width, png.data() + 16);
    qToBigEndian(height, png.data() + 20);
    qToBigEndian(crc32Of(png.sliced(12, 17)), png.data() + 29);
    return png;
}

} // namespace

class TestPictures : public QObject
{
    Q_OBJECT

private:
    std::shared_ptr<Backend> m_backend = makeNativeBackend(QStringLiteral(GLOVEBOX_LIBEXEC), u"pictures"_s);

    Result<Picture> decode(QStringView type, const QByteArray &content)
    {
        return decodePicture(*m_backend, QStringLiteral(GLOVEBOX_LIBEXEC), type, content);
    }

private Q_SLOTS:
    void eachTypeIsDecoded_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QSize>("size");
        for (const char *format : {"png", "jpeg", "bmp", "webp"}) {
            if (QImageWriter::supportedImageFormats().contains(format))
                QTest::newRow(format) << painted(40, 20, format) << QSize(40, 20);
        }
        // GIF89a: one pixel of the second of two colours.
        const QByteArray gif("GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xc8\x1e\x5a,\0\0\0\0\x01\0\x01\0\0\x02\x02\x4c\x01\0;",
                             35);
        QTest::newRow("gif") << gif << QSize(1, 1);
    }
    void eachTypeIsDecoded()
    {
        QFETCH(QByteArray, content);
        QFETCH(QSize, size);
        const QString type = u"image/"_s + QString::fromLatin1(QTest::currentDataTag());
        QVERIFY(isDecodable(type));
        const auto picture = decode(type, content);
        QVERIFY2(picture, picture ? "" : qPrintable(picture.error().message.english()));
        QCOMPARE(picture->size, size);
        QCOMPARE(picture->originalSize, size);
        QVERIFY(!picture->isAnimated);
        QCOMPARE(picture->pixels.size(), qsizetype(size.width()) * size.height() * 4);
        const QRgb first = firstPixel(*picture);
        QVERIFY2(qAbs(qRed(first) - qRed(paint)) < 8 && qAbs(qBlue(first) - qBlue(paint)) < 8, "another colour");
    }

    void aTypeThatQtDoesNotKnowHereIsSaidToBe()
    {
        const bool isKnown = QImageReader::supportedImageFormats().contains("webp");
        const auto picture = decode(u"image/webp", QByteArray("RIFF\x1a\0\0\0WEBPVP8L", 16));
        QVERIFY(!picture);
        QCOMPARE(picture.error().code, isKnown ? ErrorCode::Damaged : ErrorCode::Unavailable); // half a header
    }

    void aLargeOneIsMadeSmaller()
    {
        const auto picture = decode(u"image/png", painted(6000, 1500, "png"));
        QVERIFY(picture);
        QCOMPARE(picture->size, QSize(2048, 512));
        QCOMPARE(picture->originalSize, QSize(6000, 1500));
        const auto line = decode(u"image/png", painted(20'000, 1, "png"));
        QVERIFY(line);
        QCOMPARE(line->size, QSize(2048, 1));
    }

    void oneOfTooManyPixelsIsNotDecoded()
    {
        const auto picture = decode(u"image/png", pngSaying(60'000, 60'000));
        QVERIFY(!picture);
        QCOMPARE(picture.error().code, ErrorCode::Unsupported);
        QVERIFY(picture.error().message.english().contains(u"60000 by 60000"_s));
    }

    void whatIsNoPictureOfItsTypeIsASentence_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::newRow("nothing") << QByteArray();
        QTest::newRow("another type") << painted(4, 4, "bmp");
        QTest::newRow("SVG") << QByteArray("<svg xmlns='http://www.w3.org/2000/svg' width='8' height='8'/>");
        QTest::newRow("icon") << QByteArray("\0\0\1\0\1\0\x10\x10\0\0\1\0\x20\0", 14);
        QTest::newRow("cut off") << painted(400, 400, "png").first(200);
        QTest::newRow("header alone") << pngSaying(4, 4).first(33);
        QTest::newRow("wrong width") << pngSaying(4000, 4);
        QTest::newRow("no width") << pngSaying(0, 4);
        QTest::newRow("more than a PNG can") << pngSaying(0xffffffff, 0xffffffff);
    }
    void whatIsNoPictureOfItsTypeIsASentence()
    {
        QFETCH(QByteArray, content);
        const auto picture = decode(u"image/png", content);
        QVERIFY(!picture);
        QCOMPARE(picture.error().code, ErrorCode::Damaged);
    }

    void otherTypesAreNotDecoded()
    {
        for (const QStringView type : {u"image/svg+xml", u"image/x-icon", u"image/", u"text/plain", u"png"})
            QVERIFY(!isDecodable(type));
    }

    // A program that has been taken over says what it likes.
    void theDecodersWordIsNotTaken_data()
    {
        QTest::addColumn<QByteArray>("script");
        QTest::newRow("nothing") << QByteArray("true");
        const QByteArray whole("[ -e /work/picture ] || exit 2; ");
        QTest::newRow("failure") << whole + "exit 1";
        QTest::newRow("crash") << whole + "kill -SEGV $$";
        QTest::newRow("missing library")
            << whole + "echo 'a: error while loading shared libraries: libevil.so.1: cannot open' >&2; exit 127";
        QTest::newRow("missing plugin") << whole + "echo '(libevil.so.1: cannot open' >&2; exit 4";
        QTest::newRow("too much") << QByteArray("head -c 40M /dev/zero");
        // "1vlg", then 4096 by 1: as many bytes as it says, but a side that nobody asked for.
        QTest::newRow("too wide") << QByteArray(
            "printf '1vlg\\0\\20\\0\\0\\1\\0\\0\\0\\0\\20\\0\\0\\1\\0\\0\\0\\0\\0\\0\\0'; head -c 16384 "
            "/dev/zero");
        QTest::newRow("too little") << QByteArray(
            "printf '1vlg\\2\\0\\0\\0\\2\\0\\0\\0\\2\\0\\0\\0\\2\\0\\0\\0\\0\\0\\0\\0'; head -c 15 /dev/zero");
        QTest::newRow("unknown") << QByteArray(
            "printf 'xxxx\\2\\0\\0\\0\\2\\0\\0\\0\\2\\0\\0\\0\\2\\0\\0\\0\\0\\0\\0\\0'; head -c 16 /dev/zero");
    }
    void theDecodersWordIsNotTaken()
    {
        QFETCH(QByteArray, script);
        const QTemporaryDir folder(u"/var/tmp/glovebox-test-XXXXXX"_s);
        QVERIFY(QFile::setPermissions(folder.path(), QFile::Permissions(0x7755)));
        QFile program(folder.filePath(u"glovebox-picture"_s));
        QVERIFY(program.open(QIODevice::WriteOnly) && program.write("#!/bin/bash\n" + script + '\n') > 0);
        program.close();
        QVERIFY(program.setPermissions(QFile::Permissions(0x7755)));
        const auto picture = decodePicture(*m_backend, folder.path(), u"image/png", painted(2, 2, "png"));
        QVERIFY(!picture);
        QCOMPARE(picture.error().code, ErrorCode::Damaged);
    }

    void theDecoderHasFiveSecondsAndHalfAGigabyte_data()
    {
        QTest::addColumn<QByteArray>("script");
        QTest::addColumn<bool>("isTooMuch");
        QTest::newRow("400 MB") << QByteArray("b = bytearray(b'x') * (400 << 20)") << false;
        QTest::newRow("600 MB") << QByteArray("b = bytearray(b'x') * (600 << 20)") << true;
        QTest::newRow("2 s") << QByteArray("import time; time.sleep(2)") << false;
        QTest::newRow("for ever") << QByteArray("import time; time.sleep(60)") << true;
        QTest::newRow("1 s of the processor")
            << QByteArray("import time\nwhile time.process_time() < 1: pass") << false;
        QTest::newRow("threads, 3 s each")
            << QByteArray("import hashlib, threading, time\n"
                          "def burn():\n"
                          "    while time.thread_time() < 3: hashlib.sha256(bytes(1 << 20))\n"
                          "all = [threading.Thread(target=burn) for _ in range(4)]\n"
                          "[t.start() for t in all]; [t.join() for t in all]")
            << true;
    }
    void theDecoderHasFiveSecondsAndHalfAGigabyte()
    {
        QFETCH(QByteArray, script);
        QFETCH(bool, isTooMuch);
        const QTemporaryDir folder(u"/var/tmp/glovebox-test-XXXXXX"_s);
        QVERIFY(QFile::setPermissions(folder.path(), QFile::Permissions(0x7755)));
        QFile program(folder.filePath(u"glovebox-picture"_s));
        QVERIFY(program.open(QIODevice::WriteOnly) && program.write("#!/usr/bin/python3\n" + script + '\n') > 0);
        program.close();
        QVERIFY(program.setPermissions(QFile::Permissions(0x7755)));
        QElapsedTimer clock;
        clock.start();
        const auto picture = decodePicture(*m_backend, folder.path(), u"image/png", painted(2, 2, "png"));
        QVERIFY(!picture);
        QCOMPARE(picture.error().code, isTooMuch ? ErrorCode::Unsupported : ErrorCode::Damaged);
        QCOMPARE(picture.error().message.english().contains(u"takes more than 5 s or 512 MB"_s), isTooMuch);
        QVERIFY(clock.elapsed() < 8000);
    }

    // Its formats are known without loading it, and Qt says that the picture is damaged.
    void aPluginThatCanNotBeLoadedIsTold()
    {
        const QString name = u"/imageformats/libqjpeg.so"_s;
        QFile real(QLibraryInfo::path(QLibraryInfo::PluginsPath) + name);
        if (!real.open(QIODevice::ReadOnly))
            QSKIP("JPEG is no plugin of this Qt.");
        QByteArray plugin = real.readAll();
        QVERIFY(plugin.contains("libjpeg.so."));
        const QTemporaryDir folder(u"/var/tmp/glovebox-test-XXXXXX"_s);
        QVERIFY(QFile::setPermissions(folder.path(), QFile::Permissions(0x7755)));
        const auto write = [&folder](const QString &path, const QByteArray &content) {
            QFile file(folder.filePath(path));
            return file.open(QIODevice::WriteOnly) && file.write(content) == content.size()
                   && file.setPermissions(QFile::Permissions(0x7755));
        };
        QVERIFY(QDir(folder.path()).mkdir(u"imageformats"_s));
        QVERIFY(QFile::setPermissions(folder.filePath(u"imageformats"_s), QFile::Permissions(0x7755)));
        QVERIFY(write(u"qt.conf"_s, "[Paths]\nPlugins=" + QFile::encodeName(folder.path()) + '\n'));
        QFile program(QStringLiteral(GLOVEBOX_LIBEXEC "/glovebox-picture"));
        QVERIFY(program.open(QIODevice::ReadOnly) && write(u"glovebox-picture"_s, program.readAll()));

        const QByteArray picture = painted(8, 8, "jpeg");
        const auto decoded = [&] { return decodePicture(*m_backend, folder.path(), u"image/jpeg", picture); };
        QCOMPARE(
            decoded().error().message.english(),
            u"Qt has no decoder for this type here, so the picture isn't shown. Install its package (libqt6gui6 on "
            "Debian and Ubuntu)."_s);
        QVERIFY(write(name.mid(1), plugin));
        QVERIFY(decoded());
        QVERIFY(write(name.mid(1), QByteArray(plugin).replace("libjpeg.so.", "libnone.so.")));
        const QString missing = decoded().error().message.english();
        static const QRegularExpression expected(
            u"^Pictures of this type aren't shown, because the library libnone\\.so\\.(\\d+) is missing\\. Install its "
            "package \\(libnone\\1 on Debian and Ubuntu\\)\\.$"_s);
        QVERIFY2(expected.match(missing).hasMatch(), qPrintable(missing));
    }

    // Whoever gets the file has decoders of their own, which must find what was in the picture.
    void aPictureIsWrittenAsPng()
    {
        QImage image(37, 23, QImage::Format_RGBA8888_Premultiplied);
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x)
                image.setPixel(x, y, qPremultiply(qRgba(x * 6, y * 11, x ^ y, x < 8 ? 0 : 255 - y * 4)));
        }
        Picture picture{image.size(), image.size(), false, {}};
        for (int y = 0; y < image.height(); ++y)
            picture.pixels.append(reinterpret_cast<const char *>(image.constScanLine(y)), qsizetype(image.width()) * 4);
        const QByteArray file = toPng(picture, 64, mebibyte);
        QImage read;
        QVERIFY(read.loadFromData(file, "png"));
        QCOMPARE(read.size(), image.size());
        read.convertTo(QImage::Format_RGBA8888_Premultiplied);
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x) {
                const QRgb is = read.pixel(x, y), was = image.pixel(x, y);
                QVERIFY2(qAlpha(is) == qAlpha(was) && qAbs(qRed(is) - qRed(was)) < 2
                             && qAbs(qGreen(is) - qGreen(was)) < 2 && qAbs(qBlue(is) - qBlue(was)) < 2,
                         qPrintable(u"%1, %2: %3 was %4"_s.arg(x).arg(y).arg(is, 8, 16).arg(was, 8, 16)));
            }
        }
    }

    void aLargePictureIsHalvedUntilItsFileFits()
    {
        Picture noise{QSize(501, 300), QSize(501, 300), false, {}};
        quint32 random = 1;
        for (int i = 0; i < 501 * 300; ++i) {
            random = random * 1664525 + 1013904223; // as in Numerical Recipes
            noise.pixels.append(char(random >> 24))
                .append(char(random >> 16))
                .append(char(random >> 20))
                .append('\xff');
        }
        const auto sizeOf = [](const QByteArray &file) {
            QImage read;
            return read.loadFromData(file, "png") ? read.size() : QSize();
        };
        QCOMPARE(sizeOf(toPng(noise, 501, 2 * mebibyte)), QSize(501, 300));
        QCOMPARE(sizeOf(toPng(noise, 500, 2 * mebibyte)), QSize(251, 150));
        const QByteArray file = toPng(noise, 501, 100 * kibibyte);
        QVERIFY(file.size() <= 100 * kibibyte);
        QCOMPARE(sizeOf(file), QSize(126, 75));
        QCOMPARE(toPng(noise, 501, 60), QByteArray());
        const Picture thin{QSize(2048, 1), QSize(20'000, 1), false, QByteArray(2048 * 4, '\xff')};
        QCOMPARE(sizeOf(toPng(thin, 1024, mebibyte)), QSize(1024, 1));
        // More of a colour than there is of alpha: the decoder's word is not taken.
        const Picture impossible{QSize(1, 1), QSize(1, 1), false, QByteArray("\xff\x80\x00\x01", 4)};
        QImage read;
        QVERIFY(read.loadFromData(toPng(impossible, 1, mebibyte), "png"));
        QCOMPARE(read.pixel(0, 0), qRgba(255, 255, 0, 1));
    }

    void nobodyDecodesWithoutASandbox()
    {
        const auto none = makeNativeBackend(QStringLiteral(GLOVEBOX_LIBEXEC), u"none"_s,
                                            {.only = NativeBuilder::Bubblewrap, .bubblewrap = u"/no/bwrap"_s});
        const auto unsealed =
            decodePicture(*none, QStringLiteral(GLOVEBOX_LIBEXEC), u"image/png", painted(2, 2, "png"));
        QVERIFY(!unsealed && !unsealed.error().message.isEmpty());
        const auto missing = decodePicture(*m_backend, u"/no/such/folder"_s, u"image/png", painted(2, 2, "png"));
        QVERIFY(!missing);
        QCOMPARE(missing.error().code, ErrorCode::Unavailable);
    }
};

QTEST_GUILESS_MAIN(TestPictures)
#include "tst_pictures.moc"
