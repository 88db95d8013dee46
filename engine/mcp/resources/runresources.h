// SPDX-License-Identifier: Apache-2.0
// A client's own runs and their entries in the log, to be read by address: glovebox://runs/ID, .../stdout, .../stderr, .../code,
// glovebox://audit/NUMBER.
#pragma once

#include "resource.h"

namespace glovebox::mcp {

std::vector<ResourceTemplate> runTemplates();
Result<ResourcePage> listRunResources(const Call &call, const QString &cursor);
Result<QList<ResourceContent>> readRunResource(const Call &call, const QString &uri);
// Catalogue::changesOf
std::optional<quint64> changesOfRun(Client &client, const QString &uri);
Result<Completion> completeId(const Call &call, const CompletionQuestion &question);

} // namespace glovebox::mcp
