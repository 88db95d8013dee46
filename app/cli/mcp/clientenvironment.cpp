// SPDX-License-Identifier: Apache-2.0
#include "clientenvironment.h"

#include <QDir>
#include <QFileInfo>
#include <QProcessEnvironment>

#include <algorithm>

#include <sys/stat.h>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// Links resolved, as far as there is anything.
QString resolved(const QString &path)
{
    QStringList missing;
    for (QString above = QDir::cleanPath(path);; above = QFileInfo(above).path()) {
        const QString real = QFileInfo(above).canonicalFilePath();
        if (!real.isEmpty() || above == u"/"_s)
            return QDir::cleanPath(real + u'/' + missing.join(u'/'));
        missing.prepend(QFileInfo(above).fileName());
    }
}

// Such as /tmp, which has everybody's files, and is no project of anybody's.
bool isForEverybody(const QString &folder)
{
    struct stat info = {};
    return ::stat(QFile::encodeName(folder).constData(), &info) == 0 && (info.st_mode & S_IWOTH) != 0;
}

// The repository that a folder is in, or the folder that the client started this program in. Empty: neither. The person's home and
// what is above it are no projects, whatever they hold.
QString projectOf(const QString &folder)
{
    const QString account = accountHome(), home = account.isEmpty() ? account : resolved(account);
    const QString started = resolved(QDir::currentPath());
    for (QString above = resolved(folder); above != u"/"_s; above = QFileInfo(above).path()) {
        if (home == above || home.startsWith(above + u'/'))
            break;
        if ((above == started && !isForEverybody(above)) || QFileInfo::exists(above + u"/.git"_s))
            return above;
    }
    return {};
}

} // namespace

Result<Paths> pathsForClient()
{
    ASSIGN_OR_RETURN(Paths paths, Paths::standard());
    const QString home = accountHome();
    for (const auto &[folder, usual] : {std::pair(paths.config, home + u"/.config/glovebox"_s),
                                        std::pair(paths.data, home + u"/.local/share/glovebox"_s)}) {
        if (folder == usual)
            continue;
        if (const QString project = projectOf(folder); !project.isEmpty())
            return fail(
                ErrorCode::PermissionDenied,
                "The environment has moved Glovebox's files to %1. The folder %2, which has them, is a project, or "
                "\"glovebox mcp\" was started there: another author's files there could grant agents anything. Take "
                "GLOVEBOX_HOME, XDG_CONFIG_HOME, XDG_DATA_HOME and HOME out of "
                "what starts \"glovebox mcp\", or name a folder outside of projects.",
                {folder, project});
    }
    return paths;
}

Result<std::unique_ptr<Settings>> settingsForClient(const Paths &paths)
{
    return Settings::load(paths.settingsFile(), QProcessEnvironment::systemEnvironment().toStringList(),
                          EnvironmentMay::OnlyTighten);
}

bool environmentTightens()
{
    const auto environment = QProcessEnvironment::systemEnvironment();
    return std::ranges::any_of(Settings::schema(),
                               [&](const SettingInfo &info) { return environment.contains(info.variable()); });
}

} // namespace glovebox
