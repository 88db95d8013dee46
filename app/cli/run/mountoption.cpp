// SPDX-License-Identifier: Apache-2.0
#include "mountoption.h"

#include "engine/base/base.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <pwd.h>

#include <array>
#include <utility>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

using Refusal = std::unexpected<QString>;

// user: empty: whoever runs this. Nothing: there is no such user.
QString homeOf(const QString &user)
{
    if (user.isEmpty())
        return QDir::homePath();
    passwd account{};
    passwd *found = nullptr;
    std::array<char, 16384> strings{};
    const QByteArray name = QFile::encodeName(user);
    if (::getpwnam_r(name.constData(), &account, strings.data(), strings.size(), &found) != 0 || !found)
        return {};
    return QFile::decodeName(account.pw_dir);
}

// The whole path, without "." in it. ".." stays, which behind a link leads elsewhere than back. A shell leaves the ~ of --mount=~/x and of
// "~user/x" as it is, so ~ is a home folder, unless a folder of that name is here.
std::expected<QString, QString> wholePath(QString path)
{
    const QString first = path.section(u'/', 0, 0);
    if (first.startsWith(u'~') && !QFileInfo::exists(u"./"_s + first)) {
        const QString home = homeOf(first.sliced(1));
        if (home.isEmpty())
            return Refusal(
                u"\"%1\" leads nowhere: there is no user \"%2\", and no folder %3 here. Write the whole path."_s.arg(
                    path, first.sliced(1), first));
        path.replace(0, first.size(), home);
    }
    QStringList parts = QDir::current().absoluteFilePath(path).split(u'/', Qt::SkipEmptyParts);
    parts.removeAll(u"."_s);
    return u'/' + parts.join(u'/');
}

} // namespace

std::expected<FolderGrant, QString> readMount(const QByteArray &text)
{
    QString rest = QFile::decodeName(text);
    const auto malformed = [&](const QString &why) {
        return Refusal(
            u"--mount takes HOST:PATH or HOST:PATH:MODE, such as data:/mnt/data, not \"%1\": %2."_s.arg(rest, why));
    };
    if (QFile::encodeName(rest) != text)
        return Refusal(u"--mount takes only names that are text: \"%1\"."_s.arg(QString::fromUtf8(text)));
    FolderGrant folder;
    const std::pair<QLatin1StringView, FolderGrant::Mode> modes[] = {{":ro"_L1, FolderGrant::Mode::ReadOnly},
                                                                     {":stage"_L1, FolderGrant::Mode::Stage},
                                                                     {":rw"_L1, FolderGrant::Mode::ReadWrite}};
    QString both = rest;
    for (const auto &[ending, mode] : modes) {
        if (rest.endsWith(ending)) {
            folder.mode = mode;
            both.chop(ending.size());
            break;
        }
    }
    const qsizetype colon = both.lastIndexOf(u":/"_s);
    folder.path = both.sliced(colon + 1);
    if (colon > 0 && folder.path.contains(u':') && both != rest)
        return malformed(u"one mode is enough, and \":\" can't be in PATH"_s);
    if (colon > 0 && folder.path.contains(u':'))
        return malformed(u"the modes are ro, stage and rw, not \"%1\""_s.arg(rest.section(u':', -1)));
    if (colon == 0 || both.isEmpty())
        return malformed(u"HOST is missing"_s);
    if (colon < 0 && both.contains(u':') && !both.endsWith(u':'))
        return malformed(u"PATH has to be absolute: /%1"_s.arg(both.section(u':', -1)));
    if (colon < 0)
        return malformed(u"PATH is missing"_s);
    while (folder.path.size() > 1 && folder.path.endsWith(u'/'))
        folder.path.chop(1);
    if (!both.startsWith(u'/') && QDir::currentPath().isEmpty()) // else it would be taken from "/"
        return Refusal(
            u"The folder that this was started in is gone, so \"%1\" leads nowhere. Change to another folder, or "
            "name the whole path."_s.arg(both.first(colon)));
    auto host = wholePath(both.first(colon));
    if (!host)
        return Refusal(host.error());
    folder.hostPath = *std::move(host);
    return folder;
}

} // namespace glovebox
