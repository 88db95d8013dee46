// SPDX-License-Identifier: Apache-2.0
// The files that a run left are listed, shown, verified and released where the run is, and in the history.
#include "benchseat.h"

#include "app/workbench/runpanel/artifacts/artifactstab.h"

#include <QApplication>
#include <QDir>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTreeView>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestBenchArtifacts : public QObject, BenchSeat
{
    Q_OBJECT

private:
    QString summary() { return inTab<QLabel>("bench.artifacts.summary")->text(); }
    QString remark() { return inTab<QLabel>("bench.artifacts.preview.remark")->text(); }
    QString shownText() { return inTab<QPlainTextEdit>("bench.artifacts.preview.text")->toPlainText(); }

    void runCode(const QString &code)
    {
        run(code);
        waitForEnd();
        tab()->runs().showTab(u"artifacts"_s);
    }
    void choose(int row)
    {
        auto *list = inTab<QTreeView>("bench.artifacts.list");
        list->setCurrentIndex(list->model()->index(row, 0));
    }

private Q_SLOTS:
    void init() { sitDown(); }
    void cleanup() { m_desk.reset(); }

    void filesAreListedAndShown()
    {
        auto *files = qobject_cast<ArtifactsTab *>(tab()->runs().tab(u"artifacts"_s));
        QVERIFY(files);
        QCOMPARE(files->title(), u"Files"_s);
        runCode(
            u"import os\nopen('a.csv', 'w').write('x,y\\n1,2\\n3,4\\n')\nopen('b.txt', 'w').write('hello\\u202e')\n"
            "open('c.png', 'wb').write(b'\\x89PNG\\r\\n\\x1a\\n' + b'x' * 20)\nopen('d.bin', 'wb').write(b'\\0\\xff')\n"
            "os.symlink('/etc/passwd', 'link')\n"_s);
        QCOMPARE(files->title(), u"Files · 4"_s);
        QVERIFY2(summary().startsWith(u"4 files"_s) && summary().contains(u"link"_s), qPrintable(summary()));
        auto *table = inTab<QTreeView>("bench.artifacts.preview.table");
        QTRY_VERIFY(table->isVisible());
        QCOMPARE(table->model()->rowCount(), 2);
        QCOMPARE(table->model()->index(1, 1).data().toString(), u"4"_s);
        QVERIFY(m_desk->save(u"bench-artifacts"_s));
        choose(1);
        QTRY_COMPARE(shownText(), u"hello\\u{202e}"_s);
        QVERIFY(!table->isVisible());
        choose(2);
        QTRY_VERIFY2(remark().startsWith(u"This picture is damaged"_s), qPrintable(remark()));
        choose(3);
        QTRY_VERIFY2(remark().contains(u"not text"_s), qPrintable(remark()));
        QCOMPARE(shownText(), QString());
    }

    void filesAreVerifiedAndWhatWasChangedIsTold()
    {
        runCode(u"open('a.txt', 'w').write('hello')\n"_s);
        auto *files = qobject_cast<ArtifactsTab *>(tab()->runs().tab(u"artifacts"_s));
        QTest::mouseClick(inTab<QPushButton>("bench.artifacts.verify"), Qt::LeftButton);
        QTRY_COMPARE(summary(), u"The 1 file is as it was kept."_s);
        const Artifact artifact = tab()->runs().current()->result()->artifacts.value(0);
        const QString hex = QString::fromLatin1(artifact.digest.toHex());
        QFile stored(m_desk->context.engine()->store().folder() + u'/' + hex.first(2) + u'/' + hex.sliced(2));
        QVERIFY(stored.open(QIODevice::Append) && stored.write("x") == 1);
        stored.close();
        files->verify();
        QTRY_VERIFY2(summary().startsWith(u"▲ 1 file"_s), qPrintable(summary()));
    }

    void picturesAreShown()
    {
        runCode(u"import struct, zlib\n"
                "def chunk(kind, data):\n"
                "    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))\n"
                "rows = b''.join(b'\\0' + bytes([200, 30, 90, 128 if y % 2 else 255]) * 300 for y in range(200))\n"
                "open('a.png', 'wb').write(b'\\x89PNG\\r\\n\\x1a\\n'\n"
                "    + chunk(b'IHDR', struct.pack('>IIBBBBB', 300, 200, 8, 6, 0, 0, 0))\n"
                "    + chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b''))\n"
                "open('b.txt', 'w').write('text')\n"_s);
        auto *picture = inTab<QWidget>("bench.artifacts.preview.picture");
        QTRY_VERIFY_WITH_TIMEOUT(picture->isVisible(), 15'000);
        QCOMPARE(remark(), u"300 × 200 pixels."_s);
        QCOMPARE(picture->grab().toImage().pixelColor(Space::m + 1, Space::s), QColor(200, 30, 90));
        QVERIFY(m_desk->save(u"bench-artifacts-picture"_s));
        choose(1);
        QTRY_COMPARE(shownText(), u"text"_s);
        QVERIFY(!picture->isVisible());
        const auto *list = inTab<QTreeView>("bench.artifacts.list");
        QVERIFY(list->model()->flags(list->currentIndex()) & Qt::ItemIsDragEnabled);
    }

    void aNarrowTabHasRoomForItsWords()
    {
        ArtifactsTab files(m_desk->context, u"narrow"_s);
        const QString path = u"results/of/a/long/way/down/final-report-of-the-quarter-with-a-long-name.txt"_s;
        files.setArtifacts(u"run"_s, {{.path = path, .digest = sha256({}), .mediaType = u"text/plain"_s}},
                           {Text("Symbolic links aren't kept, as they may lead anywhere: link (1 in all).")}, {});
        files.resize(420, 500);
        files.show();
        QVERIFY(QTest::qWaitForWindowExposed(&files));
        const auto *list = files.findChild<QTreeView *>(u"narrow.artifacts.list"_s);
        const auto *summary = files.findChild<QLabel *>(u"narrow.artifacts.summary"_s);
        QVERIFY(list && summary);
        QTRY_VERIFY(summary->width() > 350);
        QVERIFY(list->isColumnHidden(ArtifactsModel::Type));
        const QRect state = list->visualRect(list->model()->index(0, ArtifactsModel::State));
        QVERIFY(state.isValid() && list->viewport()->rect().contains(state));
        files.resize(1200, 500);
        QTRY_VERIFY(!list->isColumnHidden(ArtifactsModel::Type));
    }

    // Nothing leaves the window before the person said so.
    void openingElsewhereAsksFirst()
    {
        runCode(u"open('a.txt', 'w').write('hello')\n"_s);
        QTest::mouseClick(inTab<QPushButton>("bench.artifacts.open"), Qt::LeftButton);
        QVERIFY2(summary().contains(u"outside of any sandbox"_s), qPrintable(summary()));
        auto *no = inTab<QPushButton>("bench.artifacts.keep");
        QVERIFY(no->hasFocus());
        QTest::keyClick(no, Qt::Key_Space);
        QVERIFY(summary().startsWith(u"1 file"_s));
        QVERIFY(inTab<QTreeView>("bench.artifacts.list")->hasFocus());
        QVERIFY(!no->isVisible());
    }

    void anotherRunHasItsOwnFiles()
    {
        runCode(u"open('a.txt', 'w').write('hello')\n"_s);
        QTRY_COMPARE(shownText(), u"hello"_s);
        runCode(u"print(1)\n"_s);
        QCOMPARE(tab()->runs().tab(u"artifacts"_s)->title(), u"Files"_s);
        QCOMPARE(summary(), u"The run left no files in /work that are kept."_s);
        QVERIFY(!inTab<QTreeView>("bench.artifacts.list")->isVisible());
    }
};

GLOVEBOX_TEST_MAIN(TestBenchArtifacts)
#include "tst_benchartifacts.moc"
