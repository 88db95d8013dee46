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
