// SPDX-License-Identifier: Apache-2.0
// forward.mjs URL: passes requests on to URL as they are, with the token of a pairing from the environment (GLOVEBOX_TOKEN), which the
// conformance suite can't send. Prints its own address, and ends with its input.
import http from 'node:http';

const target = new URL(process.argv[2]);
const token = process.env.GLOVEBOX_TOKEN;

const server = http.createServer((request, response) => {
    const headers = [...request.rawHeaders, 'Authorization', `Bearer ${token}`];
    const onward = http.request({ host: target.hostname, port: target.port, path: request.url, method: request.method, headers, setHost: false });
    onward.on('response', (answer) => {
        response.writeHead(answer.statusCode, answer.rawHeaders);
        answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy()); // the client is gone: so is its call
    request.pipe(onward);
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}${target.pathname}`));
process.stdin.on('end', () => process.exit()).resume();
