// SPDX-License-Identifier: Apache-2.0
// The person's list of servers, and what it says about calls.
#include "toolservers.h"

#include <QDir>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 listBytesMax = mebibyte;
constexpr qsizetype wordsMax = 256; // of a command

// Takes apart one server; the sentences name it.
class ServerReader
{
public:
    ServerReader(QString file, QString name)
        : m_file(std::move(file))
        , m_name(std::move(name))
    {
    }

    Result<ToolServer> read(const QJsonObject &object) const
    {
        for (const QString &key : object.keys()) {
            if (key != u"command"_s && key != u"environment"_s && key != u"tools"_s)
                return wrong(QT_TRANSLATE_NOOP("engine",
                                               "In %1, the server %2 has \"%3\", which is not known. A server "
                                               "has \"command\", \"environment\" and \"tools\"."),
                             {key.left(60)});
        }
        ToolServer server{.name = m_name, .command = {}, .environment = {}, .tools = {}};
        ASSIGN_OR_RETURN(server.command, texts(object, u"command"_s));
        if (server.command.isEmpty() || !QDir::isAbsolutePath(server.command.first()))
            return wrong(QT_TRANSLATE_NOOP("engine", "In %1, the command of %2 must begin with the whole path of a "
                                                     "program, such as \"/usr/bin/npx\"."));
        if (server.command.size() > wordsMax)
            return wrong(QT_TRANSLATE_NOOP("engine", "In %1, the command of %2 has too many words."));
        ASSIGN_OR_RETURN(server.environment, texts(object, u"environment"_s));
        for (const QString &variable : server.environment) {
            if (!isVariableName(variable) || decidesHowProgramsStart(variable))
                return wrong(QT_TRANSLATE_NOOP("engine", "In %1, the environment of %2 names \"%3\", which can't be "
                                                         "given to a server."),
                             {variable.left(60)});
        }
        const QJsonValue tools = object[u"tools"_s];
        if (!tools.isObject() && !tools.isUndefined())
            return wrong(QT_TRANSLATE_NOOP("engine", "In %1, \"tools\" of %2 must be an object."));
        const QJsonObject rules = tools.toObject();
        for (auto rule = rules.begin(); rule != rules.end(); ++rule) {
            ASSIGN_OR_RETURN(auto read, toolRule(rule.key(), rule.value()));
            server.tools.append(std::move(read));
        }
        return server;
    }

private:
    std::unexpected<Error> wrong(const char *sentence, const QStringList &more = {}) const
    {
        return fail(ErrorCode::InvalidInput, sentence, QStringList{m_file, m_name} + more);
    }

    Result<QStringList> texts(const QJsonObject &object, const QString &key) const
    {
        const QJsonValue value = object[key];
        QStringList list;
        for (const auto text : value.toArray()) {
            if (!text.isString() || text.toString().contains(QChar(u'\0')))
                return wrong(QT_TRANSLATE_NOOP("engine", "In %1, \"%3\" of %2 must be a list of texts."), {key});
            list.append(text.toString());
        }
        if (!value.isArray() && !value.isUndefined())
            return wrong(QT_TRANSLATE_NOOP("engine", "In %1, \"%3\" of %2 must be a list of texts."), {key});
        return list;
    }

    Result<ToolRule> toolRule(const QString &tool, const QJsonValue &value) const
    {
        if (!isToolName(tool))
            return wrong(QT_TRANSLATE_NOOP("engine", "In %1, the server %2 has a tool \"%3\", which is not a name."),
                         {tool.left(60)});
        const auto malformed = [&] {
            return wrong(QT_TRANSLATE_NOOP("engine", "In %1, the tool %3 of %2 must be {}, or name arguments with the "
                                                     "values that they may have: {\"repo\": [\"shop\"]}."),
                         {tool});
        };
        if (!value.isObject())
            return malformed();
        ToolRule rule{.tool = tool, .only = {}};
        const QJsonObject only = value.toObject();
        for (auto argument = only.begin(); argument != only.end(); ++argument) {
            const QJsonArray values = argument.value().toArray();
            if (values.isEmpty() || std::ranges::any_of(values, [](const QJsonValue &each) {
                    return !each.isString() && !each.isDouble() && !each.isBool();
                }))
                return malformed();
            rule.only.insert(argument.key(), values);
        }
        return rule;
    }

    QString m_file;
    QString m_name;
};

// Letters and digits in lower case: what names have in common that are one to some servers. JSON of many languages doesn't tell
// capital letters, nor repoName from repo_name, and of two such members the last counts.
QString spelled(const QString &name)
{
    QString same;
    const QString whole = name.section(QChar(u'\0'), 0, 0); // to C, the end
    for (const QChar character : whole.normalized(QString::NormalizationForm_KC).toCaseFolded()) {
        if (character.isLetterOrNumber())
            same += character;
    }
    return same;
}

QString namesOfServers(const QList<ToolServer> &servers)
{
    QStringList names;
    for (const ToolServer &server : servers)
        names.append(server.name);
    return names.join(u", "_s);
}

QString namesOfTools(const ToolServer &server)
{
    QStringList names;
    for (const ToolRule &rule : server.tools)
        names.append(server.name + u'.' + rule.tool);
    return names.join(u", "_s);
}

} // namespace

Result<QList<ToolServer>> readToolServers(const QString &file)
{
    ASSIGN_OR_RETURN(const auto text, readOwnFile(file, listBytesMax));
    QList<ToolServer> servers;
    if (!text)
        return servers;
    const auto object = parseStrictJson(*text);
    if (!object)
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine", "The list of servers %1 is not valid: %2 Correct the file."),
                    {file, object.error().message.english()});
    for (auto server = object->begin(); server != object->end(); ++server) {
        if (!isToolServerName(server.key()) || !server.value().isObject())
            return fail(ErrorCode::InvalidInput,
                        QT_TRANSLATE_NOOP("engine", "In %1, \"%2\" is not a server: a name of lower-case letters, "
                                                    "digits and \"_\", with an object."),
                        {file, server.key().left(60)});
        ASSIGN_OR_RETURN(auto read, ServerReader(file, server.key()).read(server.value().toObject()));
        servers.append(std::move(read));
    }
    return servers;
}

QString ToolRule::limits() const
{
    QStringList limits;
    for (auto allowed = only.begin(); allowed != only.end(); ++allowed) {
        QStringList values;
        for (const auto value : *allowed)
            values.append(value.toVariant().toString());
        limits.append(allowed.key() + u": "_s + values.join(u" or "_s));
    }
    return limits.join(u"; "_s);
}

QStringList filesOf(const QList<ToolServer> &servers)
{
    const QDir home(accountHome()); // in which they are started
    QStringList files;
    for (const ToolServer &server : servers) {
        for (const QString &word : server.command) {
            const QString name = word.startsWith(u'-') ? word.section(u'=', 1) : word;
            if (!name.isEmpty())
                files.append(QDir::cleanPath(home.absoluteFilePath(name)));
        }
    }
    return files;
}

Result<QList<ToolServer>> serversOfTools(const QList<ToolServer> &servers, const QStringList &tools)
{
    QList<ToolServer> wanted;
    for (const QString &text : tools) {
        ASSIGN_OR_RETURN(const ToolName name, toolNameFrom(text));
        const auto server = std::ranges::find(servers, name.server, &ToolServer::name);
        if (server == servers.end() && servers.isEmpty())
            return fail(ErrorCode::NotFound,
                        QT_TRANSLATE_NOOP("engine", "There is no server \"%1\", as the list of servers is empty. "
                                                    "glovebox-mcp(1) says how to add one."),
                        {name.server});
        if (server == servers.end())
            return fail(ErrorCode::NotFound,
                        QT_TRANSLATE_NOOP("engine", "There is no server \"%1\". The servers are: %2."),
                        {name.server, namesOfServers(servers)});
        const auto rule = std::ranges::find(server->tools, name.tool, &ToolRule::tool);
        if (rule == server->tools.end())
            return fail(ErrorCode::PermissionDenied,
                        QT_TRANSLATE_NOOP("engine", "The tool %1 is not on the list of servers, so no run may call "
                                                    "it. On the list of %2: %3."),
                        {text, name.server, server->tools.isEmpty() ? u"none"_s : namesOfTools(*server)});
        auto place = std::ranges::find(wanted, name.server, &ToolServer::name);
        if (place == wanted.end()) {
            wanted.append(*server);
            place = std::prev(wanted.end());
            place->tools.clear();
        }
        place->tools.append(*rule);
    }
    return wanted;
}

Status checkToolArguments(const ToolRule &rule, const QString &tool, const QJsonObject &arguments)
{
    for (auto only = rule.only.begin(); only != rule.only.end(); ++only) {
        const QJsonValue value = arguments[only.key()];
        if (value.isUndefined())
            return fail(ErrorCode::PermissionDenied,
                        QT_TRANSLATE_NOOP("engine", "The call of %1 was refused: the person limits the argument "
                                                    "\"%2\", so the call has to name it."),
                        {tool, only.key()});
        if (!only->contains(value))
            return fail(ErrorCode::PermissionDenied,
                        QT_TRANSLATE_NOOP("engine", "The call of %1 was refused: the person doesn't allow this value "
                                                    "of the argument \"%2\"."),
                        {tool, only.key()});
        const QString limited = spelled(only.key());
        for (auto other = arguments.begin(); other != arguments.end(); ++other) {
            if (!rule.only.contains(other.key()) && spelled(other.key()) == limited)
                return fail(ErrorCode::PermissionDenied,
                            QT_TRANSLATE_NOOP("engine", "The call of %1 was refused: the person limits the argument "
                                                        "\"%2\", and the call also has another spelling of \"%2\"."),
                            {tool, only.key()});
        }
    }
    return {};
}

} // namespace glovebox
