// SPDX-License-Identifier: Apache-2.0
#include "versionquestion.h"

#include <chrono>

namespace glovebox {

namespace {

constexpr std::chrono::seconds answerTime{5};
constexpr qsizetype longestAnswer = 64 * kibibyte;

} // namespace

VersionQuestion askSealed(std::shared_ptr<Backend> backend)
{
    return [backend = std::move(backend)](const InterpreterCandidate &interpreter,
                                          const QStringList &arguments) -> std::optional<QByteArray> {
        SandboxShape shape;
        shape.argv = {interpreter.path.toLocal8Bit()};
        for (const QString &argument : arguments)
            shape.argv.append(argument.toLocal8Bit());
        shape.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/run/home", "LANG=C.UTF-8"};
        shape.folders = interpreter.folders;
        Assignment nobodys;
        nobodys.wall = answerTime;
        auto process = backend->launch(shape, nobodys, {});
        if (!process)
            return std::nullopt;
        const auto answer = answerOf(**process, answerTime, longestAnswer);
        return answer && answer->end.exitCode == 0 ? answer->out + answer->err : QByteArray();
    };
}

} // namespace glovebox
