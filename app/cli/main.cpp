// SPDX-License-Identifier: Apache-2.0
// `glovebox`: the command line of the engine.
#include "command.h"

#include <QCoreApplication>

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
    qInstallMessageHandler(sayWarning);
    // Qt gets the program's name only: it must neither decode nor interpret the arguments.
    int count = argc > 0 ? 1 : 0;
    QCoreApplication application(count, argv);
    QByteArrayList arguments;
    for (int i = 1; i < argc; ++i)
        arguments.append(QByteArray(argv[i]));
    return glovebox::dispatch(arguments);
}
