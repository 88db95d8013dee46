// SPDX-License-Identifier: Apache-2.0
// Cases 54 to 56: what becomes of a secret that one run is lent. Raw, the same code has it in its environment, and nobody looks at
// what it prints.
#include "tests/containment/field.h"

#include <QDirIterator>
#include <QFile>
#include <QJsonDocument>
#include <QProcess>

#include <unistd.h>

#include <algorithm>

namespace containment {

using namespace glovebox;
using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

namespace {

const QString name = u"LENT"_s;

// In the engine's vault as long as it lives.
class Lent
{
public:
    Lent(Field &field, const QByteArray &value)
        : m_field(field)
    {
        if (!field.isSealed())
            return;
        const Status added =
            field.engine().vault().add(name, {}, {}, SecretValue::copyOf(value), {}, Patience::of(10s));
        if (!added)
            field.note(added.error().message.english());
    }
    ~Lent()
    {
        if (m_field.isSealed())
            static_cast<void>(m_field.engine().vault().remove(name, {}, Patience::of(10s)));
    }
    Lent(const Lent &) = delete;
    Lent &operator=(const Lent &) = delete;

private:
    Field &m_field;
};

// What Python code that has it leaves: output, result and record.
QByteArray leftBy(Field &field, const QByteArray &code, const QByteArray &value)
{
    if (!field.isSealed()) {
        QProcess python;
        QProcessEnvironment environment;
        environment.insert(name, QString::fromUtf8(value));
        python.setProcessEnvironment(environment);
        python.setWorkingDirectory(field.folder());
        python.setProcessChannelMode(QProcess::MergedChannels);
        python.start(u"/usr/bin/python3"_s, {u"-c"_s, QString::fromUtf8(code)});
        python.waitForFinished();
        return python.readAll();
    }
    const Lent lent(field, value);
    const auto attempt = field.start({.language = "python", .code = code, .secrets = {{name, {}, false}}});
    attempt->finish();
    const auto result = attempt->result();
    QByteArray left = attempt->output() + QJsonDocument(toJson(*result)).toJson();
    if (!left.contains("[secret LENT]"))
        field.note(u"it was not printed: "_s + QString::fromUtf8(left.left(200)));
    const auto reader = field.engine().auditReader();
    const auto entries = reader ? (*reader)->entriesOf(result->id) : Result<QList<StoredEntry>>();
    for (const StoredEntry &entry : entries ? *entries : QList<StoredEntry>())
        left += entry.json;
    QDirIterator files(field.engine().paths().data, QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        QFile file(files.next());
        left += file.fileName().toUtf8();
        // A file of the run that holds it is the person's to release; nobody else gets it, nor is it on record.
        if (!file.fileName().contains(u"/store/withheld/"_s) && file.open(QIODevice::ReadOnly))
            left += file.readAll();
    }
    for (const Artifact &artifact : result->artifacts) {
        if (const auto body = field.engine().store().get(artifact.digest))
            left += *body;
    }
    return left;
}

bool isSpelled(const QByteArray &bytes, const QByteArray &value)
{
    QByteArray reversed = value;
    std::reverse(reversed.begin(), reversed.end());
    QByteArray percent;
    for (const char c : value)
        percent += '%' + QByteArray::number(static_cast<unsigned char>(c), 16).rightJustified(2, '0');
    QByteArrayList forms{value, reversed, value.toHex(), value.toHex().toUpper(), percent, percent.toUpper()};
    for (int before = 0; before < 3; ++before) // without the ends, which depend on what is beside it
        forms.append((QByteArray(before, 'x') + value + "xxx").toBase64().mid(4, value.size()));
    QByteArray joined = bytes; // wrapped lines
    joined.replace("\r\n", "").replace("\n", "");
    return std::ranges::any_of(forms,
                               [&](const QByteArray &form) { return bytes.contains(form) || joined.contains(form); });
}

bool readsOtherEnvironment(Field &field)
{
    const QByteArray value = newToken();
    QByteArrayList places;
    for (int pid = 1; pid < 40; ++pid)
        places.append("/proc/" + QByteArray::number(pid) + "/environ");
    if (!field.isSealed()) {
        qputenv("LENT", value);
        const auto holder = field.hold({.deed = "read"});
        qunsetenv("LENT");
        const QList<qint64> pids = holder ? holder->processes() : QList<qint64>();
        return !pids.isEmpty()
               && field.reveals({.deed = "read", .words = {"/proc/" + QByteArray::number(pids.first()) + "/environ"}},
                                value);
    }
    const Lent lent(field, value);
    const auto holder =
        field.start({.language = "python",
                     .code = "import os\nprint('ready', flush=True)\ninput()\nprint(os.environ['LENT'])",
                     .secrets = {{name, {}, false}}});
    if (!holder->isReady()) {
        field.note(u"the other run did not start"_s);
        return false;
    }
    for (const qint64 pid : descendantsOf(::getpid()))
        places.append("/proc/" + QByteArray::number(pid) + "/environ");
    return field.reveals({.deed = "read", .words = places}, value)
           || field.reveals({.language = "python", .code = "import os; print(os.environ)"}, value);
}

bool printsInOtherSpellings(Field &field)
{
    const QByteArray value = newToken();
    return isSpelled(
        leftBy(field,
               "import os, sys, time, base64, json, urllib.parse\n"
               "k = os.environ['LENT']\nb = k.encode()\n"
               "for c in k: os.write(1, c.encode()); time.sleep(0.001)\n"
               "for c in k: os.write(1, c.encode())\n"
               "print(b.hex(), b.hex().upper(), k[::-1], json.dumps([k]), ''.join('\\\\u%04x' % c for c in b))\n"
               "print(''.join('%%%02x' % c for c in b), ''.join('%%%02X' % c for c in b))\n"
               "for i in range(3):\n"
               "    e = base64.b64encode(b'x' * i + b + b'xxx').decode()\n"
               "    print(e, flush=True)\n"
               "    print('\\n'.join(e[n:n+7] for n in range(0, len(e), 7)), flush=True)\n"
               "os.write(1, b)\n",
               value),
        value);
}

bool leavesItElsewhere(Field &field)
{
    const QByteArray value = newToken();
    return isSpelled(leftBy(field,
                            "import os, sys, subprocess\n"
                            "k = os.environ['LENT']\n"
                            "open(k, 'w').write(k); print(os.listdir('.'))\n"
                            "subprocess.run(['sh', '-c', 'echo $LENT; cat /proc/$$/cmdline', k])\n"
                            "d = {k: k}\nd['missing ' + k]\n",
                            value),
                     value);
}

} // namespace

const QList<Case> secretCases{
    {"54", "a secret in another run's environment", readsOtherEnvironment},
    {"55", "a secret split, encoded, reversed", printsInOtherSpellings},
    {"56", "a secret in a traceback, artifact, file name, child's arguments", leavesItElsewhere},
};

} // namespace containment
