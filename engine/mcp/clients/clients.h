// SPDX-License-Identifier: Apache-2.0
// The programs that Glovebox can be a server of, and the entries for it in their configuration files.
//
// Where each program keeps its servers on Linux, and under which names, is said by
//   Claude Code     https://code.claude.com/docs/en/mcp, https://code.claude.com/docs/en/settings (CLAUDE_CONFIG_DIR)
//   Claude Desktop  https://modelcontextprotocol.io/docs/develop/connect-local-servers; the folder is Electron's userData
//   Codex           https://github.com/openai/codex/blob/main/docs/config.md (mcp_servers, CODEX_HOME)
//   VS Code         https://code.visualstudio.com/docs/copilot/reference/mcp-configuration; the folder: vscode
//                   src/vs/platform/environment/node/userDataPath.ts
//   Cursor          https://cursor.com/docs/context/mcp
//   Goose           https://block.github.io/goose/docs/guides/config-files; goose crates/goose/src/config/paths.rs, agents/extension.rs
//   LM Studio       https://lmstudio.ai/docs/app/mcp
//   Zed             https://zed.dev/docs/ai/mcp; zed crates/paths/src/paths.rs
//   Gemini CLI      https://geminicli.com/docs/tools/mcp-server; gemini-cli packages/core/src/utils/paths.ts (GEMINI_CLI_HOME)
// A repository's own files (.mcp.json, .vscode/mcp.json ...) are never written: they travel to other people's machines.
//
// The text around Glovebox's entry stays byte for byte: comments, indentation, line ends, the order of keys. A file that can't be
// understood is left alone. Everything here blocks on the disk and may be called from any thread.
#pragma once

#include "engine/base/base.h"

#include <QJsonValue>
#include <QList>
#include <QProcessEnvironment>

#include <optional>
#include <utility>

namespace glovebox::mcp {

struct ClientProgram
{
    enum class Format { Json, Toml, Yaml }; // Json: with comments and trailing commas, too

    QString id; // "claude-code"
    QString name; // "Claude Code"
    QString file; // absolute path
    Format format = Format::Json;
    QString section; // the table of all servers in the file
    QString commandKey; // in an entry of the section: the program, and beside it "args"; empty: neither
    QList<std::pair<QString, QJsonValue>> before, after; // further settings of an entry, before and after these two
    // All settings of an entry that connects over HTTP, with %1 for the address. Empty: the program can't.
    QList<std::pair<QString, QJsonValue>> http;
    bool readsToken = false; // over HTTP, from the environment (GLOVEBOX_TOKEN); else it is in the entry, for "TOKEN"

    bool operator==(const ClientProgram &) const = default;
};

// All of them, in the order in which they are listed. The environment tells where the files are.
QList<ClientProgram> clientPrograms(const QProcessEnvironment &environment = QProcessEnvironment::systemEnvironment());
// InvalidInput: the sentence lists the ids.
Result<ClientProgram> clientProgram(const QString &id);

// The absolute path of the program `glovebox` beside the running one.
Result<QString> serverCommand();
// What an otherwise empty configuration file with Glovebox's entry looks like.
QByteArray entryText(const ClientProgram &program, const QString &command);
// The same of an entry that connects to a Glovebox that serves HTTP at url. Holds no token. Unsupported: the program can't.
Result<QByteArray> httpEntryText(const ClientProgram &program, const QString &url);

// What the configuration of a program says of Glovebox.
struct ClientEntry
{
    enum class State {
        None, // no entry, or no file
        Glovebox, // starts a program called glovebox, by `mcp`
        Other, // an entry of that name which starts something else, or connects over HTTP
    };
    QString file; // absolute path, links followed
    State state = State::None;
    QString command; // the program that the entry starts; empty: none

    bool operator==(const ClientEntry &) const = default;
};

// Errors: the file can't be read or understood.
Result<ClientEntry> entryOf(const ClientProgram &program);

struct ConfigurationChange
{
    enum class Found { Nothing, SameEntry, OtherEntry }; // OtherEntry: one of another command or other arguments

    QString client; // its name
    QString file; // absolute path, links followed
    Found found = Found::Nothing;
    std::optional<QByteArray> before; // nothing: there is no file
    std::optional<QByteArray> after; // nothing: there shall be none
    QByteArray difference; // unified, in UTF-8; empty where nothing changes

    bool changesNothing() const { return before == after; }
    bool operator==(const ConfigurationChange &) const = default;
};

// What would be written so that the program starts `COMMAND mcp`. Nothing is written yet. Of an entry that is there with another
// command, only command and arguments are replaced where that is possible.
Result<ConfigurationChange> planInstall(const ClientProgram &program, const QString &command);
// What would be written so that Glovebox's entry is gone. A section or a file that planInstall() made goes, too, when nothing else
// is in it, and so do folders that applyChange() made, once they are empty. PermissionDenied where the entry starts another program than a
// glovebox: then somebody else wrote it.
Result<ConfigurationChange> planUninstall(const ClientProgram &program);

// Writes what was planned; Busy when the file isn't any more what the plan was made for. The bytes before are kept beside the
// file, as FILE.glovebox-backup with mode 0600 (tokens may be in it), until planUninstall() leads back to them. Whenever this is
// killed, the old file or the new one is there. Mode and owner stay.
Status applyChange(const ConfigurationChange &change);

} // namespace glovebox::mcp

namespace glovebox {

template<>
inline constexpr auto enumNames<mcp::ClientEntry::State> = namesOf<mcp::ClientEntry::State>({
    {mcp::ClientEntry::State::None, "none"},
    {mcp::ClientEntry::State::Glovebox, "glovebox"},
    {mcp::ClientEntry::State::Other, "other"},
});

} // namespace glovebox
