// SPDX-License-Identifier: Apache-2.0
#include "callwatcher.h"

#include "engine/mcp/protocol/request.h"

#include <QJsonArray>

namespace glovebox::mcp {

using namespace Qt::StringLiterals;

namespace {

QJsonObject aboutOf(const QJsonObject &arguments)
{
    QJsonObject about;
    for (const auto key : {"action"_L1, "language"_L1, "path"_L1, "name"_L1, "session"_L1, "run"_L1}) {
        if (const QString value = arguments[key].toString(); !value.isEmpty())
            about[key] = value.left(aboutMax);
    }
    QJsonArray packages;
    for (const auto package : arguments["packages"_L1].toArray()) {
        if (packages.size() < aboutPackagesMax)
            packages.append(package.toString().left(aboutMax));
    }
    if (!packages.isEmpty())
        about["packages"_L1] = packages;
    return about;
}

} // namespace

WatchedCall::WatchedCall(CallWatcher *watcher, Request &request, const Tool &tool, const QJsonObject &arguments)
    : m_watcher(watcher)
    , m_request(request)
{
    if (!m_watcher)
        return;
    m_number = m_watcher->begun({request.caller(), tool.name, aboutOf(arguments)});
    request.watch([watcher, number = m_number](const QString &run) { watcher->concerns(number, run); });
}

WatchedCall::~WatchedCall()
{
    if (!m_watcher)
        return;
    m_request.watch({});
    if (m_request.stop().stop_requested())
        m_end = {.how = EndedCall::How::Cancelled};
    else if (m_request.asksAgain())
        m_end = {.how = EndedCall::How::AskedBack};
    m_watcher->ended(m_number, m_end);
}

void WatchedCall::answer(const ToolReply &reply)
{
    if (!m_watcher)
        return;
    m_end = {.how = reply.isError ? EndedCall::How::Refused : EndedCall::How::Answered};
    const QJsonObject &object = reply.structured;
    if (object.contains("exit_code"_L1)) { // it tells of a run (runReply())
        m_end.outcome = fromString<Outcome>(object["outcome"_L1].toString());
        m_end.runGoesOn = !m_end.outcome && object["run"_L1].isString();
        if (const QString run = object["run"_L1].toString(); !run.isEmpty())
            m_watcher->concerns(m_number, run);
    }
    if (reply.isError) {
        const QString reason = object["reason"_L1].toString();
        m_end.why = (reason.isEmpty() ? reply.text : reason).left(aboutMax);
    }
}

void WatchedCall::answerWithTask()
{
    m_end = {.how = EndedCall::How::Answered, .runGoesOn = true};
}

} // namespace glovebox::mcp
