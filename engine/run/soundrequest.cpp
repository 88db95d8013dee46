// SPDX-License-Identifier: Apache-2.0
#include "soundrequest.h"

#include <QSet>

#include <algorithm>

namespace glovebox {
namespace {

constexpr qint64 longestFileName = 255; // NAME_MAX

Status checkFiles(const RunRequest &request, const QByteArray &snippet)
{
    const qint64 diskBytes = request.policy.limits.diskBytes;
    QSet<QByteArray> names;
    qint64 total = 0;
    for (const InnerFile &file : request.files) {
        const QByteArray &name = file.name;
        if (name.isEmpty() || name == "." || name == ".." || name.contains('/') || name.contains('\0')
            || name.size() > longestFileName)
            return fail(ErrorCode::InvalidInput,
                        QT_TRANSLATE_NOOP("engine",
                                          "\"%1\" is not a file name. Give one without folders, of at most 255 bytes."),
                        {textFromBytes(name.first(qMin(name.size(), longestFileName)))});
        if (name == snippet)
            return fail(ErrorCode::InvalidInput,
                        QT_TRANSLATE_NOOP("engine", "The name \"%1\" is taken by the code itself. Rename the file."),
                        {textFromBytes(name)});
        if (names.contains(name))
            return fail(ErrorCode::InvalidInput,
                        QT_TRANSLATE_NOOP("engine", "Two files are called \"%1\". Rename one of them."),
                        {textFromBytes(name)});
        names.insert(name);
        total += file.content.size();
    }
    if (total > diskBytes)
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine",
                                      "The files have %1 bytes together, more than the disk limit of %2 bytes. "
                                      "Raise the limit or pass less."),
                    {QString::number(total), QString::number(diskBytes)});
    return {};
}

// A folder that is shown below /work must not lie where a file of the run is put.
Status checkPlaces(const RunRequest &request, const QByteArray &snippet)
{
    QByteArrayList names{snippet};
    for (const InnerFile &file : request.files)
        names.append(file.name);
    for (const FolderGrant &folder : request.policy.folders) {
        if (folder.path.startsWith(u"/work/") && names.contains(folder.path.section(u'/', 2, 2).toUtf8()))
            return fail(ErrorCode::InvalidInput,
                        QT_TRANSLATE_NOOP("engine", "Inside, \"%1\" is a file of the run. Show the folder "
                                                    "somewhere else."),
                        {folder.path});
    }
    return {};
}

Status checkPackages(const RunRequest &request, const Language &language)
{
    if (request.packages.isEmpty())
        return {};
    if (!language.takesPackages())
        return fail(ErrorCode::Unsupported,
                    QT_TRANSLATE_NOOP("engine", "Packages can be installed for Python, not for %1."),
                    {language.name()});
    if (!isPackagesId(request.packages))
        return fail(ErrorCode::InvalidInput, QT_TRANSLATE_NOOP("engine", "\"%1\" is not an id of installed packages."),
                    {request.packages.left(64)});
    return {};
}

} // namespace

bool isPackagesId(const QString &text)
{
    const auto isDigit = [](QChar digit) {
        return (digit >= u'0' && digit <= u'9') || (digit >= u'a' && digit <= u'f');
    };
    return text.size() == 2 * sha256Bytes && std::ranges::all_of(text, isDigit);
}

Result<const Language *> languageOf(const RunRequest &request)
{
    return request.language.isEmpty() ? Languages::detect(request.fileName, request.code)
                                      : Languages::byId(request.language);
}

Result<SoundRequest> SoundRequest::check(const RunRequest &request, const Result<const Language *> &language,
                                         const Backends &backends)
{
    RETURN_IF_ERROR(validate(request.policy));
    ASSIGN_OR_RETURN(const auto backend, backends.of(request.policy.backend));
    ASSIGN_OR_RETURN(auto allowlist, allowlistFromTexts(request.policy.allow));
    RETURN_IF_ERROR(checkSecretGrants(request.secrets));
    RETURN_IF_ERROR(validateCode(request.code));
    RETURN_IF_ERROR(validateArguments(request.args));
    if (!request.session.isEmpty() && !isId(request.session))
        return fail(ErrorCode::InvalidInput, QT_TRANSLATE_NOOP("engine", "\"%1\" is not the id of a session."),
                    {request.session.left(64)});
    RETURN_IF_ERROR(checkVariables(request.variables, request.secrets));
    if (!language)
        return std::unexpected(language.error());
    RETURN_IF_ERROR(checkPackages(request, **language));
    const QByteArray snippet = (*language)->snippetName(request.fileName);
    RETURN_IF_ERROR(checkFiles(request, snippet));
    RETURN_IF_ERROR(checkPlaces(request, snippet));
    return SoundRequest(request, **language, *backend, std::move(allowlist));
}

} // namespace glovebox
