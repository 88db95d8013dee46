// Glovebox: downloads packages into npm's cache in the folder "cache". This sandbox reaches the registry and nothing else.
//
// argv[2]: {"registry", "locked", "timeout_ms"}. Prints one JSON object, which engine/packages/tasks.cpp reads: {"runtime",
// "problem", "subject", "detail"}; "problem" is empty when all is well. npm's own words go to standard error.
const wanted = JSON.parse(process.argv[2]);
const runtime = process.versions.node.split('.')[0];

function end(problem = '', subject = '', detail = '') {
    fs.writeSync(1, JSON.stringify({ runtime, problem, subject: subject.slice(0, 200), detail: detail.slice(0, 600) }) + '\n');
    process.exit(problem ? 1 : 0);
}

function certificates() {
    return ['/etc/ssl/certs/ca-certificates.crt', '/etc/ssl/certs/ca-bundle.crt', '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem']
        .find((file) => fs.existsSync(file));
}

function judge(text) {
    const lines = wordsOfError(text);
    const code = (text.match(/npm (?:error|ERR!) code (\S+)/) || [])[1] || '';
    const last = lines.filter((line) => !/^(code|errno|A complete log|\s*\/)/.test(line))[0] || '';
    const named = (text.match(/'((?:@[^@'\s/]+\/)?[^@'\s/]+)@[^']*' (?:is not in this registry|could not be found)/)
        || text.match(/No matching version found for ((?:@[^@\s/]+\/)?[^@\s/]+)@/)
        || text.match(/No versions available for ((?:@[^@\s/]+\/)?[^@\s/]+)/) || [])[1] || '';
    if (/ENOSPC|EDQUOT/.test(text))
        end('space');
    if (code === 'E404' || code === 'ENOVERSIONS') // the registry keeps the names of packages that it removed
        end('missing', named);
    if (code === 'ETARGET')
        end('no-version', named);
    if (code === 'ERESOLVE')
        end('conflict', '', lines.slice(1, 4).join('; '));
    if (code === 'EINTEGRITY')
        end('hash', '', last);
    if (/ETIMEDOUT|network timeout|ERR_SOCKET_TIMEOUT|ESOCKETTIMEDOUT|IDLE_TIMEOUT/i.test(text))
        end('hangs');
    if (/ENOTFOUND|ECONNREFUSED|ECONNRESET|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|CERT|SELF_SIGNED|EPROTO/.test(text))
        end('unreachable', '', last);
    if (/TAR_|zlib|Z_DATA_ERROR|Invalid|Unexpected token|invalid json|EBADENGINE|EBADPLATFORM/i.test(text))
        end('damaged', '', last);
    end('other', '', last);
}

const room = fs.mkdtempSync('/tmp/npm-'); // what npm unpacks is thrown away; its cache is what counts
for (const file of ['package.json', 'package-lock.json']) {
    if (fs.existsSync(file))
        fs.copyFileSync(file, path.join(room, file));
}
const npm = npmProgram();
if (!npm)
    end('no-npm');
const more = [...withoutScripts, '--registry=' + wanted.registry, '--fetch-retries=0', '--fetch-timeout=' + wanted.timeout_ms,
    '--lockfile-version=3', '--install-links=false'];
if (certificates())
    more.push('--cafile=' + certificates());
callNpm(npm, wanted.locked ? 'ci' : 'install', more, room, (status, words) => {
    if (status !== 0)
        judge(words);
    fs.copyFileSync(path.join(room, 'package-lock.json'), 'package-lock.json');
    for (const other of fs.readdirSync('cache')) {
        if (other !== '_cacache')
            fs.rmSync(path.join('cache', other), { recursive: true });
    }
    end();
});
