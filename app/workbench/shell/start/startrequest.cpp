// SPDX-License-Identifier: Apache-2.0
#include "startrequest.h"

#include <QCommandLineParser>
#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <fcntl.h>
#include <unistd.h>

namespace glovebox {

namespace {

constexpr qint64 mostInput = 20 * 1024 * 1024 + 1; // one more than the editor takes: it says so then

const QString startedOption = QStringLiteral("started-fd");

QByteArray standardInput()
{
    QFile input;
    return input.open(STDIN_FILENO, QIODevice::ReadOnly) ? input.read(mostInput) : QByteArray();
}

} // namespace

std::optional<QString> unknownOption(const QStringList &arguments)
{
    // QGuiApplication(3qt), QApplication(3qt) and the platforms' plugins: the toolkit takes them with one dash or two.
    static const QStringList known{
        startedOption,
        QStringLiteral("h"),
        QStringLiteral("help"),
        QStringLiteral("help-all"),
        QStringLiteral("v"),
        QStringLiteral("version"),
        QStringLiteral("platform"),
        QStringLiteral("platformpluginpath"),
        QStringLiteral("platformtheme"),
        QStringLiteral("plugin"),
        QStringLiteral("qwindowgeometry"),
        QStringLiteral("qwindowicon"),
        QStringLiteral("qwindowtitle"),
        QStringLiteral("reverse"),
        QStringLiteral("session"),
        QStringLiteral("style"),
        QStringLiteral("stylesheet"),
        QStringLiteral("widgetcount"),
        QStringLiteral("display"),
        QStringLiteral("geometry"),
        QStringLiteral("fn"),
        QStringLiteral("font"),
        QStringLiteral("bg"),
        QStringLiteral("background"),
        QStringLiteral("fg"),
        QStringLiteral("foreground"),
        QStringLiteral("btn"),
        QStringLiteral("button"),
        QStringLiteral("name"),
        QStringLiteral("title"),
        QStringLiteral("icon"),
        QStringLiteral("iconic"),
        QStringLiteral("visual"),
        QStringLiteral("ncols"),
        QStringLiteral("cmap"),
        QStringLiteral("sync"),
        QStringLiteral("nograb"),
        QStringLiteral("dograb"),
        QStringLiteral("qmljsdebugger"),
    };
    for (const QString &argument : arguments) {
        if (argument == QStringLiteral("--"))
            break;
        if (!argument.startsWith(u'-') || argument.size() == 1)
            continue;
        const QString name = argument.section(u'=', 0, 0).sliced(argument.startsWith(QStringLiteral("--")) ? 2 : 1);
        if (!known.contains(name))
            return argument;
    }
    return std::nullopt;
}

std::optional<QString> wordsAskedFor(const QStringList &arguments)
{
    static const QStringList asking{QStringLiteral("-h"), QStringLiteral("--help"), QStringLiteral("--help-all"),
                                    QStringLiteral("-v"), QStringLiteral("--version")};
    for (const QString &argument : arguments) {
        if (argument == QStringLiteral("--"))
            break;
        if (asking.contains(argument))
            return argument;
    }
    return std::nullopt;
}

void addArguments(QCommandLineParser &parser)
{
    parser.setApplicationDescription(
        QStringLiteral("A sealed bench for untrusted code. Files open in the window that is "
                       "there, or in a new one; - opens what comes on standard input."));
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addPositionalArgument(QStringLiteral("file"), QStringLiteral("Files to open."), QStringLiteral("[file...]"));
    QCommandLineOption started(startedOption, {}, QStringLiteral("descriptor"));
    started.setFlags(QCommandLineOption::HiddenFromHelp);
    parser.addOption(started);
}

StartRequest requestFrom(const QCommandLineParser &parser)
{
    StartRequest request;
    const QStringList files = parser.positionalArguments();
    for (const QString &file : files) {
        if (file == QStringLiteral("-"))
            request.code = standardInput();
        else
            request.files.append(QDir::cleanPath(QFileInfo(file).absoluteFilePath()));
    }
    bool isNumber = false;
    const int descriptor = parser.value(startedOption).toInt(&isNumber);
    if (isNumber && descriptor > STDERR_FILENO && ::fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0)
        request.startedDescriptor = descriptor;
    return request;
}

void tellStarted(const StartRequest &request)
{
    if (request.startedDescriptor < 0)
        return;
    // Also who waits for the end of standard error, as $(...) does.
    if (const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC); nowhere >= 0) {
        ::dup2(nowhere, STDERR_FILENO);
        ::close(nowhere);
    }
    const char byte = 1;
    [[maybe_unused]] const auto told = ::write(request.startedDescriptor, &byte, 1); // nobody waits any more: no matter
    ::close(request.startedDescriptor);
}

} // namespace glovebox
