// SPDX-License-Identifier: Apache-2.0
// An interpreter that stays: runs one cell after the other, each of which sees what those before it left. The jobs come on
// descriptor 3 (engine/languages/job.h), and each is answered by the tag of its cell, the exit status and the value.
'use strict';
const inspector = require('inspector');
const net = require('net');
const path = require('path');
const util = require('util');
const vm = require('vm');
const Module = require('module');

const interruptedStatus = 130;
const mostOfValue = 64 * 1024; // bytes: maximumValueBytes
const hook = '__glovebox'; // a property of the global object, while it is needed
const noImport = 'A cell can\'t import modules. Use require().';

// It evaluates as developer tools do: const and let may be declared again, and await needs no function.
const session = new inspector.Session();
session.connect();

function post(method, parameters) {
    return new Promise((resolve, reject) => {
        session.post(method, parameters, (error, answer) => error ? reject(error) : resolve(answer));
    });
}

function withHook(value, action) {
    Object.defineProperty(globalThis, hook, { value, configurable: true });
    return action();
}

function dropHook() {
    delete globalThis[hook];
}

// A value of the cell as this program sees it, in a list, as nobody shall wait for a promise.
async function valueOf(remote) {
    if (remote.unserializableValue)
        return [vm.runInThisContext(`(${remote.unserializableValue})`)];
    if (!remote.objectId)
        return [remote.value];
    const seen = [];
    await withHook((value) => { seen.push(value); dropHook(); }, () => post('Runtime.callFunctionOn', {
        objectId: remote.objectId,
        functionDeclaration: `function() { 'use strict'; ${hook}(this); }`,
    }));
    return seen;
}

// The module with the tools of a cell is found by require() as if it were a file, and has those of the cell that runs.
const toolsFile = path.resolve('glovebox_tools.cjs');
const resolveFile = Module._resolveFilename;
Module._resolveFilename = function (request, parent, ...rest) {
    const isTools = toolsFile in Module._cache && request.endsWith('glovebox_tools.cjs')
        && path.resolve(path.dirname(parent?.filename ?? toolsFile), request) === toolsFile;
    return isTools ? toolsFile : resolveFile.call(this, request, parent, ...rest);
};

function offerTools(text) {
    delete Module._cache[toolsFile];
    if (text === '')
        return;
    const tools = new Module(toolsFile, null);
    tools.filename = toolsFile;
    tools.paths = [];
    tools._compile(text, toolsFile);
    tools.loaded = true;
    Module._cache[toolsFile] = tools;
}

let interrupt = () => {}; // the cell, where it waits for something
process.on('SIGINT', () => interrupt());

// Null: it was interrupted. Code that doesn't wait is interrupted by vm, code that waits by the race. An interrupt in the microseconds in
// which vm hands the signal from one to the other ends the process, as Node.js has no way to hold it.
async function evaluate(code, name) {
    const interrupted = new Promise((resolve) => { interrupt = () => resolve(null); });
    let answer;
    const begin = () => {
        dropHook();
        answer = post('Runtime.evaluate', { expression: `${code}\n//# sourceURL=${name}`, replMode: true, awaitPromise: true });
        answer.catch(() => {});
    };
    try {
        withHook(begin, () => vm.runInThisContext(`${hook}()`, { breakOnSigint: true }));
    } catch (error) {
        if (error.code === 'ERR_SCRIPT_EXECUTION_INTERRUPTED')
            return null;
        throw error;
    }
    return Promise.race([answer, interrupted]);
}

// Without the part of the stack that is this program's.
function shown(error) {
    if (util.types.isNativeError(error) && typeof error.stack === 'string') {
        const lines = error.stack.split('\n');
        const own = lines.findIndex((line) => line.includes('node:inspector') || line.includes(__filename));
        if (own > 0)
            error.stack = lines.slice(0, own).join('\n');
    }
    return util.inspect(error);
}

function tell(error) {
    try {
        process.stderr.write(`Uncaught ${shown(error)}\n`);
        if (error?.code === 'ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING' || /import statement outside a module/.test(error?.message))
            process.stderr.write(`${noImport}\n`);
    } catch {
        process.stderr.write('Uncaught: what was thrown can\'t be shown.\n');
    }
}

// job.h says what is in it.
const noValue = Buffer.alloc(4);
function valueFrame(text) {
    let value = Buffer.from(text.slice(0, mostOfValue)); // a character of which half is missing comes last, and is cut off below
    const isCut = text.length > mostOfValue || value.length > mostOfValue;
    if (isCut) {
        let end = Math.min(mostOfValue, value.length);
        while ((value[end] & 0xc0) === 0x80)
            --end;
        value = value.subarray(0, end);
    }
    const head = Buffer.alloc(5, isCut ? 'c' : 'w');
    head.writeUInt32LE(1 + value.length);
    return Buffer.concat([head, value]);
}

// The exit status, and the frame with the value.
async function run({ code, tools, name }) {
    offerTools(tools);
    const answer = await evaluate(code, name);
    interrupt = () => {};
    if (answer === null) {
        process.stderr.write('Interrupted.\n');
        return [interruptedStatus, noValue];
    }
    if (answer.exceptionDetails) {
        const { exception, text } = answer.exceptionDetails;
        tell(...(exception ? await valueOf(exception) : [text]));
        return [1, noValue];
    }
    if (answer.result.type === 'undefined')
        return [0, noValue];
    const text = `${util.inspect(...await valueOf(answer.result))}`;
    process.stdout.write(`${text}\n`);
    return [0, valueFrame(text)];
}

// Whatever the code of a cell throws where its value or its error is shown, is an error of the cell.
async function resultOf(cell) {
    try {
        return await run(cell);
    } catch (error) {
        tell(error);
        return [1, noValue];
    }
}

const channel = new net.Socket({ fd: 3 });
const cells = [];
let waiting = Buffer.alloc(0);
let isBusy = false;

function takeFrame() {
    const length = waiting.length < 4 ? Infinity : 4 + waiting.readUInt32LE(0);
    if (waiting.length < length)
        return null;
    const frame = waiting.subarray(4, length);
    waiting = waiting.subarray(length);
    return frame;
}

let frames = [];
function takeCells() {
    for (let frame = takeFrame(); frame; frame = takeFrame()) {
        frames.push(frame.toString());
        if (frames.length < 3)
            continue;
        const [head, code, tools] = frames;
        const [, name, tag] = head.split('\0');
        cells.push({ code, tools, name, tag });
        frames = [];
    }
}

async function serve() {
    if (isBusy)
        return;
    isBusy = true;
    while (cells.length > 0) {
        const cell = cells.shift();
        const [status, value] = await resultOf(cell);
        channel.write(Buffer.concat([Buffer.from(cell.tag), Buffer.of(status & 255), value]));
    }
    isBusy = false;
}

// What fails beside the cells must not end what they left.
process.on('uncaughtException', tell);
process.on('unhandledRejection', tell);
channel.on('error', () => process.reallyExit(0));
channel.on('end', () => process.reallyExit(0)); // nobody has another cell
channel.on('data', (piece) => {
    waiting = Buffer.concat([waiting, piece]);
    takeCells();
    serve();
});
globalThis.require = Module.createRequire(path.resolve('cell.js'));
channel.write('\n'); // ready
