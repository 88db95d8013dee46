// SPDX-License-Identifier: Apache-2.0
#include "soundrequest.h"

#include <QSet>

#include <algorithm>

namespace glovebox {
namespace {

constexpr qint64 longestFileName = 255; // NAME_MAX

// module: name of a file that the run has anyway; may be empty.
Status checkFiles(const RunRequest &request, const QByteArray &module)
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
        if (name == module)
            return fail(ErrorCode::InvalidInput,
                        QT_TRANSLATE_NOOP("engine", "The name \"%1\" is taken by the module of the run's tools. Rename "
                                                    "the file."),
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
Status checkPlaces(const RunRequest &request, const QByteArray &snippet, const QByteArray &module)
{
    QByteArrayList names{snippet, module};
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
        return fail(ErrorCode::Unsupported, noPackagesFor(language.id()));
    if (!isPackagesId(request.packages))
        return fail(ErrorCode::InvalidInput, QT_TRANSLATE_NOOP("engine", "\"%1\" is not an id of installed packages."),
                    {request.packages.left(64)});
    return {};
}

// The name of the module that code finds its tools in; empty: the run has no tools.
Result<QByteArray> moduleOf(const RunRequest &request, const Language &language)
{
    if (request.policy.tools.isEmpty())
        return QByteArray();
    const auto module = language.toolModule({}, 0);
    if (!module)
        return fail(ErrorCode::Unsupported,
                    QT_TRANSLATE_NOOP("engine", "Code in %1 can call tools of servers, code in %2 can't."),
                    {Languages::namesOf([](const Language &each) { return each.toolModule({}, 0).has_value(); }),
                     language.name()});
    return module->name;
}

// What an interpreter is given when it starts, a later cell can't be given any more.
Status checkCell(const RunRequest &request, const Language &language)
{
    if (!request.isStateful)
        return {};
    if (request.session.isEmpty())
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine", "An interpreter that stays belongs to a session. Name one."), {});
    if (!language.cellRecipe({}, request.policy.limits))
        return fail(ErrorCode::Unsupported,
                    QT_TRANSLATE_NOOP("engine", "No interpreter for %1 can stay. Interpreters for %2 can."),
                    {language.name(),
                     Languages::namesOf([](const Language &each) { return each.cellRecipe({}, {}).has_value(); })});
    if (request.isParallel)
        return fail(
            ErrorCode::InvalidInput,
            QT_TRANSLATE_NOOP("engine", "An interpreter that stays works in the session itself, not in a copy."), {});
    const char *given = nullptr;
    if (!request.policy.allow.isEmpty())
        given =
            QT_TRANSLATE_NOOP("engine", "An interpreter that stays can't be allowed hosts. Run the code by itself.");
    else if (!request.secrets.empty())
        given =
            QT_TRANSLATE_NOOP("engine", "An interpreter that stays can't be given secrets. Run the code by itself.");
    else if (!request.policy.folders.isEmpty())
        given = QT_TRANSLATE_NOOP("engine",
                                  "An interpreter that stays can't be shown folders. Put files into the session.");
    else if (!request.files.isEmpty())
        given =
            QT_TRANSLATE_NOOP("engine", "An interpreter that stays can't be given files. Put them into the session.");
    else if (!request.args.isEmpty() || !request.variables.empty())
        given = QT_TRANSLATE_NOOP("engine", "An interpreter that stays takes no arguments and no variables of the "
                                            "environment. Write them into the code.");
    else if (request.terminal)
        given = QT_TRANSLATE_NOOP("engine", "An interpreter that stays has no terminal. Run the code by itself.");
    return given ? Status(fail(ErrorCode::Unsupported, given, {})) : Status();
}

} // namespace

bool isPackagesId(const QString &text)
{
    const auto isDigit = [](QChar digit) {
        return (digit >= u'0' && digit <= u'9') || (digit >= u'a' && digit <= u'f');
    };
    return text.size() == 2 * sha256Bytes && std::ranges::all_of(text, isDigit);
}

Status checkCodeHasItsName(const RunRequest &request)
{
    const auto language = languageOf(request);
    const QByteArray name = language ? (*language)->snippetName(request.fileName) : QByteArray();
    if (language && std::ranges::find(request.files, name, &InnerFile::name) != request.files.end())
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine", "The name \"%1\" is taken by the code itself. Rename the file."),
                    {textFromBytes(name)});
    return {};
}

Result<const Language *> languageOf(const RunRequest &request)
{
    return request.language.isEmpty() ? Languages::detect(request.fileName, request.code)
                                      : Languages::byId(request.language);
}

Result<SoundRequest> SoundRequest::check(const RunRequest &request, const Result<const Language *> &language,
                                         const Backends &backends)
{
    const bool mayTakeLong = request.isDetached && request.isParallel;
    RETURN_IF_ERROR(validate(request.policy, mayTakeLong ? LimitRange::jobWallMax : LimitRange::wallMax));
    ASSIGN_OR_RETURN(const auto backend, backends.of(request.policy.backend));
    ASSIGN_OR_RETURN(auto allowlist, allowlistFromTexts(request.policy.allow));
    RETURN_IF_ERROR(checkSecretGrants(request.secrets));
    RETURN_IF_ERROR(validateCode(request.code));
    RETURN_IF_ERROR(validateArguments(request.args));
    if (!request.session.isEmpty() && !isId(request.session))
        return fail(ErrorCode::InvalidInput, QT_TRANSLATE_NOOP("engine", "\"%1\" is not the id of a session."),
                    {request.session.left(64)});
    if (request.isParallel && request.session.isEmpty())
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine", "Only a run in a session can be parallel. Name the session."), {});
    RETURN_IF_ERROR(checkVariables(request.variables, request.secrets));
    if (!language)
        return std::unexpected(language.error());
    RETURN_IF_ERROR(checkPackages(request, **language));
    RETURN_IF_ERROR(checkCell(request, **language));
    const QByteArray snippet = (*language)->snippetName(request.fileName);
    ASSIGN_OR_RETURN(const QByteArray module, moduleOf(request, **language));
    RETURN_IF_ERROR(checkCodeHasItsName(request));
    RETURN_IF_ERROR(checkFiles(request, module));
    RETURN_IF_ERROR(checkPlaces(request, snippet, module));
    return SoundRequest(request, **language, *backend, std::move(allowlist));
}

} // namespace glovebox
