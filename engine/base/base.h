// SPDX-License-Identifier: Apache-2.0
// The room's public header: what every other room builds on.
#pragma once

#include "clock.h"
#include "crypto/hash.h"
#include "enumnames.h"
#include "gate.h"
#include "ids.h"
#include "json.h"
#include "log.h"
#include "result.h"
#include "system/descriptor.h"
#include "system/durablefile.h"
#include "system/filelock.h"
#include "system/oserror.h"
#include "system/ownfile.h"
#include "system/ownprogram.h"
#include "system/paths.h"
#include "system/signals.h"
#include "text/characters.h"
#include "text/enumtext.h"
#include "text/nearest.h"
#include "text/text.h"
