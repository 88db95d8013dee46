// SPDX-License-Identifier: Apache-2.0
// Starts programs and collects what they leave.
#include "program.h"

#include "json/contract.h"

#include <QDeadlineTimer>
#include <QFile>
#include <QJsonDocument>
#include <QTest>

#include <csignal>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// A test that saw JSON which the contract doesn't have has failed, whatever else it looks at.
void holdToContract(const QProcess &process, const Ended &ended)
{
    if (process.program() != programFile() || !asksForJson(process.arguments()) || ended.out.isEmpty())
        return;
    const QString wrong = contractComplaints(definitionOf(process.arguments(), ended.status), ended.out);
    if (!wrong.isEmpty())
        QTest::qFail(
            qPrintable(u"glovebox %1 printed what resources/schema/glovebox.schema.json doesn't have.\n%2\n%3"_s.arg(
                process.arguments().join(u' '), wrong, QString::fromUtf8(ended.out.left(4000)))),
            __FILE__, __LINE__);
}

} // namespace

QJsonObject Ended::json() const
{
    if (!out.endsWith('\n') || out.count('\n') != 1)
        return {};
    return QJsonDocument::fromJson(out).object();
}

QString programFile()
{
    return QStringLiteral(GLOVEBOX_BIN "/glovebox");
}

QString Home::write(const QString &name, const QByteArray &content) const
{
    QFile file(path(name));
    if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
        qFatal("A test file can't be written.");
    return file.fileName();
}

std::unique_ptr<QProcess> Home::program(const QStringList &arguments) const
{
    if (asksForJson(arguments))
        startContractChecker(); // ready by the time that there is output
    auto process = std::make_unique<QProcess>();
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(u"GLOVEBOX_HOME"_s, path());
    process->setProcessEnvironment(environment);
    process->setProgram(programFile());
    process->setArguments(arguments);
    // A background job of a shell ignores SIGINT, and would hand that down.
    process->setChildProcessModifier([] {
        for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE})
            ::signal(signal, SIG_DFL);
    });
    return process;
}

Ended finish(QProcess &process)
{
    constexpr int mostMs = 60000;
    if (!process.waitForFinished(mostMs))
        qFatal("The program did not end.");
    Ended ended;
    // QProcess tells the signal as the exit code.
    ended.status = process.exitStatus() == QProcess::CrashExit ? 128 + process.exitCode() : process.exitCode();
    ended.out = process.readAllStandardOutput();
    ended.err = process.readAllStandardError();
    holdToContract(process, ended);
    return ended;
}

Ended Home::run(const QStringList &arguments, const QByteArray &input) const
{
    const auto process = program(arguments);
    process->start();
    process->write(input);
    process->closeWriteChannel();
    return finish(*process);
}

Ended Home::runBytes(const QByteArrayList &arguments) const
{
    // QProcess encodes its arguments; the shell's printf brings any byte.
    QString script = u"exec \"$0\""_s;
    for (const QByteArray &argument : arguments) {
        script += u" \"$(printf '"_s;
        for (const char byte : argument)
            script += u"\\%1"_s.arg(uint(uchar(byte)), 3, 8, QLatin1Char('0'));
        script += u"')\""_s;
    }
    const auto process = program({u"-c"_s, script, programFile()});
    process->setProgram(u"/bin/sh"_s);
    process->start();
    process->closeWriteChannel();
    return finish(*process);
}

QList<QJsonObject> Home::runsOnRecord() const
{
    QList<QJsonObject> rows;
    const Ended list = run({u"audit"_s, u"list"_s, u"--json"_s, u"--limit"_s, u"1000"_s});
    for (const QByteArray &line : list.out.split('\n')) {
        if (!line.isEmpty())
            rows.append(QJsonDocument::fromJson(line).object());
    }
    return rows;
}

bool waitForOutput(QProcess &process, const QByteArray &text, QByteArray &output)
{
    QDeadlineTimer deadline(30000);
    while (!output.contains(text)) {
        if (deadline.hasExpired() || !process.waitForReadyRead(int(deadline.remainingTime())))
            return false;
        output += process.readAllStandardOutput();
    }
    return true;
}

} // namespace glovebox
