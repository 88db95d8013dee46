// SPDX-License-Identifier: Apache-2.0
#include "runnerlanguages.h"

#include "app/workbench/shell/words.h"

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

RunnerLanguages::RunnerLanguages(WorkbenchContext &context, QObject *parent)
    : QObject(parent)
    , m_context(context)
{
}

void RunnerLanguages::engineReady()
{
    m_known.clear();
    for (const auto &language : m_context.engine()->languages().all())
        m_known.append({language->id(), language->name(), u'.' + language->extensions().value(0), {}, {}});
    Q_EMIT changed();
    // Each interpreter is started once for its version, which may take a second.
    inBackground(
        m_context.pool(), this,
        [&languages = m_context.engine()->languages(), known = m_known]() mutable {
            for (Known &entry : known) {
                const auto language = languages.byId(entry.id);
                if (!language)
                    continue;
                const QList<InterpreterCandidate> candidates = languages.candidates(**language);
                const auto usable = std::ranges::find_if(candidates, &InterpreterCandidate::usable);
                if (usable != candidates.end())
                    entry.version = usable->version;
                else if (const auto found = languages.find(**language); !found)
                    entry.trouble = translated(found.error().message);
            }
            return known;
        },
        [this](const QList<Known> &known) {
            m_known = known;
            Q_EMIT changed();
        });
}

const RunnerLanguages::Known *RunnerLanguages::find(const QString &id) const
{
    const auto found = std::ranges::find(m_known, id, &Known::id);
    return found == m_known.end() ? nullptr : &*found;
}

QString RunnerLanguages::detect(const QString &fileName, const QString &firstLine, const QString &otherwise) const
{
    if (m_context.engine()) {
        if (const auto language = m_context.engine()->languages().detect(fileName, firstLine.toUtf8()))
            return (*language)->id();
    }
    return otherwise;
}

QString RunnerLanguages::shortName(const QString &id) const
{
    const Known *known = find(id);
    if (!known)
        return id;
    const QString version = known->version.section(u'.', 0, 1);
    return version.isEmpty() ? known->name : known->name + u' ' + version;
}

QString RunnerLanguages::longName(const QString &id) const
{
    const Known *known = find(id);
    if (!known)
        return id;
    return known->version.isEmpty() ? known->name : known->name + u' ' + known->version;
}

QString RunnerLanguages::extension(const QString &id) const
{
    const Known *known = find(id);
    return known ? known->extension : u".txt"_s;
}

QList<LanguageChoice> RunnerLanguages::choices(const QString &detected) const
{
    QList<LanguageChoice> choices{{{}, tr("As the code says: %1").arg(shortName(detected)), {}}};
    for (const Known &known : m_known)
        choices.append({known.id, longName(known.id), known.trouble});
    return choices;
}

} // namespace glovebox
