// SPDX-License-Identifier: Apache-2.0
// `glovebox`: the command line of the engine.
#include "app/inherited.h"
#include "command.h"

#include <QCoreApplication>

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <system_error>

namespace {

// Qt's own remarks ("locale is not UTF-8") are nothing to the person; the engine's warnings are.
void sayWarning(QtMsgType type, const QMessageLogContext &context, const QString &message)
{
    const bool ours = QByteArrayView(context.category).startsWith("glovebox.");
    if (type == QtFatalMsg || (ours && type != QtDebugMsg && type != QtInfoMsg))
        glovebox::say(message);
}

} // namespace

int main(int argc, char *argv[])
{
    glovebox::occupyStandardDescriptors();
    glovebox::keepOwnersRights();
    qInstallMessageHandler(sayWarning);
    if (const std::string problem = glovebox::provideStacks(); !problem.empty()) {
        glovebox::writeAll(STDERR_FILENO, "glovebox: " + problem + "\n");
        return glovebox::ExitStatus::notRun;
    }
    // No core file ever holds a secret; 1 because 0 isn't enforced where dumps go to a program (core(5)).
    const rlimit noCore{1, 1};
    ::setrlimit(RLIMIT_CORE, &noCore);
    // Qt gets the program's name only: it must neither decode nor interpret the arguments.
    int count = argc > 0 ? 1 : 0;
    QCoreApplication application(count, argv);
    QByteArrayList arguments;
    for (int i = 1; i < argc; ++i)
        arguments.append(QByteArray(argv[i]));
    std::signal(SIGXFSZ, SIG_IGN); // beyond "ulimit -f" a write fails, which is told
    try {
        return glovebox::dispatch(arguments);
    } catch (const std::system_error &error) { // the standard library's way to say that there are no more threads
        glovebox::say(
            QStringLiteral("Out of threads or file descriptors (%1). Close other programs, or raise the limits "
                           "(ulimit -u, ulimit -n, ulimit -d), and try again.")
                .arg(QString::fromUtf8(error.what())));
        return glovebox::ExitStatus::notRun;
    }
}
