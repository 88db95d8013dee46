// SPDX-License-Identifier: Apache-2.0
#include "contract.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QProcess>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

QProcess *contractChecker = nullptr; // the application's child

void endContractChecker()
{
    contractChecker->closeWriteChannel();
    contractChecker->waitForFinished();
    contractChecker = nullptr;
}

} // namespace

bool asksForJson(const QStringList &arguments)
{
    const QStringList options =
        arguments.first(arguments.contains(u"--"_s) ? arguments.indexOf(u"--"_s) : arguments.size());
    return options.contains(u"--json"_s) && !options.contains(u"--help"_s) && !options.contains(u"-h"_s);
}

QString definitionOf(const QStringList &arguments, int status)
{
    const QString &first = arguments.first();
    if (first == u"run" && arguments.contains(u"--detach"_s) && status == 0)
        return u"run-detach"_s;
    if (first == u"run" || first == u"batch")
        return first;
    if (first == u"doctor")
        return arguments.contains(u"--attack"_s) ? u"doctor-attack"_s : first;
    return first + u'-' + arguments.value(1);
}

void startContractChecker()
{
    if (contractChecker)
        return;
    contractChecker = new QProcess(QCoreApplication::instance());
    contractChecker->setProcessChannelMode(QProcess::ForwardedErrorChannel);
    contractChecker->start(u"python3"_s,
                           {QStringLiteral(GLOVEBOX_SOURCE_DIR "/tests/app/cli/json/contract.py"),
                            QStringLiteral(GLOVEBOX_SOURCE_DIR "/resources/schema/glovebox.schema.json")});
    qAddPostRoutine(endContractChecker);
}

QString contractComplaints(const QString &definition, const QByteArray &output, bool hasOtherVersions)
{
    startContractChecker();
    const QJsonArray question{definition, QString::fromUtf8(output), hasOtherVersions};
    contractChecker->write(QJsonDocument(question).toJson(QJsonDocument::Compact) + '\n');
    while (!contractChecker->canReadLine()) {
        constexpr int mostMs = 120'000; // on a machine that does much else
        if (!contractChecker->waitForReadyRead(mostMs))
            return u"tests/app/cli/json/contract.py ended, as standard error says. Is python3-jsonschema installed?"_s;
    }
    return QJsonDocument::fromJson('[' + contractChecker->readLine() + ']')[0].toString();
}

} // namespace glovebox
