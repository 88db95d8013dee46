// SPDX-License-Identifier: Apache-2.0
// Tools of servers outside of the sandbox that this run may call: import { SERVER } from './glovebox_tools.cjs', or the same by
// require(); await SERVER.TOOL({ name: value }). What a call gives is the server's structured content, else its text; one that is
// refused or fails rejects with a ToolError. Each call is checked outside, and logged.
'use strict';
const net = require('net');

class ToolError extends Error {
    name = 'ToolError';
    // Cells that follow each other have one module each, and the errors of one are the errors of all.
    static [Symbol.hasInstance](error) {
        return error instanceof Error && error.name === 'ToolError';
    }
}
exports.ToolError = ToolError;

function call(tool, args) {
    return new Promise((resolve, reject) => {
        const connection = net.connect({ host: '127.0.0.1', port, allowHalfOpen: true });
        const pieces = [];
        const settle = () => {
            let reply;
            try {
                reply = JSON.parse(Buffer.concat(pieces).toString());
            } catch {
                return reject(new ToolError(`The call of ${tool} was cut off.`));
            }
            return 'error' in reply ? reject(new ToolError(reply.error)) : resolve(reply.value);
        };
        connection.on('data', (piece) => pieces.push(piece));
        connection.on('error', () => {}); // "close" follows
        connection.on('close', settle);
        connection.on('end', () => connection.destroy());
        connection.end(JSON.stringify({ tool, arguments: args }));
    });
}
