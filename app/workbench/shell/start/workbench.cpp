// SPDX-License-Identifier: Apache-2.0
#include "workbench.h"

#include "app/inherited.h"
#include "app/workbench/shell/background.h"
#include "app/workbench/shell/copies/copiesfolder.h"
#include "app/workbench/shell/frame/frame.h"
#include "app/workbench/shell/frame/messagepane.h"
#include "application.h"
#include "enginehost.h"
#include "signals.h"
#include "singleinstance.h"
#include "startrequest.h"

#include <QCommandLineParser>
#include <QElapsedTimer>
#include <QSessionManager>
#include <QTimer>
#include <QWindow>

#include <cstdio>
#include <cstdlib>
#include <sys/resource.h>

namespace glovebox {
namespace {

void say(const QString &sentence)
{
    std::fprintf(stderr, "glovebox-workbench: %s\n", sentence.toLocal8Bit().constData());
}

// Qt ends the program with a core dump where it finds no display; a sentence is kinder.
void onMessage(QtMsgType type, const QMessageLogContext &context, const QString &message)
{
    const bool ours = context.category && QByteArrayView(context.category).startsWith("glovebox.");
    if (type == QtFatalMsg && message.contains(QLatin1StringView("platform plugin"))) {
        say(QStringLiteral(
            "There is no display to show a window on. Start it in a desktop session, or use `glovebox run` "
            "in a terminal."));
        std::_Exit(1);
    }
    // "could not connect to display" and the like come right before that.
    if (ours || type == QtFatalMsg || type == QtCriticalMsg)
        say(message);
}

// No core dump ever holds what a person typed; 1 because 0 isn't enforced where dumps go to a program (core(5)).
void limitCoreDumps()
{
    const rlimit limit{1, 1};
    ::setrlimit(RLIMIT_CORE, &limit);
}

class Workbench : public QObject
{
public:
    Workbench(const Paths &paths, SingleInstance &instance, PageFactory makePages)
        : m_context(paths, m_theme)
        , m_host(m_context)
    {
        // The layout knows the colours and sizes that the first paint needs.
        m_frame = std::make_unique<Frame>(m_context, makePages(m_context));
        m_isFirstStart = !m_frame->restoreLayout();
        // Ending the engine takes as long as what it does, such as applying changes: who starts the workbench meanwhile gets a
        // window, with the unsaved texts of this one.
        connect(m_frame.get(), &Frame::closed, this, [this, &instance] {
            instance.stop();
            m_context.stash().close();
            m_host.close();
        });
        connect(&m_host, &EngineHost::closed, this, [this](bool isReading) {
            const int status = keepTexts() ? EXIT_SUCCESS : EXIT_FAILURE;
            if (isReading)
                std::_Exit(status);
            QCoreApplication::exit(status);
        });
        connect(&m_signals, &TerminationSignals::received, this, [this] { m_frame->closeWindow(true); });
        connect(qApp, &QGuiApplication::commitDataRequest, this, [this] { m_frame->stashAll(); });
        connect(&instance, &SingleInstance::received, this, &Workbench::take);
    }

    ~Workbench() override { keepTexts(); }

    void start(const StartRequest &request)
    {
        m_frame->show();
        m_frame->windowHandle()->installEventFilter(this);
        open(request.files, request.code);
        if (m_isFirstStart && request.files.isEmpty() && !request.code)
            m_context.actions().trigger(QStringLiteral("bench.welcome"));
        // After the first paint: the engine's start must not delay the window.
        QTimer::singleShot(0, &m_host, &EngineHost::open);
        startIn(m_context.pool(), [] { CopiesFolder::removeLeft(); });
    }

    Notifications &notifications() { return m_context.notifications(); }

protected:
    // The benchmark of the start waits for this: the window is painted, and nothing is left to do.
    bool eventFilter(QObject *watched, QEvent *event) override
    {
        if (event->type() == QEvent::Expose) {
            watched->removeEventFilter(this);
            QTimer::singleShot(0, this, [] { qCDebug(lcStart, "first paint done"); });
        }
        return false;
    }

private:
    // What was noted in the last moment is on disk before the program is gone.
    bool keepTexts()
    {
        const Status kept = m_context.stash().flush();
        if (!kept)
            say(translated(kept.error().message));
        return kept.has_value();
    }

    void open(const QStringList &files, const std::optional<QByteArray> &code)
    {
        m_frame->openFiles(files);
        if (code)
            m_context.navigateTo(QStringLiteral("bench"),
                                 {{QStringLiteral("input"), QString::fromLatin1(code->toBase64())}});
    }

    void take(const HandOver &request)
    {
        qCDebug(lcStart, "asked to open %d files", int(request.files.size()));
        open(request.files, request.code);
        if (!request.activationToken.isEmpty())
            qputenv("XDG_ACTIVATION_TOKEN", request.activationToken.toUtf8()); // Qt's Wayland plugin looks there
        if (m_frame->isMinimized())
            m_frame->setWindowState(m_frame->windowState() & ~Qt::WindowMinimized);
        m_frame->raise();
        m_frame->activateWindow();
    }

    Theme m_theme;
    WorkbenchContext m_context;
    EngineHost m_host;
    TerminationSignals m_signals;
    std::unique_ptr<Frame> m_frame;
    bool m_isFirstStart = false;
};

int showTrouble(const Error &error)
{
    Theme theme;
    MessagePane trouble(QStringLiteral("frame.trouble"));
    trouble.setWindowTitle(QCoreApplication::translate("glovebox::Workbench", "Glovebox"));
    trouble.show(QCoreApplication::translate("glovebox::Workbench", "Glovebox can't start"),
                 {translated(error.message)}, translated(error.detail),
                 {{QStringLiteral("quit"), QCoreApplication::translate("glovebox::Workbench", "Close"),
                   [&trouble] { trouble.close(); }}});
    trouble.resize(720, 360);
    trouble.QWidget::show();
    say(error.message.english());
    QApplication::setQuitOnLastWindowClosed(true);
    QApplication::exec();
    return 1;
}

// What is known before a screen is needed: the window that is there may be on another one than this terminal.
struct EarlyStart
{
    Result<Paths> paths; // needs an application object, to know where the program is
    // Nothing: help was asked for, or there is an argument that only the toolkit knows.
    std::optional<StartRequest> request;
};

EarlyStart startEarly(int &argc, char *argv[])
{
    const QCoreApplication application(argc, argv);
    QCommandLineParser parser;
    addArguments(parser);
    if (!parser.parse(QCoreApplication::arguments()) || parser.isSet(QStringLiteral("help"))
        || parser.isSet(QStringLiteral("version")))
        return {Paths::standard(), std::nullopt};
    return {Paths::standard(), requestFrom(parser)};
}

StartRequest lateRequest(const QCoreApplication &application)
{
    QCommandLineParser parser;
    addArguments(parser);
    parser.process(application);
    return requestFrom(parser);
}

// The exit status, where another workbench took it or can't.
std::optional<int> handOver(SingleInstance &instance, const StartRequest &request)
{
    const auto handed = instance.handOver({request.files, request.code, qEnvironmentVariable("XDG_ACTIVATION_TOKEN")});
    if (!handed) {
        say(translated(handed.error().message));
        return 1;
    }
    if (!*handed)
        return std::nullopt;
    tellStarted(request);
    return 0;
}

} // namespace

int runWorkbench(int argc, char *argv[], PageFactory makePages)
{
    QElapsedTimer sinceStart;
    sinceStart.start();
    keepOwnersRights();
    limitCoreDumps();
    qInstallMessageHandler(onMessage);
    if (const std::string problem = provideStacks(); !problem.empty()) {
        say(QString::fromStdString(problem));
        return 1;
    }
    QStringList arguments;
    for (int i = 1; i < argc; ++i)
        arguments.append(QString::fromLocal8Bit(argv[i]));
    QCoreApplication::setApplicationName(QStringLiteral("glovebox-workbench"));
    QCoreApplication::setApplicationVersion(QStringLiteral(GLOVEBOX_VERSION));
    // Neither help nor a mistyped option needs a display.
    if (const auto option = wordsAskedFor(arguments)) {
        const QCoreApplication application(argc, argv);
        QCommandLineParser parser;
        addArguments(parser);
        parser.process({QString::fromLocal8Bit(argv[0]), *option});
        return 0;
    }
    if (const auto unknown = unknownOption(arguments)) {
        say(QStringLiteral("Unknown option %1. See \"glovebox-workbench --help\".").arg(*unknown));
        return 2;
    }

    auto [paths, request] = startEarly(argc, argv);
    std::optional<SingleInstance> instance;
    if (paths)
        instance.emplace(*paths);
    if (request && instance) {
        if (const auto status = handOver(*instance, *request))
            return *status;
    }

    QGuiApplication::setDesktopFileName(QStringLiteral("io.github.glovebox.Workbench"));
    Application application(argc, argv);
    QGuiApplication::setApplicationDisplayName({}); // window titles name it themselves
    QApplication::setQuitOnLastWindowClosed(false); // the end is the engine's future
    application.installTranslations();
    if (!request) {
        request = lateRequest(application);
        if (instance) {
            if (const auto status = handOver(*instance, *request))
                return *status;
        }
    }
    if (!instance) // for want of paths
        return showTrouble(paths.error());
    const Status listening = instance->listen();

    Workbench workbench(*paths, *instance, makePages);
    if (!listening)
        workbench.notifications().show({.id = QStringLiteral("instance"),
                                        .tone = Tone::Warn,
                                        .text = translated(listening.error().message),
                                        .detail = translated(listening.error().detail)});
    workbench.start(*request);
    qCDebug(lcStart, "window shown after %lld ms", qlonglong(sinceStart.elapsed()));
    tellStarted(*request);
    return QApplication::exec();
}

} // namespace glovebox
