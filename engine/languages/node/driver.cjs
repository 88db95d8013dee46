// SPDX-License-Identifier: Apache-2.0
// Waits for the job on descriptor 3 (engine/languages/job.h), then runs the snippet as Node's main module.
'use strict';
const fs = require('fs');
const vm = require('vm');
const path = require('path');
const Module = require('module');

function receive(length) {
    const data = Buffer.alloc(length);
    for (let got = 0; got < length;) {
        let count = 0;
        try {
            count = fs.readSync(3, data, got, length - got);
        } catch (error) {
            if (error.code !== 'ECONNRESET')
                throw error;
        }
        if (count === 0) {
            fs.writeSync(2, 'Glovebox went away before it handed over the snippet.\n');
            process.reallyExit(125);
        }
        got += count;
    }
    return data;
}

// What is wrong with the code as the body of a function; empty: nothing.
function complaint(code, parameters) {
    try {
        vm.compileFunction(code, parameters);
        return '';
    } catch (error) {
        return error.message;
    }
}

// As newer versions of Node do for main.js (since 20.19 and 22.7): code that only an ES module may contain makes it one. Like
// them it goes by V8's messages, since only the parser knows what is a comment, a string or an expression.
function isModule(code) {
    const asCommonJs = complaint(code, ['exports', 'require', 'module', '__filename', '__dirname']);
    if (/^(Cannot use import statement|Unexpected token 'export'|Cannot use 'import\.meta')/.test(asCommonJs))
        return true;
    // With top-level await it compiles only as an async function.
    return asCommonJs !== '' && complaint(`(async () => {${code}\n})`, []) === '';
}

// The "type" of a package.json that came with the snippet, which says what main.js is.
function declaredType() {
    try {
        return JSON.parse(fs.readFileSync('package.json', 'utf8')).type;
    } catch {
        return undefined; // there is none, or Node complains about it
    }
}

try {
    fs.writeSync(3, '\n'); // ready
} catch {
    // said below
}
const frame = () => receive(receive(4).readUInt32LE(0)).toString().split('\0').slice(0, -1);
const [version, name, ...args] = frame();
if (version === '2') {
    for (const variable of frame()) {
        const at = variable.indexOf('=');
        process.env[variable.slice(0, at)] = variable.slice(at + 1);
    }
}
fs.closeSync(3); // before the snippet and what it starts can see it

let main = path.resolve(name);
if (name.endsWith('.js')) {
    const code = fs.readFileSync(main, 'utf8').replace(/^#!.*/, '');
    if (/\b(import|export|await)\b/.test(code) && isModule(code) && declaredType() === undefined) {
        const renamed = main.replace(/js$/, 'mjs');
        fs.renameSync(main, renamed);
        main = renamed;
    }
}

// The snippet finds no trace of the way in, and as it starts from a fresh tick, nothing of it in a stack either.
process.argv.splice(1, Infinity, main, ...args);
delete require.cache[__filename];
process.mainModule = undefined;
process.nextTick(Module.runMain.bind(Module), main);
