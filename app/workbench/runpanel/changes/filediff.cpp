// SPDX-License-Identifier: Apache-2.0
#include "filediff.h"

#include "app/workbench/shell/words/words.h"

#include <QCoreApplication>
#include <QStringDecoder>

namespace glovebox {

namespace {

constexpr qint64 mostBytes = 1 * mebibyte; // of a file that is compared

std::optional<QString> textOf(const std::optional<QByteArray> &bytes)
{
    if (!bytes)
        return QString();
    QStringDecoder decoder(QStringDecoder::Utf8);
    const QString text = decoder(*bytes);
    return decoder.hasError() || bytes->contains('\0') ? std::nullopt : std::optional(text);
}

} // namespace

FileDiff fileDiff(Engine &engine, const QString &run, const QString &folder, const QByteArray &path)
{
    const auto versions = engine.staging().versions(run, folder, path, mostBytes);
    if (!versions)
        return std::unexpected(translated(versions.error().message));
    const auto before = textOf(versions->original);
    const auto after = textOf(versions->copy);
    if (!before || !after)
        return std::unexpected(QCoreApplication::translate("glovebox::ChangesTab", "This file is not text."));
    QList<DiffLine> lines = lineDiff(*before, *after);
    if (lines.isEmpty() || (lines.size() == 1 && lines.first().kind == DiffLine::Kind::Gap))
        return std::unexpected(QCoreApplication::translate("glovebox::ChangesTab", "The content is the same."));
    return lines;
}

} // namespace glovebox
