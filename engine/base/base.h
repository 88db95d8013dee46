// SPDX-License-Identifier: Apache-2.0
// The room's public header: what every other room builds on.
#pragma once

#include "clock.h"
#include "descriptor.h"
#include "filelock.h"
#include "hash.h"
#include "ids.h"
#include "json.h"
#include "log.h"
#include "oserror.h"
#include "paths.h"
#include "result.h"
#include "text.h"
