// SPDX-License-Identifier: Apache-2.0
#include "ownports.h"

#include <QDir>
#include <QFile>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

const QString ownPortPrefix = u"http-"_s, ownPortSuffix = u".lock"_s;

// Of addresses that lead to this machine without being its name in a network. By name none is reached (network::mayDial()).
bool isAboutThisMachine(const network::Rule &rule)
{
    return rule.host.address && network::isOfThisMachine(*rule.host.address);
}

QStringList filesOfOwnPorts(const QString &runtime)
{
    return QDir(runtime).entryList({ownPortPrefix + u'*' + ownPortSuffix}, QDir::Files);
}

// One of a program that was killed is removed.
bool isHeld(const QString &path)
{
    auto free = FileLock::tryExisting(path);
    if (free && *free)
        (*free)->removeAndRelease(); // NOLINT(bugprone-unchecked-optional-access): the line above looks
    return QFile::exists(path);
}

} // namespace

bool keepRunsOut(const UniqueFd &listener)
{
    return refuseFewerHops(listener.get(), network::hopsOfRuns + 1);
}

Result<OwnPort> OwnPort::note(const QString &runtime, quint16 port)
{
    RETURN_IF_ERROR(makePrivateFolder(runtime));
    for (const QString &name : filesOfOwnPorts(runtime))
        isHeld(runtime + u'/' + name);
    ASSIGN_OR_RETURN(FileLock lock, FileLock::create(u"%1/%2%3%4"_s.arg(runtime, ownPortPrefix, QString::number(port),
                                                                        ownPortSuffix)));
    return OwnPort(std::move(lock));
}

OwnPort::~OwnPort()
{
    if (m_lock)
        m_lock->removeAndRelease();
}

Status checkOwnPorts(const network::Allowlist &rules, const QString &runtime)
{
    if (std::ranges::none_of(rules, isAboutThisMachine))
        return {};
    for (const QString &name : filesOfOwnPorts(runtime)) {
        const quint16 port = name.sliced(ownPortPrefix.size()).chopped(ownPortSuffix.size()).toUShort();
        const bool isReached = std::ranges::any_of(rules, [port](const network::Rule &rule) {
            return isAboutThisMachine(rule) && (rule.port ? *rule.port == port : port == 80 || port == 443);
        });
        if (isReached && isHeld(runtime + u'/' + name))
            return fail(ErrorCode::PermissionDenied,
                        QT_TRANSLATE_NOOP("engine",
                                          "Port %1 of 127.0.0.1 is one of Glovebox's own, which no run may reach. "
                                          "Leave it out."),
                        {QString::number(port)});
    }
    return {};
}

} // namespace glovebox
