// SPDX-License-Identifier: Apache-2.0
// The files that a run left are listed, shown, verified and released where the run is, and in the history.
#include "benchseat.h"

#include "app/workbench/runpanel/artifacts/artifactstab.h"
#include "app/workbench/shell/words/words.h"

#include <QApplication>
#include <QDesktopServices>
#include <QDir>
#include <QFileDialog>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPointer>
#include <QPushButton>
#include <QScopeGuard>
#include <QTreeView>
#include <QUrl>

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
    void runLeaving(int files)
    {
        runCode(u"for i in range(%1):\n    open(f'{i}.txt', 'w').write(str(i))\n"_s.arg(files));
        QVERIFY(
            QTest::qWaitFor([&] { return inTab<QTreeView>("bench.artifacts.list")->model()->rowCount() == files; }));
    }
    // In a folder of the person's, as they choose it in the dialog.
    void chooseIn(const QString &folder, const QString &name = {})
    {
        QFileDialog *dialog = nullptr; // one that was closed may still be there
        const auto isOpen = [&] {
            for (auto *each : tab()->findChildren<QFileDialog *>())
                dialog = each->isVisible() ? each : dialog;
            return dialog != nullptr;
        };
        QTRY_VERIFY(isOpen());
        dialog->setDirectory(folder);
        if (!name.isEmpty())
            dialog->selectFile(name);
        QMetaObject::invokeMethod(dialog, "accept");
    }
    QStringList savedIn(const QString &folder) const
    {
        const QString place = QDir(folder).filePath(QDir(folder).entryList({u"run-*"_s}, QDir::Dirs).value(0));
        return QDir(place).entryList(QDir::Files, QDir::Name);
    }
    void choose(int row)
    {
        auto *list = inTab<QTreeView>("bench.artifacts.list");
        list->setCurrentIndex(list->model()->index(row, 0));
    }

    QUrl m_opened;

public Q_SLOTS:
    void takeUrl(const QUrl &url) { m_opened = url; }

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

    void aByteIsOne()
    {
        QCOMPARE(sizeWord(0), u"0 bytes"_s);
        QCOMPARE(sizeWord(1), u"1 byte"_s);
        QCOMPARE(sizeWord(867), u"867 bytes"_s);
        QCOMPARE(sizeWord(1024), u"1 KB"_s);
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

    void allFilesAreSavedWhereThePersonSays()
    {
        runCode(
            u"import os\nopen('a.txt', 'w').write('hello')\nos.mkdir('d')\nopen('d/b.bin', 'wb').write(b'\\0')\n"_s);
        const QTemporaryDir folder;
        QTest::mouseClick(inTab<QPushButton>("bench.artifacts.saveall"), Qt::LeftButton);
        chooseIn(folder.path());
        QTRY_VERIFY2(summary().startsWith(u"2 files saved in "_s + folder.path() + u"/run-"_s), qPrintable(summary()));
        QCOMPARE(savedIn(folder.path()), QStringList{u"a.txt"_s});
        const QString place = summary().section(u" in "_s, 1).chopped(1);
        QVERIFY(QFile::exists(place + u"/d/b.bin"_s));

        // Nothing is put among what is there already.
        QTest::mouseClick(inTab<QPushButton>("bench.artifacts.saveall"), Qt::LeftButton);
        chooseIn(folder.path());
        QTRY_VERIFY2(summary().startsWith(u"There is something in the folder"_s), qPrintable(summary()));
    }

    // A word while it goes on, a way to end it, and a question before the tab or the window ends it.
    void savingManyFilesIsSaidAndCanBeCancelled()
    {
        constexpr int all = 600;
        runLeaving(all);
        const QTemporaryDir folder;
        QTest::mouseClick(inTab<QPushButton>("bench.artifacts.saveall"), Qt::LeftButton);
        chooseIn(folder.path());
        QVERIFY2(summary().startsWith(u"Saving 600 files in "_s), qPrintable(summary()));
        QVERIFY2(m_page->closingEnds().startsWith(u"600 files of a run are being saved"_s),
                 qPrintable(m_page->closingEnds()));
        auto *cancel = inTab<QPushButton>("bench.artifacts.keep");
        QCOMPARE(cancel->text(), u"Cancel"_s);
        QTest::mouseClick(cancel, Qt::LeftButton);
        QTRY_VERIFY2(summary().startsWith(u"Cancelled: "_s), qPrintable(summary()));
        QVERIFY(savedIn(folder.path()).size() < all);
        QVERIFY(m_page->closingEnds().isEmpty());
        QCOMPARE(cancel->isVisible(), false);
    }

    void closingInTheMiddleOfSavingEndsIt()
    {
        constexpr int all = 600;
        runLeaving(all);
        const QTemporaryDir folder;
        QTest::mouseClick(inTab<QPushButton>("bench.artifacts.saveall"), Qt::LeftButton);
        chooseIn(folder.path());
        m_desk.reset(); // the window goes, and the engine after it
        QVERIFY2(savedIn(folder.path()).size() < all, qPrintable(QString::number(savedIn(folder.path()).size())));
    }

    void theFilesHaveCommands()
    {
        const auto can = [&](const QString &id) { return m_desk->context.actions().action(id)->isEnabled(); };
        for (const QString &id : {u"bench.files.save"_s, u"bench.files.saveall"_s, u"bench.files.verify"_s}) {
            QVERIFY2(m_desk->context.actions().action(id), qPrintable(id));
            QVERIFY2(!can(id), qPrintable(id));
        }
        run(u"open('a.txt', 'w').write('hello')\n"_s);
        waitForEnd();
        QTRY_VERIFY(can(u"bench.files.verify"_s));
        QVERIFY(trigger("bench.files.verify"));
        QTRY_COMPARE(summary(), u"The 1 file is as it was kept."_s);
        const QTemporaryDir folder;
        QVERIFY(trigger("bench.files.save"));
        chooseIn(folder.path(), u"mine.txt"_s);
        QTRY_COMPARE(summary(), u"Saved as %1/mine.txt."_s.arg(folder.path()));
    }

    // A file that holds a lent secret's value waits for the person's word, and has an entry in the log after it.
    void aWithheldFileIsReleasedOnTheWordOfThePerson()
    {
        const Caller caller{.kind = Caller::Kind::Workbench, .pid = 1, .program = {}, .claimed = {}};
        QVERIFY(m_desk->context.engine()->vault().add(u"KEY"_s, {}, {}, SecretValue::copyOf("a value of length"),
                                                      caller, Patience()));
        tab()->editor().setText(u"import os\nopen('k.txt', 'w').write(os.environ['KEY'])\n"_s, true);
        tab()->chooseLanguage(u"python"_s);
        tab()->policy().setSecrets({{u"KEY"_s, {}, false}});
        QVERIFY(trigger("bench.run"));
        waitForEnd();
        tab()->runs().showTab(u"artifacts"_s);
        auto *files = tab()->runs().tab(u"artifacts"_s);
        QVERIFY(files->needsLook());
        QVERIFY(!inTab<QPushButton>("bench.artifacts.save")->isVisible());
        QTest::mouseClick(inTab<QPushButton>("bench.artifacts.release"), Qt::LeftButton);
        QVERIFY2(summary().startsWith(u"Release k.txt? The file holds the value of KEY."_s), qPrintable(summary()));
        QVERIFY(inTab<QPushButton>("bench.artifacts.keep")->hasFocus());
        QTest::mouseClick(inTab<QPushButton>("bench.artifacts.really"), Qt::LeftButton);
        QTRY_COMPARE(summary(), u"The file was released. The log has an entry about it."_s);
        QVERIFY(!files->needsLook());
        QTRY_COMPARE(shownText(), u"a value of length"_s);
        const auto reader = m_desk->context.engine()->auditReader();
        const auto entries = (*reader)->entriesOf(tab()->runs().current()->result()->id);
        QVERIFY(std::ranges::any_of(
            *entries, [](const StoredEntry &entry) { return entry.json.contains("\"artifact.released\""); }));
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

    void manyFilesComeIntoSightWithoutAStall()
    {
        constexpr int many = 900;
        constexpr qint64 stallMilliseconds = 50;
        auto *files = qobject_cast<ArtifactsTab *>(tab()->runs().tab(u"artifacts"_s));
        tab()->runs().showTab(u"output"_s);
        QList<Artifact> artifacts;
        for (int i = 0; i < many; ++i)
            artifacts.append({.path = u"results/part-%1.bin"_s.arg(i),
                              .digest = sha256({}),
                              .bytes = 1024 * 1024 + i,
                              .mediaType = u"application/octet-stream"_s});
        auto *application = static_cast<Application *>(QCoreApplication::instance());
        application->watchStalls(true);
        // Inside of events, where the watch sees it.
        QTimer::singleShot(0, files, [&] { files->setArtifacts(u"run"_s, artifacts, {}, {}); });
        Desk::settle();
        const qint64 whenTold = application->takeLongestStall();
        QTimer::singleShot(0, files, [this] { tab()->runs().showTab(u"artifacts"_s); });
        QTRY_VERIFY(inTab<QTreeView>("bench.artifacts.list")->isVisible());
        Desk::settle();
        const qint64 whenShown = application->takeLongestStall();
        application->watchStalls(false);
        qInfo("told: %lld ms, shown: %lld ms", whenTold, whenShown);
        QVERIFY(whenTold < stallMilliseconds);
        QVERIFY(whenShown < stallMilliseconds);
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

    void aFileThatIsOpenElsewhereIsACopyThatLastsAsLongAsItsTab_data()
    {
        QTest::addColumn<bool>("byTab");
        QTest::newRow("the tab closes") << true;
        QTest::newRow("the window closes") << false;
    }
    void aFileThatIsOpenElsewhereIsACopyThatLastsAsLongAsItsTab()
    {
        QFETCH(bool, byTab);
        runCode(u"open('a.txt', 'w').write('hello')\n"_s);
        m_opened.clear();
        QDesktopServices::setUrlHandler(u"file"_s, this, "takeUrl");
        const auto end = qScopeGuard([] { QDesktopServices::unsetUrlHandler(u"file"_s); });
        QTest::mouseClick(inTab<QPushButton>("bench.artifacts.open"), Qt::LeftButton);
        QTest::mouseClick(inTab<QPushButton>("bench.artifacts.really"), Qt::LeftButton);
        QTRY_VERIFY(!m_opened.isEmpty());
        QFile copy(m_opened.toLocalFile());
        QCOMPARE(QFileInfo(copy).fileName(), u"a.txt"_s);
        QVERIFY(copy.open(QIODevice::ReadOnly));
        QCOMPARE(copy.readAll(), QByteArray("hello"));
        runCode(u"print(1)\n"_s); // another run in the same tab
        QVERIFY(copy.exists());
        if (byTab) {
            QVERIFY(trigger("bench.new"));
            QVERIFY(trigger("bench.previous"));
            QVERIFY(copy.exists());
            tab()->editor().setText({}, false);
            const QPointer<BenchTab> closing = tab();
            QVERIFY(trigger("bench.close"));
            QTRY_VERIFY(!closing);
        } else {
            m_desk.reset();
        }
        QVERIFY(!copy.exists() && !QFileInfo::exists(QFileInfo(copy).path()));
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
