// SPDX-License-Identifier: Apache-2.0
#include "artifact.h"

#include <QJsonArray>

#include <array>
#include <utility>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

struct Magic
{
    const char *type;
    QByteArrayView bytes;
    qsizetype offset = 0;
};

// Each begins by its standard: PNG (RFC 2083), JPEG (ITU T.81), GIF89a, RIFF, PDF (ISO 32000), ZIP (APPNOTE), gzip (RFC 1952),
// SQLite's file format.
const auto &magics()
{
    static constexpr std::array table{
        Magic{"image/png", "\x89PNG\r\n\x1a\n"},
        Magic{"image/jpeg", "\xff\xd8\xff"},
        Magic{"image/gif", "GIF8"},
        Magic{"image/webp", "WEBP", 8},
        Magic{"application/pdf", "%PDF-"},
        Magic{"application/zip", "PK\x03\x04"},
        Magic{"application/gzip", "\x1f\x8b"},
        Magic{"application/vnd.sqlite3", "SQLite format 3"},
    };
    return table;
}

// Two letters alone would be any text's; four bytes behind the size are zero.
bool looksLikeBitmap(QByteArrayView beginning)
{
    constexpr std::array<char, 4> reserved{};
    return beginning.size() >= 14 && beginning.startsWith("BM")
           && beginning.sliced(6, 4) == QByteArrayView(reserved.data(), reserved.size());
}

// Only what is shown in a way of its own, or what people would search for.
QString textTypeOf(QStringView path)
{
    static const std::pair<QLatin1StringView, const char *> endings[] = {
        {".csv"_L1, "text/csv"},          {".tsv"_L1, "text/tab-separated-values"},
        {".json"_L1, "application/json"}, {".ipynb"_L1, "application/json"},
        {".html"_L1, "text/html"},        {".htm"_L1, "text/html"},
        {".svg"_L1, "image/svg+xml"},     {".xml"_L1, "application/xml"},
        {".md"_L1, "text/markdown"},      {".py"_L1, "text/x-python"},
        {".js"_L1, "text/javascript"},    {".css"_L1, "text/css"},
    };
    for (const auto &[ending, type] : endings) {
        if (path.endsWith(ending, Qt::CaseInsensitive))
            return QString::fromLatin1(type);
    }
    return u"text/plain"_s;
}

// A character may be cut off at the end.
bool looksLikeText(QByteArrayView bytes)
{
    while (!bytes.isEmpty()) {
        const int length = utf8CharacterAt(bytes);
        if (length == 0)
            return bytes.size() < utf8Length(uchar(bytes[0]));
        if (bytes[0] == '\0')
            return false;
        bytes = bytes.sliced(length);
    }
    return true;
}

} // namespace

Status checkNotWithheld(const Artifact &artifact)
{
    if (!artifact.isWithheld())
        return {};
    return fail(
        ErrorCode::PermissionDenied,
        QT_TRANSLATE_NOOP("engine", "\"%1\" is withheld, as it holds the value of a secret (%2). Release it first."),
        {artifact.path, artifact.secrets.join(u", "_s)});
}

QString mediaTypeOf(QStringView path, QByteArrayView beginning)
{
    for (const Magic &magic : magics()) {
        if (beginning.size() >= magic.offset && beginning.sliced(magic.offset).startsWith(magic.bytes))
            return QString::fromLatin1(magic.type);
    }
    if (looksLikeBitmap(beginning))
        return u"image/bmp"_s;
    return looksLikeText(beginning) ? textTypeOf(path) : u"application/octet-stream"_s;
}

QString shortPath(const QString &path)
{
    constexpr qsizetype longest = 80;
    const auto quoted = [](QString text) { return u'"' + text.replace(u'"', u"\\x22"_s) + u'"'; };
    if (path.size() <= longest)
        return quoted(path);
    QString beginning = path.first(longest / 2);
    QString end = path.last(longest / 2 - 3);
    if (beginning.back().isHighSurrogate())
        beginning.chop(1);
    if (end.front().isLowSurrogate())
        end.remove(0, 1);
    return quoted(beginning + QStringLiteral("...") + end);
}

std::unexpected<Error> wasDeleted(const Artifact &artifact)
{
    return fail(ErrorCode::NotFound,
                QT_TRANSLATE_NOOP(
                    "engine", "The file %1 was deleted with the code and output of old runs; only its entry is left."),
                {artifact.path});
}

QJsonObject toJson(const Artifact &artifact)
{
    QJsonObject object{{u"path"_s, artifact.path},
                       {u"sha256"_s, QJsonValue::Null},
                       {u"size"_s, artifact.bytes},
                       {u"media_type"_s, artifact.mediaType}};
    if (artifact.isWithheld())
        object[u"withheld"_s] = QJsonArray::fromStringList(artifact.secrets);
    else if (!artifact.digest.isEmpty())
        object[u"sha256"_s] = QString::fromLatin1(artifact.digest.toHex());
    if (artifact.isDeleted)
        object[u"deleted"_s] = true;
    return object;
}

QJsonObject toJson(const SkippedFiles &skipped)
{
    return {{u"reason"_s, toString(skipped.why)},
            {u"detail"_s, skipped.sentence.english()},
            {u"count"_s, skipped.count},
            {u"paths"_s, QJsonArray::fromStringList(skipped.paths)}};
}

} // namespace glovebox
