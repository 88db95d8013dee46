// SPDX-License-Identifier: Apache-2.0
#include "lentsecrets.h"

#include <QMap>
#include <QStringDecoder>

namespace glovebox {

using namespace std::chrono_literals;

namespace {

constexpr qint64 largestFile = 64 * mebibyte; // to be searched for values
constexpr auto patience = 30s; // with a keychain, which may ask the person first

bool isText(QByteArrayView value)
{
    QStringDecoder decoder(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
    const QString text = decoder.decode(value);
    const bool valid = !decoder.hasError();
    wipe(const_cast<QChar *>(text.constData()), std::size_t(text.size()) * sizeof(QChar));
    return valid;
}

} // namespace

Status LentSecrets::borrow(Vault &vault, const Language &language, LiveRun &run, std::stop_token stop)
{
    const RunRequest &request = run.request();
    auto granted = vault.grant(request.secrets, {request.caller.kind, language.id(), request.policy.allow},
                               Patience::of(patience, std::move(stop)));
    if (!granted)
        return std::unexpected(granted.error());
    std::vector<ScrubPlan::Secret> wanted;
    for (const GrantedSecret &secret : *granted) {
        // Its variables are text: another value would arrive as something else, and nobody would be told.
        if (!secret.asFile && language.id() == QStringLiteral("node") && !isText(secret.value.view()))
            return fail(ErrorCode::InvalidInput,
                        Text(QT_TRANSLATE_NOOP("engine", "The value of %1 is no text in UTF-8, which is all that a "
                                                         "variable of Node.js can hold. Lend it as a file."),
                             {secret.name}));
        wanted.push_back({secret.name, secret.value.view()});
    }
    m_values = *std::move(granted);
    m_plan = std::make_shared<const ScrubPlan>(wanted);
    run.scrubWith(m_plan);
    return {};
}

void LentSecrets::addTo(SandboxSpec &spec) const
{
    bool hasVariables = false;
    for (const GrantedSecret &secret : m_values) {
        hasVariables = hasVariables || !secret.asFile;
        spec.secrets.append({.variable = secret.asFile ? QByteArray() : secret.variable.toUtf8(),
                             .file = secret.asFile ? secret.name.toUtf8() : QByteArray(),
                             .value = secret.value.view()});
    }
    if (hasVariables && spec.hasDriver)
        spec.job = followedByVariables(spec.job);
}

void LentSecrets::scrub(RunResult &result) const
{
    if (!m_plan)
        return;
    result.reason = m_plan->scrubbed(std::move(result.reason));
    // A run that knows the limits could let a value begin where the beginning ends and go on where the end begins.
    for (CapturedOutput *output : {&result.out, &result.err}) {
        if (output->isTruncated() && m_plan->finds(output->kept()))
            *output = {m_plan->scrubbed(QByteArrayView(output->kept())), {}, output->totalBytes};
    }
}

void LentSecrets::look(const Rooms &rooms, LiveRun &run, RunResult &result) const
{
    if (!m_plan)
        return;
    QList<WithheldChange> withheld;
    for (FolderChanges &folder : result.changes) {
        qint64 found = 0;
        for (FolderChange &change : folder.changes) {
            bool has = m_plan->finds(change.path) || m_plan->finds(change.target);
            if (change.type == FolderChange::Type::File && change.kind != FolderChange::Kind::Removed) {
                auto versions = rooms.staging.versions(run.id(), folder.path, change.path, largestFile);
                // What can't be looked at isn't taken for harmless.
                has = has || !versions;
                std::optional<QByteArray> content = versions ? std::move(versions->copy) : std::nullopt;
                if (content) {
                    has = has || m_plan->finds(*content);
                    wipe(content->data(), std::size_t(content->size()));
                }
            }
            if (!has)
                continue;
            WithheldChange shown{folder.path, change.path, m_plan->scrubbed(QByteArrayView(change.path)),
                                 m_plan->scrubbed(QByteArrayView(change.target))};
            change.path = shown.shownPath;
            change.target = shown.shownTarget;
            change.isWithheld = true;
            withheld.append(std::move(shown));
            ++found;
        }
        if (found > 0)
            run.addEvent({QStringLiteral("folder.secret"),
                          Text(QT_TRANSLATE_NOOP(
                                   "engine", "In the copy of %1, %2 files or names have a lent secret in them, or are "
                                             "too large to be searched. Look at them before you take them over."),
                               {folder.hostPath, QString::number(found)})});
    }
    if (const Status noted = rooms.staging.withhold(run.id(), withheld); !noted)
        run.addEvent({QStringLiteral("error.detail"), noted.error().message});
}

void tellLeaks(const RunResult &result, const Settings &settings, LiveRun &run)
{
    const QStringList ignored =
        settings.value(QStringLiteral("leaks.ignore")).value.toString().split(u' ', Qt::SkipEmptyParts);
    for (const auto &[output, stream] : {std::pair(&result.out, "stdout"), {&result.err, "stderr"}}) {
        // Beginning and end by themselves: where they meet, something is left out.
        QMap<QString, int> counts;
        for (const QByteArray &part : {output->head, output->tail}) {
            for (const Leak &leak : findLeaks(part, ignored))
                ++counts[leak.kind];
        }
        for (auto kind = counts.cbegin(); kind != counts.cend(); ++kind)
            run.addEvent(
                {QStringLiteral("leak.output"),
                 Text(QT_TRANSLATE_NOOP("engine", "Something in its %1 looks like a secret: %2 (%3 times)."),
                      {QString::fromLatin1(stream), leakName(kind.key()).english(), QString::number(kind.value())})});
    }
}

} // namespace glovebox
