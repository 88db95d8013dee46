// SPDX-License-Identifier: Apache-2.0
#include "sandbox.h"

#include <QStringList>

#include <algorithm>

namespace glovebox {

Result<Backend *> Backends::of(const QString &name) const
{
    const auto found = std::ranges::find(m_all, name, &Backend::name);
    if (found != m_all.end())
        return found->get();
    QStringList names;
    for (const auto &backend : m_all)
        names.append(u'"' + backend->name() + u'"');
    return fail(ErrorCode::Unavailable,
                QT_TRANSLATE_NOOP("engine", "There is no backend called \"%1\" here. Choose %2 (--backend, or the "
                                            "setting run.backend)."),
                {name, names.join(QStringLiteral(" or "))});
}

void Backends::shutdown() const
{
    for (const auto &backend : m_all)
        backend->shutdown();
}

} // namespace glovebox
