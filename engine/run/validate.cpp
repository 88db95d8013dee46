// SPDX-License-Identifier: Apache-2.0
#include "validate.h"

#include "engine/network/network.h"

#include <QSet>

namespace glovebox {
namespace {

constexpr qint64 longestFileName = 255; // NAME_MAX

Status checkFiles(const QList<RunFile> &files, qint64 diskBytes)
{
    QSet<QByteArray> names;
    qint64 total = 0;
    for (const RunFile &file : files) {
        const QByteArray &name = file.name;
        if (name.isEmpty() || name == "." || name == ".." || name.contains('/') || name.contains('\0')
            || name.size() > longestFileName)
            return fail(ErrorCode::InvalidInput,
                        Text(QT_TRANSLATE_NOOP(
                                 "engine", "\"%1\" is no file name. Give one without folders, of at most 255 bytes."),
                             {textFromBytes(name.first(qMin(name.size(), longestFileName)))}));
        if (names.contains(name))
            return fail(ErrorCode::InvalidInput,
                        Text(QT_TRANSLATE_NOOP("engine", "Two files are called \"%1\". Rename one of them."),
                             {textFromBytes(name)}));
        names.insert(name);
        total += file.content.size();
    }
    if (total > diskBytes)
        return fail(
            ErrorCode::InvalidInput,
            Text(QT_TRANSLATE_NOOP("engine", "The files have %1 bytes together, more than the disk limit of %2 bytes. "
                                             "Raise the limit or pass less."),
                 {QString::number(total), QString::number(diskBytes)}));
    return {};
}

Status checkGrants(const Policy &policy)
{
    const auto allowlist = allowlistFromTexts(policy.allow);
    return allowlist ? Status() : std::unexpected(allowlist.error());
}

} // namespace

Status checkRequest(const RunRequest &request)
{
    if (auto status = validate(request.policy); !status)
        return status;
    if (auto status = checkGrants(request.policy); !status)
        return status;
    if (auto status = checkSecretGrants(request.secrets); !status)
        return status;
    if (auto status = validateCode(request.code); !status)
        return status;
    if (auto status = validateArguments(request.args); !status)
        return status;
    return checkFiles(request.files, request.policy.limits.diskBytes);
}

Status checkPlaces(const RunRequest &request, const QByteArray &snippetName)
{
    QByteArrayList names{snippetName};
    for (const RunFile &file : request.files)
        names.append(file.name);
    for (const FolderGrant &folder : request.policy.folders) {
        if (folder.path.startsWith(u"/work/") && names.contains(folder.path.section(u'/', 2, 2).toUtf8()))
            return fail(ErrorCode::InvalidInput,
                        Text(QT_TRANSLATE_NOOP("engine", "Inside, \"%1\" is a file of the run. Show the folder "
                                                         "somewhere else."),
                             {folder.path}));
    }
    return {};
}

Result<const Language *> languageOf(const RunRequest &request, const Languages &languages)
{
    return request.language.isEmpty() ? languages.detect(request.fileName, request.code)
                                      : languages.byId(request.language);
}

} // namespace glovebox
