// SPDX-License-Identifier: Apache-2.0
#include "resources.h"

#include "prompts.h"
#include "runresources.h"

namespace glovebox::mcp {

void offerResources(Catalogue &catalogue)
{
    catalogue.prompts = gloveboxPrompts();
    catalogue.templates = runTemplates();
    catalogue.listResources = listRunResources;
    catalogue.readResource = readRunResource;
    catalogue.changesOf = changesOfRun;
    catalogue.complete = completeId;
}

} // namespace glovebox::mcp
