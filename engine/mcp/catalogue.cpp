// SPDX-License-Identifier: Apache-2.0
#include "catalogue.h"

#include "engine/mcp/resources/resources.h"
#include "engine/mcp/tools/tools.h"

namespace glovebox::mcp {

Catalogue gloveboxCatalogue()
{
    Catalogue catalogue{.name = QStringLiteral("glovebox"),
                        .title = QStringLiteral("Glovebox"),
                        .version = QStringLiteral(GLOVEBOX_VERSION),
                        .instructions =
                            QStringLiteral("Runs code sealed off from this machine: no network, no files, no secrets "
                                           "unless the person allows them. Run unchecked code with run_code, and read "
                                           "\"denials\" in its answer before you try again. explain_run says more."),
                        .tools = gloveboxTools()};
    offerResources(catalogue);
    return catalogue;
}

} // namespace glovebox::mcp
