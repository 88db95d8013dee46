// SPDX-License-Identifier: Apache-2.0
// The room's public header: the same bench for programs that drive it over the Model Context Protocol (modelcontextprotocol.io).
#pragma once

#include "catalogue.h"
#include "clients/clients.h"
#include "protocol/server.h"
#include "transports/http/httpserver.h"
#include "transports/http/pairedclients.h"
#include "transports/http/pairing/authorizationserver.h"
#include "transports/local/bridge.h"
#include "transports/local/localserver.h"
#include "transports/stdio.h"
