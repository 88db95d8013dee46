// SPDX-License-Identifier: Apache-2.0
// The README's pictures of the window, which tests hold to what the window is.
#pragma once

#include "tests/app/workbench/desk/desk.h"

namespace glovebox {

// How the window differs from PICTURE.png of resources/images; empty: in nothing. Compared are, with the same Qt, the widgets that a person
// can see, their order and their words, and with the same fonts also what they look like; not what another run, hour or machine changes.
// With GLOVEBOX_TEST_WRITE_PICTURES=1 in the environment a picture that differs is first taken anew.
QString differenceFromPicture(Desk &desk, const QString &picture);

} // namespace glovebox
