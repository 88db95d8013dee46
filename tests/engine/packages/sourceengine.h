// SPDX-License-Identifier: Apache-2.0
// An engine beside an index with packages that have only a source; what was asked before one was built.
#pragma once

#include "packageengine.h"

namespace glovebox {

class SourceEngine : public PackageEngine
{
protected:
    static PackageWish wishFor(const QString &packages, const QStringList &sources)
    {
        PackageWish wish{.language = u"python"_s};
        if (!packages.isEmpty())
            wish.requirements = readRequirements(packages, u"python"_s).value();
        wish.interpreter = debianPython;
        wish.index = u"https://www.allowed.test/private"_s;
        wish.sources = sources;
        return wish;
    }

    Result<InstalledPackages> build(const PackageWish &wish, const PackageLimits &limits = {})
    {
        m_results.clear();
        m_asked.clear();
        const FollowRun follow = [this](const std::shared_ptr<Run> &task) {
            m_results.append(task->wait());
            return m_results.last();
        };
        const MayBuild ask = [this](const LockedPackage &package) {
            m_asked.append(wordsAboutBuild(package).english());
            return m_agrees;
        };
        ASSIGN_OR_RETURN(const FetchedPackages fetched, m_engine->packages().fetch(wish, follow, limits, ask));
        return m_engine->packages().install(fetched, wish, follow, limits);
    }

    bool m_agrees = true;
    QStringList m_asked; // about builds, by the last one
};

} // namespace glovebox
