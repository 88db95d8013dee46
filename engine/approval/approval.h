// SPDX-License-Identifier: Apache-2.0
// The room's public header: whether a request may run, the seam through which a person is asked, and what they answered for good.
#pragma once

#include "approvals.h"
#include "approver.h"
#include "clients.h"
#include "decision.h"
#include "inbox.h"
#include "request.h"
#include "rules/agentswitches.h"
#include "wants.h"
