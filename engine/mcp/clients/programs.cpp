// SPDX-License-Identifier: Apache-2.0
// The table of programs: where each keeps its servers, and what an entry is made of.
#include "clients.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonObject>

#include <algorithm>

namespace glovebox::mcp {

using namespace Qt::StringLiterals;

namespace {

// Relative paths in these variables are to be ignored (XDG base directory specification).
QString absoluteFrom(const QProcessEnvironment &environment, const QString &variable)
{
    const QString value = environment.value(variable);
    return value.startsWith(u'/') ? QDir::cleanPath(value) : QString();
}

QString firstOf(std::initializer_list<QString> folders)
{
    const auto *set = std::ranges::find_if_not(folders, &QString::isEmpty);
    return set == folders.end() ? QString() : *set;
}

QString below(const QString &folder, const QString &path)
{
    return folder.isEmpty() ? QString() : folder + path;
}

// LM Studio's folder can be moved; then this file says where it is.
QString studioFolder(const QString &home)
{
    QFile pointer(home + u"/.lmstudio-home-pointer"_s);
    constexpr qint64 longestPath = 4096;
    if (pointer.open(QIODevice::ReadOnly)) {
        const QString folder = QFile::decodeName(pointer.read(longestPath).trimmed());
        if (folder.startsWith(u'/'))
            return QDir::cleanPath(folder);
    }
    return home + u"/.lmstudio"_s;
}

} // namespace

QList<ClientProgram> clientPrograms(const QProcessEnvironment &environment)
{
    const auto variable = [&](const QString &name) { return absoluteFrom(environment, name); };
    const QString home = firstOf({variable(u"HOME"_s), QDir::homePath()});
    const QString config = firstOf({variable(u"XDG_CONFIG_HOME"_s), home + u"/.config"_s});
    const QString code = firstOf({below(variable(u"VSCODE_PORTABLE"_s), u"/user-data"_s),
                                  below(variable(u"VSCODE_APPDATA"_s), u"/Code"_s), config + u"/Code"_s});
    const QString goose = firstOf({below(variable(u"GOOSE_PATH_ROOT"_s), u"/config"_s), config + u"/goose"_s});
    const QString zed = firstOf({variable(u"FLATPAK_XDG_CONFIG_HOME"_s), config}) + u"/zed"_s;

    const QString servers = u"mcpServers"_s;
    const QString command = u"command"_s;
    const QList<std::pair<QString, QJsonValue>> stdio{{u"type"_s, u"stdio"_s}};
    const auto headers = [](const QString &token) {
        return std::pair<QString, QJsonValue>{u"headers"_s, QJsonObject{{u"Authorization"_s, u"Bearer "_s + token}}};
    };
    const std::pair<QString, QJsonValue> url{u"url"_s, u"%1"_s}, http{u"type"_s, u"http"_s};
    using enum ClientProgram::Format;
    return {
        {u"claude-code"_s,
         u"Claude Code"_s,
         firstOf({variable(u"CLAUDE_CONFIG_DIR"_s), home}) + u"/.claude.json"_s,
         Json,
         servers,
         command,
         stdio,
         {},
         {http, url, headers(u"${GLOVEBOX_TOKEN}"_s)},
         true},
        {u"claude-desktop"_s,
         u"Claude Desktop"_s,
         config + u"/Claude/claude_desktop_config.json"_s,
         Json,
         servers,
         command,
         {},
         {},
         {},
         false},
        {u"codex"_s,
         u"Codex"_s,
         firstOf({variable(u"CODEX_HOME"_s), home + u"/.codex"_s}) + u"/config.toml"_s,
         Toml,
         u"mcp_servers"_s,
         command,
         {},
         {},
         {url, {u"bearer_token_env_var"_s, u"GLOVEBOX_TOKEN"_s}},
         true},
        {u"vscode"_s,
         u"VS Code"_s,
         code + u"/User/mcp.json"_s,
         Json,
         u"servers"_s,
         command,
         stdio,
         {},
         {http, url, headers(u"${env:GLOVEBOX_TOKEN}"_s)},
         true},
        {u"cursor"_s,
         u"Cursor"_s,
         home + u"/.cursor/mcp.json"_s,
         Json,
         servers,
         command,
         {},
         {},
         {url, headers(u"${env:GLOVEBOX_TOKEN}"_s)},
         true},
        {u"goose"_s,
         u"Goose"_s,
         goose + u"/config.yaml"_s,
         Yaml,
         u"extensions"_s,
         u"cmd"_s,
         {{u"enabled"_s, true},
          {u"type"_s, u"stdio"_s},
          {u"name"_s, u"glovebox"_s},
          {u"description"_s, u"Runs code sealed off from this machine"_s}},
         {{u"envs"_s, QJsonObject()}, {u"env_keys"_s, QJsonArray()}, {u"timeout"_s, 300}},
         {{u"enabled"_s, true},
          {u"type"_s, u"streamable_http"_s},
          {u"name"_s, u"glovebox"_s},
          {u"description"_s, u"Runs code sealed off from this machine"_s},
          {u"uri"_s, u"%1"_s},
          headers(u"TOKEN"_s),
          {u"timeout"_s, 300}},
         false},
        {u"lm-studio"_s,
         u"LM Studio"_s,
         studioFolder(home) + u"/mcp.json"_s,
         Json,
         servers,
         command,
         {},
         {},
         {url, headers(u"TOKEN"_s)},
         false},
        {u"zed"_s,
         u"Zed"_s,
         zed + u"/settings.json"_s,
         Json,
         u"context_servers"_s,
         command,
         {},
         {},
         {url, headers(u"TOKEN"_s)},
         false},
        {u"gemini-cli"_s,
         u"Gemini CLI"_s,
         firstOf({variable(u"GEMINI_CLI_HOME"_s), home}) + u"/.gemini/settings.json"_s,
         Json,
         servers,
         command,
         {},
         {},
         {{u"httpUrl"_s, u"%1"_s}, headers(u"$GLOVEBOX_TOKEN"_s)},
         true},
    };
}

Result<ClientProgram> clientProgram(const QString &id)
{
    const QList<ClientProgram> programs = clientPrograms();
    const auto found = std::ranges::find(programs, id, &ClientProgram::id);
    if (found != programs.end())
        return *found;
    QStringList ids;
    for (const ClientProgram &program : programs)
        ids.append(program.id);
    return fail(ErrorCode::InvalidInput, QT_TRANSLATE_NOOP("engine", "There is no client \"%1\". Name one of %2."),
                {id, ids.join(u", "_s)});
}

Result<QString> serverCommand()
{
    QString path = QDir::cleanPath(QCoreApplication::applicationDirPath() + u"/glovebox"_s);
    if (QFileInfo(path).isExecutable())
        return path;
    return fail(
        ErrorCode::NotFound,
        QT_TRANSLATE_NOOP("engine", "The program %1, which clients start, isn't there. Install Glovebox again."),
        {path});
}

} // namespace glovebox::mcp
