// SPDX-License-Identifier: Apache-2.0
// The room's public header: the store of bodies, and the files that runs leave (artifacts): collected, on record, saved elsewhere.
#pragma once

#include "artifact.h"
#include "collecting.h"
#include "homefiles.h"
#include "recorded.h"
#include "retention/retention.h"
#include "saving.h"
#include "store/bodysearch.h"
#include "store/contentstore.h"
#include "store/storedbytes.h"
