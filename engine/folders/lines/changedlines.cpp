// SPDX-License-Identifier: Apache-2.0
#include "engine/folders/folders.h"

#include <QStringDecoder>

namespace glovebox {

namespace {

constexpr qint64 mostComparedBytes = 1 * mebibyte; // of a version

// Nothing: no text. A byte order mark is part of the text.
std::optional<QString> textOf(const QByteArray &bytes)
{
    QStringDecoder decoder(QStringDecoder::Utf8,
                           QStringDecoder::Flag::Stateless | QStringDecoder::Flag::ConvertInitialBom);
    const QString text = decoder(bytes);
    return decoder.hasError() || bytes.contains('\0') ? std::nullopt : std::optional(text);
}

} // namespace

Result<QList<DiffLine>> changedLines(const Staging &staging, const QString &run, const QString &folder,
                                     const FolderChange &change)
{
    ASSIGN_OR_RETURN(const auto versions, staging.versions(run, folder, change.path, mostComparedBytes));
    if (!versions.original && change.kind != FolderChange::Kind::Added)
        return fail(ErrorCode::NotFound, QT_TRANSLATE_NOOP("engine", "The original can't be read, or isn't there any "
                                                                     "longer, so nothing can be compared."));
    if (!versions.copy && change.kind != FolderChange::Kind::Removed)
        return fail(ErrorCode::NotFound,
                    QT_TRANSLATE_NOOP("engine", "The content that the run wrote can't be read, so nothing can "
                                                "be compared."));
    const auto before = textOf(versions.original.value_or(QByteArray()));
    const auto after = textOf(versions.copy.value_or(QByteArray()));
    if (!before || !after)
        return fail(ErrorCode::InvalidInput, QT_TRANSLATE_NOOP("engine", "This file is not text in UTF-8."));
    QList<DiffLine> lines = lineDiff(*before, *after);
    if (lines.size() == 1 && lines.first().kind == DiffLine::Kind::Gap) // all is the same
        lines.clear();
    return lines;
}

// A file that was added isn't empty where somebody has put the same content into the original since.
Text whyNoLines(const FolderChange &change)
{
    return change.kind == FolderChange::Kind::Changed || change.bytes > 0
               ? Text(QT_TRANSLATE_NOOP("engine", "The content is the same."))
               : Text(QT_TRANSLATE_NOOP("engine", "The file is empty."));
}

} // namespace glovebox
