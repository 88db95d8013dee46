// SPDX-License-Identifier: Apache-2.0
#include "request.h"

#include "methods.h"
#include "results.h"
#include "server.h"

#include <QJsonDocument>

#include <array>

namespace glovebox::mcp {

using namespace Qt::StringLiterals;

namespace {

// RFC 5424, in the order of severity.
constexpr std::array logLevels{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"};

qsizetype severity(const QString &level)
{
    return std::ranges::find_if(logLevels, [&](const char *name) { return level == QLatin1StringView(name); })
           - logLevels.begin();
}

// The capability that a question needs: "elicitation/create" needs "elicitation".
QString capabilityFor(const QString &method)
{
    return method.section(u'/', 0, 0);
}

// Whether the capability "elicitation" is that for forms: by itself it is.
bool showsForms(const QJsonValue &elicitation)
{
    return elicitation.isObject() && (elicitation.toObject().isEmpty() || elicitation["form"_L1].isObject());
}

} // namespace

Request::Request(Connection &connection, Message message, qint64 bytes, Revision revision, const Method &method,
                 std::shared_ptr<Outlet> outlet)
    : m_connection(connection)
    , m_message(std::move(message))
    , m_bytes(bytes)
    , m_revision(revision)
    , m_method(method)
    , m_outlet(std::move(outlet))
{
    if (hasHandshake(revision)) {
        const Connection::Handshake handshake = connection.handshake().value_or(Connection::Handshake());
        m_capabilities = handshake.capabilities;
        m_clientName = handshake.clientName;
    } else {
        const QJsonObject meta = m_message.meta();
        m_capabilities = meta.value(u"io.modelcontextprotocol/clientCapabilities"_s).toObject();
        m_clientName = claimedName(meta.value(u"io.modelcontextprotocol/clientInfo"_s).toObject());
    }
    m_whenGone.emplace(m_outlet->gone(), [this] { cancel(); });
}

const Catalogue &Request::catalogue() const
{
    return m_connection.server().catalogue();
}

void Request::answer()
{
    if (m_stop.stop_requested())
        return;
    const Answer<QJsonObject> result = m_method.answer(*this);
    if (result)
        sendLast(resultText(m_message.id, *result), 0);
    else
        send(result.error());
}

void Request::send(const ProtocolError &error)
{
    ProtocolError own = error;
    own.id = m_message.id;
    sendLast(errorText(own, false), own.code);
}

void Request::sendLast(const QByteArray &text, int error)
{
    m_connection.forget(*this); // first: the client may use the id again as soon as it has the answer
    const std::lock_guard lock(m_sending);
    if (!m_isOver)
        m_outlet->send(text, {Sending::Kind::Response, error});
    m_isOver = true;
}

void Request::cancel()
{
    m_isOver = true; // no lock: who sends may find that the client is gone, and then cancels all of its requests
    m_stop.request_stop();
}

void Request::notify(const QString &method, const QJsonObject &params) const
{
    const std::lock_guard lock(m_sending);
    if (!m_isOver)
        m_outlet->send(notificationText(method, params), {Sending::Kind::Notification, 0});
}

// The call that a state belongs to: the same one of the same client, made again.
QByteArray Request::boundTo() const
{
    return QByteArray::number(quintptr(&client())) + ' ' + m_method.name + ' '
           + QJsonDocument(QJsonArray{params().value(u"name"_s), params().value(u"uri"_s), m_arguments})
                 .toJson(QJsonDocument::Compact);
}

QString Request::sealedState() const
{
    return m_keep.isEmpty() ? QString() : m_connection.server().seal().seal(m_keep, boundTo());
}

Answer<void> Request::openState()
{
    if (hasHandshake(m_revision))
        return {};
    const QJsonValue answers = params().value(u"inputResponses"_s), state = params().value(u"requestState"_s);
    if (!answers.isUndefined() && !answers.isObject())
        return refuse(ErrorNumber::invalidParams, u"The \"inputResponses\" of params are an object."_s);
    const QJsonObject answered = answers.toObject();
    for (const auto &answer : answered) {
        if (!answer.isObject())
            return refuse(ErrorNumber::invalidParams, u"Each of the \"inputResponses\" is an object."_s);
    }
    if (state.isUndefined())
        return {};
    const auto opened = m_connection.server().seal().open(state.toString(), boundTo());
    if (!opened)
        return refuse(ErrorNumber::invalidParams,
                      u"The \"requestState\" is not of this call, or too old. Call again without it."_s);
    m_state = *opened;
    return {};
}

Result<Engine *> Request::engine() const
{
    return m_connection.server().engine();
}

Caller Request::caller() const
{
    Caller caller = m_connection.client().caller;
    if (caller.pairing.isEmpty()) // else the name that the person knows it by
        caller.claimed = m_clientName;
    caller.isAskable = hasElicitation(m_revision) && showsForms(m_capabilities.value(u"elicitation"_s));
    return caller;
}

bool Request::mayBecomeTask() const
{
    return hasTaskExtension(m_revision) && m_capabilities["extensions"_L1][tasksExtension].isObject();
}

void Request::progress(double done, const QString &line) const
{
    progress(done, std::nullopt, line);
}

void Request::progress(double done, double total, const QString &line) const
{
    progress(done, std::optional(total), line);
}

void Request::progress(double done, std::optional<double> total, const QString &line) const
{
    if (!wantsProgress())
        return;
    const std::lock_guard lock(m_sending);
    m_done = done > m_done ? done : m_done + 0.001;
    m_total = total;
    m_line = line;
    sendProgress();
}

void Request::beat()
{
    if (!wantsProgress())
        return;
    const std::lock_guard lock(m_sending);
    if (std::chrono::steady_clock::now() - m_told < heartbeat)
        return;
    m_done = m_done < 0 ? 0 : m_done + 0.001;
    sendProgress();
}

bool Request::wantsProgress() const
{
    const QJsonValue token = m_message.meta().value(u"progressToken"_s);
    return token.isString() || token.isDouble();
}

void Request::sendProgress() const
{
    if (m_isOver)
        return;
    QJsonObject params{{u"progressToken"_s, m_message.meta().value(u"progressToken"_s)}, {u"progress"_s, m_done}};
    if (m_total)
        params[u"total"_s] = *m_total;
    if (!m_line.isEmpty() && hasProgressMessages(m_revision))
        params[u"message"_s] = m_line;
    m_told = std::chrono::steady_clock::now();
    m_outlet->send(notificationText(u"notifications/progress"_s, params), {Sending::Kind::Notification, 0});
}

void Request::log(const QString &level, const QJsonValue &data) const
{
    const QString wanted = hasHandshake(m_revision)
                               ? m_connection.logLevel()
                               : m_message.meta().value(u"io.modelcontextprotocol/logLevel"_s).toString();
    if (wanted.isEmpty() || severity(level) < severity(wanted))
        return;
    notify(u"notifications/message"_s, {{u"level"_s, level}, {u"logger"_s, catalogue().name}, {u"data"_s, data}});
}

void Request::resourceChanged(const QString &uri) const
{
    m_connection.server().resourceChanged(client(), uri);
}

Result<QJsonObject> Request::ask(const QMap<QString, ClientQuestion> &questions, const QJsonObject &keep,
                                 std::chrono::milliseconds longest, const std::stop_token &over) const
{
    for (const ClientQuestion &question : questions) {
        const QString capability = capabilityFor(question.method);
        if (m_capabilities.value(capability).isObject())
            continue;
        m_missing = capability;
        return fail(ErrorCode::Unsupported, "The client can't be asked: it lacks the capability \"%1\".", {capability});
    }
    QJsonObject answers;
    if (hasHandshake(m_revision)) {
        std::stop_source either;
        const std::stop_callback whenCancelled(m_stop.get_token(), [&either] { either.request_stop(); });
        const std::stop_callback whenOver(over, [&either] { either.request_stop(); });
        for (auto question = questions.begin(); question != questions.end(); ++question) {
            ASSIGN_OR_RETURN(answers[question.key()], m_connection.ask(question->method, question->params, *m_outlet,
                                                                       either.get_token(), longest));
        }
        return answers;
    }
    const QJsonObject given = params().value(u"inputResponses"_s).toObject();
    for (auto question = questions.begin(); question != questions.end(); ++question) {
        if (given.value(question.key()).isObject())
            answers[question.key()] = given.value(question.key());
        else
            m_open[question.key()] = *question;
    }
    if (m_open.isEmpty() && !questions.isEmpty())
        return answers;
    m_asksAgain = true;
    m_keep = keep;
    return fail(ErrorCode::Cancelled, "The client is to ask again with its answers.", {});
}

} // namespace glovebox::mcp
