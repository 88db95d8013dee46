// SPDX-License-Identifier: Apache-2.0
// The languages that there are, each from a folder of its own.
#pragma once

#include "languages.h"

namespace glovebox {

std::unique_ptr<Language> makePython();
std::unique_ptr<Language> makeNode();
std::unique_ptr<Language> makeBash();
std::unique_ptr<Language> makeSh(); // whatever it is on this machine

// Of Language::toolModule().
InnerFile pythonToolModule(const QList<OfferedTool> &tools, quint16 port);
InnerFile nodeToolModule(const QList<OfferedTool> &tools, quint16 port);

} // namespace glovebox
