// SPDX-License-Identifier: Apache-2.0
// What the workbench costs: how long until it is painted and answers, against a bare window with one highlighted editor, what
// it uses while nobody touches it, while a run floods it, and for a large file. Prints medians and ratios; asserts nothing. Start it on a
// screen: tests/support/xvfb build/dev/tests/bench_workbench
//
// bench_workbench [ROUNDS]   (default 20)
#include "deskfigures.h"
#include "measure.h"

#include <KSyntaxHighlighting/Definition>
#include <KSyntaxHighlighting/Repository>
#include <KSyntaxHighlighting/SyntaxHighlighter>
#include <KSyntaxHighlighting/Theme>

#include <QApplication>
#include <QDir>
#include <QMainWindow>
#include <QPlainTextEdit>
#include <QProcess>
#include <QTemporaryDir>
#include <QThread>
#include <QTimer>

#include <cstdio>

using namespace glovebox::bench;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

const QByteArray painted = "first paint";

// The window that everything is compared with: it says when it was painted and has nothing left to do.
class BareWindow : public QMainWindow
{
    void paintEvent(QPaintEvent *event) override
    {
        QMainWindow::paintEvent(event);
        QTimer::singleShot(0, this, [] {
            std::fprintf(stderr, "%s\n", painted.constData());
            std::fflush(stderr);
        });
    }
};

int showBareWindow(int argc, char **argv)
{
    const QApplication application(argc, argv);
    BareWindow window;
    auto *editor = new QPlainTextEdit(&window);
    const KSyntaxHighlighting::Repository repository;
    KSyntaxHighlighting::SyntaxHighlighter highlighter(editor->document());
    highlighter.setTheme(repository.theme(u"Breeze Light"_s));
    highlighter.setDefinition(repository.definitionForName(u"Python"_s));
    editor->setPlainText(u"print(6 * 7)\n"_s);
    window.setCentralWidget(editor);
    window.resize(1360, 860);
    window.show();
    return QApplication::exec();
}

// Starts it and waits for its first paint. Null: it didn't come.
std::unique_ptr<QProcess> start(const QString &program, const QStringList &arguments, const QString &home)
{
    auto process = std::make_unique<QProcess>();
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(u"GLOVEBOX_HOME"_s, home);
    environment.insert(u"QT_LOGGING_RULES"_s, u"glovebox.start.debug=true"_s);
    process->setProcessEnvironment(environment);
    process->setReadChannel(QProcess::StandardError);
    process->start(program, arguments);
    QByteArray said;
    while (!said.contains(painted)) {
        if (!process->waitForReadyRead(20'000)) {
            std::fprintf(stderr, "%s", said.constData());
            return nullptr;
        }
        said += process->readAllStandardError();
    }
    return process;
}

void end(QProcess &process)
{
    process.terminate();
    process.waitForFinished(10'000);
}

std::function<std::chrono::nanoseconds()> startOf(const QString &program, const QStringList &arguments,
                                                  const QString &home)
{
    return [=] {
        const auto begin = std::chrono::steady_clock::now();
        const auto process = start(program, arguments, home);
        const auto took = std::chrono::steady_clock::now() - begin;
        if (!process)
            return std::chrono::nanoseconds(-1);
        end(*process);
        return std::chrono::nanoseconds(took);
    };
}

// Processor time of all threads until now; sched_stat of proc(5) counts nanoseconds.
std::chrono::nanoseconds cpuTime(qint64 pid)
{
    const QDir tasks(u"/proc/%1/task"_s.arg(pid));
    qint64 sum = 0;
    for (const QString &task : tasks.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        QFile file(tasks.filePath(task) + u"/schedstat"_s);
        if (file.open(QIODevice::ReadOnly))
            sum += file.readAll().split(' ').value(0).toLongLong();
    }
    return std::chrono::nanoseconds(sum);
}

bool printIdle(const QString &program, const QString &home)
{
    const auto process = start(program, {}, home);
    if (!process)
        return false;
    QThread::sleep(12); // the doctor's first look, and the time for which the cursor blinks
    const auto before = cpuTime(process->processId());
    QThread::sleep(10);
    const auto used = cpuTime(process->processId()) - before;
    std::printf("\nidle: %.1f ms of processor time in 10 s (promised: <= 10)\n",
                std::chrono::duration<double, std::milli>(used).count());
    end(*process);
    return true;
}

} // namespace

int main(int argc, char **argv)
{
    if (argc > 1 && qstrcmp(argv[1], "--bare") == 0)
        return showBareWindow(argc, argv);
    if (argc > 1 && qstrcmp(argv[1], "--desk") == 0)
        return printDeskFigures(argc, argv);
    const QCoreApplication application(argc, argv);
    const int rounds = argc > 1 ? std::max(1, QByteArray(argv[1]).toInt()) : 20;
    const QTemporaryDir home;
    const QString workbench = QStringLiteral(GLOVEBOX_BIN "/glovebox-workbench");
    std::vector<Series> all;
    all.push_back({"bare window, one editor",
                   startOf(QCoreApplication::applicationFilePath(), {u"--bare"_s}, home.path()),
                   {},
                   {}});
    all.push_back({"workbench", startOf(workbench, {}, home.path()), "<= 3 x bare", {}});
    if (!measure(all, rounds))
        return 1;
    print("from start to painted and answering", all);
    if (!printIdle(workbench, home.path()))
        return 1;
    std::fflush(stdout);
    return QProcess::execute(QCoreApplication::applicationFilePath(),
                             {u"--desk"_s}); // with a screen and a memory of its own
}
