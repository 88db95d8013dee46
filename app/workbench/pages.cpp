// SPDX-License-Identifier: Apache-2.0
#include "pages.h"

#include "app/workbench/agents/agentspage.h"
#include "app/workbench/bench/benchpage.h"
#include "app/workbench/doctor/doctorpage.h"
#include "app/workbench/history/historypage.h"
#include "app/workbench/sessions/sessionspage.h"
#include "app/workbench/settings/settingspage.h"
#include "app/workbench/vault/vaultpage.h"

namespace glovebox {

std::vector<std::unique_ptr<Page>> makePages(WorkbenchContext &context)
{
    std::vector<std::unique_ptr<Page>> pages;
    pages.push_back(std::make_unique<BenchPage>(context));
    pages.push_back(std::make_unique<HistoryPage>(context));
    pages.push_back(std::make_unique<SessionsPage>(context));
    pages.push_back(std::make_unique<VaultPage>(context));
    pages.push_back(std::make_unique<AgentsPage>(context));
    pages.push_back(std::make_unique<DoctorPage>(context));
    pages.push_back(std::make_unique<SettingsPage>(context));
    return pages;
}

} // namespace glovebox
