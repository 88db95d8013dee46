// SPDX-License-Identifier: Apache-2.0
#include "lentsecrets.h"

#include <QMap>
#include <QStringDecoder>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>
#include <utility>

namespace glovebox {

using namespace std::chrono_literals;

namespace {

constexpr auto patience = 30s; // with a keychain, which may ask the person first
constexpr auto searchAfterStop =
    2s; // most of what a cancelled run left is searched by then; below the engine's shutdownGrace

bool isText(QByteArrayView value)
{
    QStringDecoder decoder(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
    const QString text = decoder.decode(value);
    const bool valid = !decoder.hasError();
    wipe(const_cast<QChar *>(text.constData()), std::size_t(text.size()) * sizeof(QChar));
    return valid;
}

// Looks for values in the files of a run's copies.
class ContentSearch
{
public:
    ContentSearch(std::shared_ptr<const ScrubPlan> plan, qint64 mostBytes, std::stop_token stop)
        : m_plan(std::move(plan))
        , m_left(mostBytes)
        , m_stop(std::move(stop))
    {
    }

    // What can't be looked at isn't taken for harmless.
    bool mayHave(int file)
    {
        if (file < 0)
            return true;
        Scrubber scrubber(m_plan);
        QByteArray out;
        std::array<char, 65536> part;
        ssize_t count = 1;
        while (count != 0 && !scrubber.hasFound()) {
            if (m_left < 0 || isOver())
                return true;
            count = ::read(file, part.data(), part.size());
            if (count < 0 && errno != EINTR)
                return true;
            if (count <= 0)
                continue;
            m_left -= count;
            scrubber.feed({part.data(), count}, out);
            wipe(part.data(), std::size_t(count));
            out.truncate(0);
        }
        scrubber.finish(out);
        return scrubber.hasFound();
    }

private:
    bool isOver()
    {
        if (!m_stop.stop_requested())
            return false;
        const auto now = std::chrono::steady_clock::now();
        if (!m_end)
            m_end = now + searchAfterStop;
        return now >= *m_end;
    }

    std::shared_ptr<const ScrubPlan> m_plan;
    qint64 m_left;
    std::stop_token m_stop;
    std::optional<std::chrono::steady_clock::time_point> m_end;
};

class LentSearch final : public SecretSearch
{
public:
    explicit LentSearch(std::shared_ptr<const ScrubPlan> plan)
        : m_plan(std::move(plan))
    {
    }

    QStringList in(QByteArrayView name) const override { return m_plan->namesIn(name); }
    QByteArray scrubbed(QByteArrayView name) const override { return m_plan->scrubbed(name); }
    void feed(QByteArrayView piece) override
    {
        if (!m_scrubber)
            m_scrubber = std::make_unique<Scrubber>(m_plan);
        m_scrubber->feed(piece, m_out);
        m_out.truncate(0);
    }
    QStringList end() override
    {
        if (!m_scrubber)
            return {};
        m_scrubber->finish(m_out);
        m_out.truncate(0);
        return std::exchange(m_scrubber, nullptr)->foundNames();
    }

private:
    const std::shared_ptr<const ScrubPlan> m_plan;
    std::unique_ptr<Scrubber> m_scrubber; // of the file that is looked at
    QByteArray m_out;
};

} // namespace

std::unique_ptr<SecretSearch> LentSecrets::searchOfFiles() const
{
    return m_plan ? std::make_unique<LentSearch>(m_plan) : nullptr;
}

// What recognises many long values takes more memory than a limit of this process may leave.
Status LentSecrets::borrow(Vault &vault, const Language &language, LiveRun &run, std::stop_token stop)
{
    try {
        return take(vault, language, run, std::move(stop));
    } catch (const std::bad_alloc &) {
        return fail(ErrorCode::Unavailable,
                    Text(QT_TRANSLATE_NOOP("engine", "Glovebox needs more memory to recognise the run's secrets in its "
                                                     "output. Raise Glovebox's memory limit (ulimit -v), or give the "
                                                     "run fewer or shorter secrets.")));
    }
}

Status LentSecrets::take(Vault &vault, const Language &language, LiveRun &run, std::stop_token stop)
{
    const RunRequest &request = run.request();
    auto granted =
        vault.grant(request.secrets, {request.caller.kind, language.id(), request.policy.allow, request.policy.tools},
                    Patience::of(patience, std::move(stop)));
    if (!granted)
        return std::unexpected(granted.error());
    for (const GrantedSecret &secret : *granted) {
        if (std::ranges::find(m_counted, secret.name, &SecretInfo::name) == m_counted.end())
            m_counted.append(secret.info);
    }
    std::vector<ScrubPlan::Secret> wanted;
    for (const GrantedSecret &secret : *granted)
        wanted.push_back({secret.name, secret.value.view()});
    for (const GrantedSecret &secret : *granted)
        m_tools.insert(secret.name, secret.tools);
    m_plan = std::make_shared<const ScrubPlan>(wanted); // from here on the values are known, whatever comes of the run
    run.scrubWith(m_plan);
    for (const GrantedSecret &secret : *granted) {
        // Another value would arrive as something else, and nobody would be told.
        if (!secret.asFile && !language.variablesHoldBytes() && !isText(secret.value.view()))
            return fail(ErrorCode::InvalidInput,
                        Text(QT_TRANSLATE_NOOP("engine", "The value of %1 is not text in UTF-8, which is all that a "
                                                         "variable of %2 can hold. Give it as a file."),
                             {secret.name, language.name()}));
    }
    m_values = *std::move(granted);
    return {};
}

// Where the log can't be written any longer, a use too many is counted.
void LentSecrets::takeBack(Vault &vault)
{
    std::ignore = vault.takeBack(std::exchange(m_counted, {}));
}

QStringList LentSecrets::keptFrom(const QString &tool, QByteArrayView arguments) const
{
    QStringList names = m_plan ? m_plan->namesIn(arguments) : QStringList();
    names.removeIf([&](const QString &name) { return m_tools.value(name).contains(tool); });
    return names;
}

void LentSecrets::addTo(SandboxShape &shape, Assignment &assignment) const
{
    bool hasVariables = false;
    for (const GrantedSecret &secret : m_values) {
        (secret.asFile ? shape.hasSecretFiles : hasVariables) = true;
        assignment.secrets.append({.variable = secret.asFile ? QByteArray() : secret.variable.toUtf8(),
                                   .file = secret.asFile ? secret.name.toUtf8() : QByteArray(),
                                   .value = secret.value.view()});
    }
    if (hasVariables && shape.hasDriver)
        assignment.job = followedByVariables(assignment.job);
}

void LentSecrets::scrub(RunResult &result) const
{
    if (!m_plan)
        return;
    result.reason = m_plan->scrubbed(std::move(result.reason));
    if (result.value) {
        QByteArray text;
        Scrubber scrubber(m_plan);
        scrubber.feed(result.value->text, text);
        scrubber.finish(text);
        result.value->text = text;
    }
    // A run that knows the limits could let a value begin where the beginning ends and go on where the end begins.
    for (CapturedOutput *output : {&result.out, &result.err}) {
        if (output->isTruncated() && m_plan->finds(output->kept()))
            *output = {m_plan->scrubbed(QByteArrayView(output->kept())), {}, output->totalBytes};
    }
}

Withhold LentSecrets::searchOfCopies(const Limits &limits, std::stop_token stop) const
{
    if (!m_plan)
        return {};
    return [plan = m_plan, search = std::make_shared<ContentSearch>(m_plan, 2 * limits.diskBytes, std::move(stop))](
               FolderChange &change, int content) {
        const bool hasContent = change.type == FolderChange::Type::File && change.kind != FolderChange::Kind::Removed;
        change.isWithheld =
            plan->finds(change.path) || plan->finds(change.target) || (hasContent && search->mayHave(content));
        if (!change.isWithheld)
            return;
        change.path = plan->scrubbed(QByteArrayView(change.path));
        change.target = plan->scrubbed(QByteArrayView(change.target));
    };
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
                {EventType::LeakOutput,
                 Text(QT_TRANSLATE_NOOP("engine", "Something in the run's %1 looks like a secret: %2 (found: %3)."),
                      {QString::fromLatin1(stream), leakName(kind.key()).english(), QString::number(kind.value())})});
    }
}

void addVariables(const std::vector<Variable> &variables, const SandboxShape &shape, Assignment &assignment)
{
    for (const Variable &variable : variables)
        assignment.secrets.append({.variable = variable.name.toUtf8(), .file = {}, .value = variable.value});
    if (!variables.empty() && shape.hasDriver)
        assignment.job = followedByVariables(assignment.job);
}

} // namespace glovebox
