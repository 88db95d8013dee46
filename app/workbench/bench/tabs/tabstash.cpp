// SPDX-License-Identifier: Apache-2.0
// What of a tab comes back after a crash or a restart. Of secrets it is names only: values are in no stash.
#include "app/workbench/bench/benchtab.h"

#include "app/workbench/editor/file/noticebar.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

QJsonArray secretsJson(const std::vector<SecretGrant> &secrets)
{
    QJsonArray array;
    for (const SecretGrant &secret : secrets)
        array.append(
            QJsonObject{{u"name"_s, secret.name}, {u"variable"_s, secret.variable}, {u"file"_s, secret.asFile}});
    return array;
}

// Of a policy only limits and strictness come back, and names of secrets: hosts and folders are granted again, each time.
QJsonObject limitsJson(const Policy &policy)
{
    Policy limits;
    limits.limits = policy.limits;
    limits.strict = policy.strict;
    return toJson(limits);
}

std::optional<Policy> limitsFrom(const QJsonValue &json)
{
    const auto policy = policyFromJson(json.toObject());
    if (!policy)
        return std::nullopt;
    Policy limits;
    limits.limits = policy->limits;
    limits.strict = policy->strict;
    return limits;
}

// All of them, or none: half of what a snippet needs is no help.
std::vector<SecretGrant> secretsFrom(const QJsonArray &array)
{
    std::vector<SecretGrant> secrets;
    for (const auto each : array)
        secrets.push_back({each[u"name"_s].toString(), each[u"variable"_s].toString(), each[u"file"_s].toBool()});
    return checkSecretGrants(secrets) ? secrets : std::vector<SecretGrant>();
}

Encoding encodingFrom(const QString &name)
{
    const auto *it = std::ranges::find(allEncodings, name, encodingName);
    return it == std::end(allEncodings) ? Encoding::Utf8 : *it;
}

} // namespace

std::function<QByteArray()> BenchTab::stashedNow() const
{
    QJsonObject head{
        {u"v"_s, 1},
        {u"name"_s, m_ownName},
        {u"language"_s, m_chosen},
        {u"policy"_s, limitsJson(m_sentence->policy())},
        {u"usual"_s, limitsJson(m_sentence->defaults())}, // what differs from it was chosen, "no limit" too
        {u"strict"_s, m_sentence->isStrictHere()}, // also where the settings are
        {u"terminal"_s, m_sentence->hasTerminal()},
        {u"secrets"_s, secretsJson(m_sentence->secrets())},
        {u"session"_s, QJsonObject{{u"id"_s, m_sentence->session().id}, {u"name"_s, m_sentence->session().name}}},
        {u"stateful"_s, m_sentence->wantsInterpreter()},
        {u"line"_s, m_editor->editor().line()},
        {u"modified"_s, hasUnsavedWork()},
        {u"pinned"_s, m_pinned},
        {u"interpreter"_s, m_interpreter},
        {u"arguments"_s, m_sentence->start().arguments},
        {u"variables"_s, m_sentence->start().variables},
        {u"input"_s, m_sentence->start().input},
    };
    if (const auto &indentation = m_editor->chosenIndentation())
        head.insert(u"indentation"_s, QJsonObject{{u"tabs"_s, indentation->tabs}, {u"width"_s, indentation->width}});
    if (!m_editor->path().isEmpty()) {
        head.insert(u"path"_s, m_editor->path());
        head.insert(u"hash"_s, QString::fromLatin1(m_editor->file().hash.toHex()));
        head.insert(u"crlf"_s, m_editor->usesCrlf());
        head.insert(u"mark"_s, m_editor->file().mark);
        head.insert(u"encoding"_s, encodingName(m_editor->encoding()));
    }
    const auto text = hasUnsavedWork() ? m_editor->textNow() : [] { return QString(); };
    return [head = QJsonDocument(head).toJson(QJsonDocument::Compact) + '\n', text] { return head + text().toUtf8(); };
}

bool BenchTab::restore(const QByteArray &stashed)
{
    const qsizetype end = stashed.indexOf('\n');
    const QJsonObject head = QJsonDocument::fromJson(stashed.first(std::max<qsizetype>(end, 0))).object();
    if (head.value(u"v"_s).toInt() != 1)
        return false;
    m_ownName = head.value(u"name"_s).toString(m_ownName);
    m_chosen = head.value(u"language"_s).toString();
    m_pinned = head.value(u"pinned"_s).toBool();
    m_interpreter = head.value(u"interpreter"_s).toString();
    const auto policy = limitsFrom(head.value(u"policy"_s));
    const auto usual = limitsFrom(head.value(u"usual"_s));
    m_sentence->setStrictHere(head.value(u"strict"_s).toBool());
    if (policy && usual) {
        m_sentence->setPolicy(*policy, *usual);
        takeDefaults(); // or later, when they are known
    } else if (policy) { // of an older version
        Policy restored = defaultPolicy();
        takeLimits(restored.limits, policy->limits);
        setPolicy(restored);
    }
    m_sentence->setTerminal(head.value(u"terminal"_s).toBool());
    m_sentence->setStart({head.value(u"arguments"_s).toString(), head.value(u"variables"_s).toString(),
                          head.value(u"input"_s).toString()});
    m_sentence->setKeepsInterpreter(head.value(u"stateful"_s).toBool());
    m_sentence->setSecrets(secretsFrom(head.value(u"secrets"_s).toArray()));
    readVault();
    // The hosts come with the session itself, once it is known what it allows now.
    if (const QJsonObject session = head.value(u"session"_s).toObject(); !session.value(u"id"_s).toString().isEmpty()) {
        m_sentence->setSession({.id = session.value(u"id"_s).toString(), .name = session.value(u"name"_s).toString()});
        takeSessions(); // or later, when they are known
        m_sessions.read();
    }
    if (const QJsonObject indentation = head.value(u"indentation"_s).toObject(); !indentation.isEmpty())
        m_editor->setIndentation(Indentation{indentation.value(u"tabs"_s).toBool(),
                                             std::clamp(indentation.value(u"width"_s).toInt(), 1, 16)});
    const bool modified = head.value(u"modified"_s).toBool();
    const QString path = head.value(u"path"_s).toString();
    const int line = head.value(u"line"_s).toInt(1);
    if (modified) {
        m_editor->setText(QString::fromUtf8(stashed.sliced(end + 1)), true);
        if (!path.isEmpty())
            m_editor->adoptPath(path, QByteArray::fromHex(head.value(u"hash"_s).toString().toLatin1()),
                                head.value(u"crlf"_s).toBool(), head.value(u"mark"_s).toBool(),
                                encodingFrom(head.value(u"encoding"_s).toString()));
        m_editor->goTo(line);
    } else if (!path.isEmpty()) {
        inBackground(
            m_context.reading(), m_editor, [path] { return readCodeFile(path); },
            [this, path, line](const std::expected<CodeFile, QString> &file) {
                if (file)
                    m_editor->setFile(path, *file);
                else
                    m_editor->notice().show(Tone::Warn, file.error());
                m_editor->goTo(line);
            });
    }
    takeLanguage();
    Q_EMIT changed();
    return true;
}

} // namespace glovebox
