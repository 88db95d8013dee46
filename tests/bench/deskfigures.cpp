// SPDX-License-Identifier: Apache-2.0
// The limits are asserted by tst_flood and tst_editorpane; here they are told as ratios, for a person to compare.
#include "deskfigures.h"

#include "app/workbench/bench/benchpage.h"
#include "app/workbench/editor/code/codeeditor.h"
#include "app/workbench/editor/editorpane.h"
#include "app/workbench/editor/file/codefile.h"
#include "measure.h"
#include "tests/app/workbench/desk/desk.h"

#include <QFile>
#include <QPlainTextEdit>

#include <cstdio>
#include <unistd.h>

namespace glovebox::bench {

using namespace Qt::StringLiterals;

namespace {

qint64 residentBytes()
{
    QFile file(u"/proc/self/statm"_s); // proc(5): size resident ..., in pages
    return file.open(QIODevice::ReadOnly) ? file.readAll().split(' ').value(1).toLongLong() * ::sysconf(_SC_PAGESIZE)
                                          : 0;
}

bool waitForEnd(BenchTab &tab)
{
    return QTest::qWaitFor([&tab] { return tab.runs().current() && tab.runs().current()->isDone(); }, 300'000);
}

bool printFlood()
{
    Desk desk;
    desk.show();
    desk.openEngine();
    BenchTab &tab = *qobject_cast<BenchPage *>(desk.frame.page(u"bench"_s))->current();
    tab.editor().setText(u"print('warm')\n"_s, true); // what is loaded once isn't growth
    tab.run(false);
    if (!waitForEnd(tab))
        return false;
    Desk::settle();
    const qint64 before = residentBytes();
    qint64 most = before;
    QTimer sampler;
    QObject::connect(&sampler, &QTimer::timeout, &sampler, [&most] { most = std::max(most, residentBytes()); });
    sampler.start(20);
    QElapsedTimer time;
    time.start();
    tab.editor().setText(
        u"import sys\npiece = b'a line of ordinary length, as programs print them\\n' * 20000\n"
        "left = 1 << 30\nwhile left > 0:\n    sys.stdout.buffer.write(piece)\n    left -= len(piece)\n"_s,
        true);
    tab.run(false);
    if (!waitForEnd(tab) || tab.runs().current()->result()->out.totalBytes < qint64(1) << 30)
        return false;
    std::printf("\n1 GiB of output: %.1f s; the window grew by %.1f MiB, %.3f x of what it held (promised: < 64 MiB)\n",
                double(time.elapsed()) / 1000, double(most - before) / double(mebibyte),
                double(most - before) / double(before));
    return true;
}

// From the text in memory to the first typed letter painted; the rest of it may still be on its way.
bool printLargeFile(int rounds)
{
    const QTemporaryDir folder;
    QByteArray bytes;
    while (bytes.size() < 10'000'000)
        bytes += "    value = compute(1, \"some text\")  # remark\n";
    const QString path = folder.filePath(u"large.py"_s);
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
        return false;
    file.close();
    const auto read = readCodeFile(path);
    if (!read)
        return false;
    const auto type = [](QWidget &window, QPlainTextEdit &editor) {
        QTest::keyClicks(&editor, u"x"_s);
        editor.viewport()->repaint();
        window.hide();
        return true;
    };
    Desk desk;
    std::vector<Series> all;
    all.push_back({"bare editor, not highlighted",
                   timed([&] {
                       QPlainTextEdit editor;
                       editor.resize(1000, 700);
                       editor.show();
                       editor.setPlainText(read->text);
                       return type(editor, editor);
                   }),
                   {},
                   {}});
    all.push_back({"the workbench's editor",
                   timed([&] {
                       EditorPane pane(desk.context);
                       pane.resize(1000, 700);
                       pane.show();
                       pane.setFile(path, *read);
                       return type(pane, pane.editor());
                   }),
                   "<= 300 ms",
                   {}});
    if (!measure(all, rounds))
        return false;
    print("a file of 10 MB, until a letter is typed into it", all);
    return true;
}

} // namespace

int printDeskFigures(int argc, char **argv)
{
    Application application(argc, argv);
    QApplication::setQuitOnLastWindowClosed(false);
    return printLargeFile(10) && printFlood() ? 0 : 1;
}

} // namespace glovebox::bench
