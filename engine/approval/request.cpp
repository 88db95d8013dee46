// SPDX-License-Identifier: Apache-2.0
#include "request.h"

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// Each part after its length, so that nothing can be moved from one part to the next.
void addPart(QByteArray &whole, QByteArrayView part)
{
    whole += QByteArray::number(part.size()) + ':';
    whole += part;
}

} // namespace

QByteArray approvalDigest(const ApprovalRequest &request)
{
    QJsonArray secrets;
    for (const SecretGrant &secret : request.secrets)
        secrets.append(
            QJsonObject{{u"name"_s, secret.name}, {u"variable"_s, secret.variable}, {u"as_file"_s, secret.asFile}});
    QJsonObject asked{{u"language"_s, request.language},
                      {u"policy"_s, toJson(request.policy)},
                      {u"secrets"_s, secrets},
                      {u"args"_s, request.args.size()},
                      {u"files"_s, request.files.size()}};
    if (!request.tool.isEmpty())
        asked[u"tool"_s] = request.tool;
    if (!request.variables.empty())
        asked[u"variables"_s] = qint64(request.variables.size());
    if (!request.interpreter.isEmpty())
        asked[u"interpreter"_s] = request.interpreter;
    if (!request.session.isEmpty())
        asked[u"session"_s] = request.session + u' ' + QString::fromLatin1(request.sessionTree.toHex());
    if (request.isStateful)
        asked[u"stateful"_s] = true;
    if (request.isParallel)
        asked[u"parallel"_s] = true;
    if (request.isDetached)
        asked[u"detached"_s] = true;
    if (!request.packages.isEmpty())
        asked[u"packages"_s] = request.packages;
    if (request.install)
        asked[u"install"_s] = QJsonObject{{u"source"_s, request.install->source},
                                          {u"packages"_s, QJsonArray::fromStringList(request.install->packages)},
                                          {u"doubtful"_s, QJsonArray::fromStringList(request.install->doubtful)},
                                          {u"scripts"_s, QJsonArray::fromStringList(request.install->scripts)},
                                          {u"built"_s, request.install->built}};
    const auto grants = canonicalJson(asked);
    if (!grants)
        return {};
    QByteArray whole = "glovebox approval 1\n";
    addPart(whole, *grants);
    addPart(whole, request.codeDigest);
    for (const QByteArray &argument : request.args)
        addPart(whole, argument);
    for (const InnerFile &file : request.files) {
        addPart(whole, file.name);
        addPart(whole, sha256({file.content}));
    }
    for (const Variable &variable : request.variables) {
        addPart(whole, variable.name.toUtf8());
        addPart(whole, variable.value);
    }
    return sha256({whole});
}

} // namespace glovebox
