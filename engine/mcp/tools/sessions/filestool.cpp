// SPDX-License-Identifier: Apache-2.0
// The tool files: the files of a session, between its runs.
#include "engine/mcp/tools/jsonschema.h"
#include "engine/mcp/tools/tools.h"
#include "sessiontools.h"

namespace glovebox::mcp {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype listedFilesMax = 500;
constexpr qint64 readMax = 256 * kibibyte;
constexpr int writtenCharactersMax = 1024 * 1024;

// Names that are no UTF-8 can't be named in JSON, and are shown with their odd bytes escaped.
QJsonObject shownEntry(const SessionEntry &entry)
{
    static constexpr const char *types[] = {"file", "folder", "link", "file"};
    return {
        {u"path"_s, textFromBytes(entry.path)},
        {u"type"_s, QLatin1StringView(types[int(entry.type)])},
        {u"bytes"_s, entry.bytes},
        {u"target"_s, entry.type == SessionEntry::Type::Link ? QJsonValue(textFromBytes(entry.target)) : QJsonValue()}};
}

ToolReply replyOf(const Session &session, const QJsonObject &more, const QString &text)
{
    QJsonObject structured{
        {u"session"_s, session.id}, {u"snapshot"_s, session.head}, {u"files"_s, QJsonArray()}, {u"more"_s, 0}};
    for (auto member = more.begin(); member != more.end(); ++member)
        structured.insert(member.key(), member.value());
    return {.structured = structured, .text = text};
}

ToolReply listing(const Session &session, const SessionTree &tree, const QByteArray &path)
{
    QJsonArray files;
    QStringList lines;
    qint64 more = 0;
    for (const SessionEntry &entry : tree) {
        if (!path.isEmpty() && entry.path != path && !entry.path.startsWith(path + '/'))
            continue;
        if (files.size() >= listedFilesMax) {
            ++more;
            continue;
        }
        files.append(shownEntry(entry));
        lines.append(u"%1 %2"_s.arg(QString::number(entry.bytes), textFromBytes(entry.path)));
    }
    if (more > 0)
        lines.append(u"and %1 more: give a folder as \"path\""_s.arg(more));
    return replyOf(session, {{u"files"_s, files}, {u"more"_s, more}},
                   lines.isEmpty() ? u"No files."_s : lines.join(u'\n'));
}

bool isWholeText(QByteArrayView bytes)
{
    return QString::fromUtf8(bytes).toUtf8() == bytes && !bytes.contains('\0');
}

// A piece of a text may end within a character, with which the next piece begins then.
void dropCutCharacter(QByteArray &piece)
{
    constexpr qsizetype longestCut = 3; // bytes of one of four
    for (qsizetype cut = 1; cut <= longestCut && cut < piece.size() && !isWholeText(piece); ++cut) {
        const auto lead = static_cast<unsigned char>(piece[piece.size() - cut]);
        const qsizetype length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
        if (length > cut && isWholeText(QByteArrayView(piece).chopped(cut)))
            piece.chop(cut);
    }
}

Result<ToolReply> reading(const Engine &engine, const Session &session, const SessionEntry &entry, qint64 offset,
                          qint64 max)
{
    if (entry.type != SessionEntry::Type::File && entry.type != SessionEntry::Type::SameFile)
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine", "\"%1\" is a folder or a link, which has no content."),
                    {textFromBytes(entry.path)});
    QByteArray content;
    qint64 at = 0;
    RETURN_IF_ERROR(engine.sessions().pass(session, entry, [&](QByteArrayView piece) {
        const qint64 from = std::clamp<qint64>(offset - at, 0, piece.size());
        content += piece.sliced(from).first(std::min<qint64>(piece.size() - from, max - content.size()));
        at += piece.size();
        return Status();
    }));
    if (offset + content.size() < entry.bytes)
        dropCutCharacter(content);
    const bool isText = isWholeText(content);
    const qint64 next = offset + content.size();
    const QString shown = isText ? QString::fromUtf8(content) : QString::fromLatin1(content.toBase64());
    return replyOf(session,
                   {{u"content"_s, shown},
                    {u"encoding"_s, isText ? u"utf-8"_s : u"base64"_s},
                    {u"bytes"_s, entry.bytes},
                    {u"next_offset"_s, next < entry.bytes ? QJsonValue(next) : QJsonValue()}},
                   shown);
}

Result<QByteArray> contentFrom(const QJsonObject &arguments)
{
    const QString text = arguments["content"_L1].toString();
    if (arguments["encoding"_L1].toString() != "base64"_L1) {
        if (QByteArray bytes = text.toUtf8(); QString::fromUtf8(bytes) == text)
            return bytes;
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine", "The content has half of a surrogate pair, which is not a character. "
                                                "Give it as base64."),
                    {});
    }
    auto decoded = QByteArray::fromBase64Encoding(text.toLatin1(), QByteArray::AbortOnBase64DecodingErrors);
    if (!decoded)
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine", "The content is not base64. Encode it, or give text."), {});
    return *std::move(decoded);
}

Result<ToolReply> useFiles(const Call &call)
{
    const QJsonObject &arguments = call.arguments();
    const QString action = arguments["action"_L1].toString();
    const QByteArray path = arguments["path"_L1].toString().toUtf8();
    ASSIGN_OR_RETURN(Engine *const engine, call.engine());
    ASSIGN_OR_RETURN(const Session session, sessionFrom(*engine, call));
    if (action == "write"_L1) {
        ASSIGN_OR_RETURN(QByteArray content, contentFrom(arguments));
        const qint64 bytes = content.size();
        ASSIGN_OR_RETURN(const Session written,
                         engine->changeSession(session.id, WriteFile{path, std::move(content)}, call.caller()));
        return replyOf(written, {{u"bytes"_s, bytes}},
                       bytes == 1 ? u"Written: 1 byte."_s : u"Written: %1 bytes."_s.arg(bytes));
    }
    if (action == "remove"_L1) {
        ASSIGN_OR_RETURN(const Session left, engine->changeSession(session.id, RemoveFile{path}, call.caller()));
        return replyOf(left, {}, u"Removed. Roll back to snapshot %1 to undo this."_s.arg(session.head));
    }
    ASSIGN_OR_RETURN(const SessionTree tree, engine->sessions().tree(session));
    if (action == "list"_L1)
        return listing(session, tree, path);
    const auto entry = std::ranges::find(tree, path, &SessionEntry::path);
    if (entry == tree.end())
        return fail(ErrorCode::NotFound, QT_TRANSLATE_NOOP("engine", "The session has no file \"%1\"."),
                    {textFromBytes(path)});
    return reading(*engine, session, *entry, arguments["offset"_L1].toInteger(),
                   arguments["max"_L1].toInteger(64 * kibibyte));
}

QJsonObject filesSchema()
{
    using namespace schema;
    const QJsonObject file = object({{u"path"_s, text(u"below /work"_s)},
                                     {u"type"_s, oneOf({u"file"_s, u"folder"_s, u"link"_s})},
                                     {u"bytes"_s, integer()},
                                     {u"target"_s, optional(text(u"of a link"_s))}});
    return object({{u"session"_s, text()},
                   {u"snapshot"_s, integer(u"the newest one's number now"_s)},
                   {u"files"_s, list(file)},
                   {u"more"_s, integer(u"files that aren't listed"_s)},
                   {u"content"_s, text()},
                   {u"encoding"_s, oneOf({u"utf-8"_s, u"base64"_s})},
                   {u"bytes"_s, integer(u"of the whole file"_s)},
                   {u"next_offset"_s, optional(integer(u"where the rest begins; null: this was all"_s))}},
                  {u"session"_s, u"snapshot"_s, u"files"_s, u"more"_s});
}

} // namespace

Tool filesTool()
{
    using namespace schema;
    return {
        .name = u"files"_s,
        .title = u"Files of a session"_s,
        .description =
            u"Lists, reads, writes and removes files of a session of yours, between its runs. Paths are relative to "
            "/work. Binary content is base64. Long files come in pieces: go on at \"next_offset\". Each change is a "
            "snapshot that the tool session can roll back."_s,
        .inputSchema = object(
            {{u"action"_s, oneOf({u"list"_s, u"read"_s, u"write"_s, u"remove"_s})},
             {u"session"_s, sessionArgument(u"id"_s)},
             {u"path"_s, with(text(u"of a file; of list: only what is below this folder"_s), {{u"maxLength"_s, 4095}})},
             {u"content"_s, with(text(u"to be written"_s), {{u"maxLength"_s, writtenCharactersMax}})},
             {u"encoding"_s, oneOf({u"utf-8"_s, u"base64"_s}, u"of content; utf-8 by default"_s)},
             {u"offset"_s,
              with(integer(u"bytes to skip when reading"_s), {{u"minimum"_s, 0}, {u"maximum"_s, qint64(1) << 53}})},
             {u"max"_s,
              with(integer(u"bytes to read; 65536 by default"_s), {{u"minimum"_s, 1}, {u"maximum"_s, readMax}})}},
            {u"action"_s, u"session"_s}),
        .outputSchema = filesSchema(),
        .annotations = {{u"readOnlyHint"_s, false},
                        {u"destructiveHint"_s, true},
                        {u"idempotentHint"_s, false},
                        {u"openWorldHint"_s, false}},
        .run = useFiles};
}

} // namespace glovebox::mcp
