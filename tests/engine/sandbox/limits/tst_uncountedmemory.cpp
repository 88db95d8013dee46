// SPDX-License-Identifier: Apache-2.0
// What a run makes the kernel hold that no process of it has, where no cgroup counts it: refused, or found by the watchdog.
#include "tests/engine/sandbox/sealed.h"

#include "engine/sandbox/native/native.h"

#include <QFile>
#include <QTest>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestUncountedMemory : public QObject
{
    Q_OBJECT

private:
    std::unique_ptr<Backend> m_backend = makeNativeBackend(QStringLiteral(GLOVEBOX_LIBEXEC), u"uncounted"_s,
                                                           {.only = builderUnderTest(), .leaves = false});

private Q_SLOTS:
    void whatSocketsHoldIsCounted_data()
    {
        QTest::addColumn<QByteArray>("host");
        QTest::newRow("IPv4") << QByteArray("127.0.0.1");
        QTest::newRow("IPv6") << QByteArray("::1");
    }

    void whatSocketsHoldIsCounted()
    {
        QFETCH(QByteArray, host);
        const QByteArray code = "import socket, time\n"
                                "family = socket.AF_INET6 if ':' in '"
                                + host
                                + "' else socket.AF_INET\n"
                                  "listener = socket.create_server(('"
                                + host
                                + "', 0), family=family)\n"
                                  "held, total = [], 0\n"
                                  "while total < 2_000_000_000 and len(held) < 480:\n"
                                  "    a = socket.create_connection(listener.getsockname()[:2])\n"
                                  "    b, _ = listener.accept()\n"
                                  "    held += [a, b]\n"
                                  "    for s in (a, b):\n"
                                  "        s.setblocking(False)\n"
                                  "        try:\n"
                                  "            while True: total += s.send(bytes(65536))\n"
                                  "        except BlockingIOError: pass\n"
                                  "print(len(held), total, flush=True)\n"
                                  "time.sleep(5)\n";
        const Result<SealedOutcome> r = runSealed(*m_backend, pythonSpec(code));
        QVERIFY(r);
        QVERIFY2(r->end.outOfMemory, r->out + r->err);
    }

    void whatDatagramsHoldIsCounted_data()
    {
        QTest::addColumn<QByteArray>("pair"); // of two sockets, one of which may send to the other
        const QByteArray udp =
            "    a, b = socket.socket(family, socket.SOCK_DGRAM), socket.socket(family, socket.SOCK_DGRAM)\n"
            "    b.bind((host, 0))\n"
            "    a.connect(b.getsockname()[:2])\n";
        QTest::newRow("UDP") << "    family, host = socket.AF_INET, '127.0.0.1'\n" + udp;
        QTest::newRow("UDP over IPv6") << "    family, host = socket.AF_INET6, '::1'\n" + udp;
        QTest::newRow("unix") << QByteArray("    a, b = socket.socketpair()\n");
    }

    void whatDatagramsHoldIsCounted()
    {
        QFETCH(QByteArray, pair);
        const QByteArray code = "import os, socket, time\n"
                                "held = []\n"
                                "for child in range(4):\n"
                                "    if os.fork() == 0: break\n"
                                "while len(held) < 480:\n"
                                + pair
                                + "    held += [a, b]\n"
                                  "    a.setblocking(False)\n"
                                  "    try:\n"
                                  "        for _ in range(20): a.send(bytes(30000))\n"
                                  "    except OSError: pass\n"
                                  "print(len(held), flush=True)\n"
                                  "time.sleep(5)\n";
        SealedSpec spec = pythonSpec(code);
        spec.shape.limits.memoryBytes = 80 * mebibyte; // the processes themselves take half of it
        spec.shape.workspace = Tmpfs{16 * mebibyte}; // counts as well
        const Result<SealedOutcome> r = runSealed(*m_backend, spec);
        QVERIFY(r);
        QVERIFY2(r->end.outOfMemory, r->out + r->err);
    }

    void socketsAreNotGrownByHand()
    {
        const QByteArray code = "import socket\n"
                                "for kind in socket.AF_UNIX, socket.AF_INET, socket.AF_INET6:\n"
                                "    s = socket.socket(kind, socket.SOCK_DGRAM)\n"
                                "    for option in socket.SO_SNDBUF, socket.SO_RCVBUF:\n"
                                "        before = s.getsockopt(socket.SOL_SOCKET, option)\n"
                                "        s.setsockopt(socket.SOL_SOCKET, option, 8 * before)\n"
                                "        print(s.getsockopt(socket.SOL_SOCKET, option) == before)\n";
        const Result<SealedOutcome> r = runSealed(*m_backend, pythonSpec(code));
        QVERIFY(r);
        QCOMPARE(r->out + r->err, QByteArray("True\n").repeated(6));
    }

    void someUnixSocketsAreNotTakenForMemory()
    {
        const Result<SealedOutcome> r =
            runSealed(*m_backend, pythonSpec("import socket, time\nheld = [socket.socketpair() for _ in range(60)]\n"
                                             "time.sleep(0.3)\nprint('fine')\n"));
        QVERIFY(r);
        QVERIFY2(!r->end.outOfMemory && r->out == "fine\n", r->out + r->err);
    }

    void noMemoryIsOutsideOfEveryProcess()
    {
        const QByteArray code = "import ctypes, os\n"
                                "libc = ctypes.CDLL(None)\n"
                                "try:\n    os.memfd_create('x')\nexcept OSError:\n    print('refused')\n"
                                "print(libc.shmget(0, 4096, 0o1600), libc.mq_open(b'/x', 66, 0o600, None))\n";
        const Result<SealedOutcome> r = runSealed(*m_backend, pythonSpec(code));
        QVERIFY(r);
        QCOMPARE(r->out + r->err, "refused\n-1 -1\n");
        const Result<SealedOutcome> heap = runSealed(*m_backend, pythonSpec("import time\nheld = b'x' * 300_000_000\n"
                                                                            "time.sleep(5)\n"));
        QVERIFY(heap);
        QVERIFY2(heap->end.outOfMemory, heap->out + heap->err);
    }

    // security(7): "Elsewhere the kernel bounds each process".
    void eachProcessIsBoundedByTheKernel()
    {
        SealedSpec spec = shellSpec("ulimit -d");
        spec.shape.limits.memoryBytes = 100 * mebibyte;
        const Result<SealedOutcome> r = runSealed(*m_backend, spec);
        QVERIFY(r);
        QCOMPARE(r->out + r->err, QByteArray::number((100 + 512) * 1024) + '\n');
    }

    // Stacks and heaps of threads, and what V8 keeps ready, are addresses that nothing is behind.
    void programsReserveMoreThanTheyUse()
    {
        SealedSpec spec = pythonSpec("import threading, time\n"
                                     "def work(): held = [bytes(1000) for _ in range(1000)]; time.sleep(0.5)\n"
                                     "for _ in range(40): threading.Thread(target=work).start()\n"
                                     "print('fine')\n");
        spec.shape.limits.memoryBytes = 128 * mebibyte;
        const Result<SealedOutcome> r = runSealed(*m_backend, spec);
        QVERIFY(r);
        QCOMPARE(r->out + r->err, "fine\n");
    }

    // A pipe or a socket keeps the pages that are put into it by name, and of one byte each a whole huge page.
    void nothingPutsPagesByNameIntoPipesAndSockets()
    {
        const QByteArray code =
            "import ctypes, errno, os, socket\n"
            "libc = ctypes.CDLL(None, use_errno=True)\n"
            "def said(name, result):\n"
            "    print(name, result, errno.errorcode.get(ctypes.get_errno()))\n"
            "r, w = os.pipe()\n"
            "r2, w2 = os.pipe()\n"
            "os.write(w2, b'x')\n"
            "f = os.open('main.py', os.O_RDONLY)\n"
            "piece = (ctypes.c_size_t * 2)(ctypes.addressof(ctypes.create_string_buffer(b'x')), 1)\n"
            "said('vmsplice', libc.vmsplice(w, piece, 1, 0))\n"
            "said('splice', libc.splice(f, None, w, None, 1, 0))\n"
            "said('tee', libc.tee(r2, w, 1, 0))\n"
            "s = socket.socket()\n"
            "said('sendfile', libc.sendfile(w, f, None, 1))\n"
            "one = ctypes.c_int(1)\n"
            "said('zerocopy', libc.setsockopt(s.fileno(), 1, 60, ctypes.byref(one), 4))\n"
            "said('landlock', libc.syscall(444, (ctypes.c_uint64 * 1)(1), 8, 0))\n";
        const Result<SealedOutcome> r = runSealed(*m_backend, pythonSpec(code));
        QVERIFY(r);
        QCOMPARE(r->out + r->err, "vmsplice -1 EINVAL\nsplice -1 EINVAL\ntee -1 EINVAL\nsendfile -1 EINVAL\n"
                                  "zerocopy -1 ENOTSUP\nlandlock -1 ENOTSUP\n");
    }

    void programsGoOnByReadingAndWriting_data()
    {
        QTest::addColumn<QByteArray>("script");
        QTest::newRow("Python") << QByteArray(
            "python3 -c \"import shutil, socket; shutil.copyfile('from', 'to'); a, b = socket.socketpair(); "
            "a.sendfile(open('from', 'rb')); print(len(b.recv(99999)), end=' ')\"; cmp from to && echo same");
        QTest::newRow("the system's") << QByteArray("wc -c < from | tr '\\n' ' '; cat from | cat > to; cp from too; "
                                                    "cmp from to && cmp from too && echo same");
        QTest::newRow("Node.js") << QByteArray(
            "node -e \"const fs = require('fs'); fs.copyFileSync('from', 'to'); "
            "fs.createReadStream('from').pipe(fs.createWriteStream('too')).on('finish', () => "
            "process.stdout.write(fs.statSync('too').size + ' '))\"; cmp from to && cmp from too && echo same");
    }

    void programsGoOnByReadingAndWriting()
    {
        QFETCH(QByteArray, script);
        if (script.startsWith("node") && !QFile::exists(u"/usr/bin/node"_s))
            QSKIP("Node.js is not installed.");
        SealedSpec spec = shellSpec("head -c 50000 /dev/urandom > from\n" + script);
        const Result<SealedOutcome> r = runSealed(*m_backend, spec);
        QVERIFY(r);
        QCOMPARE(r->out + r->err, "50000 same\n");
    }

    // 2 MB of addresses that are only read are a page of the kernel's, and none of the process's.
    void pageTablesAreCounted()
    {
        SealedSpec spec = pythonSpec("import ctypes, mmap, time\n"
                                     "libc = ctypes.CDLL(None)\n"
                                     "libc.mmap.restype = ctypes.c_void_p\n"
                                     "libc.mmap.argtypes = [ctypes.c_void_p] + 5 * [ctypes.c_long]\n"
                                     "libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_long, ctypes.c_int]\n"
                                     "at = libc.mmap(None, 1 << 38, 1, 0x4022, -1, 0)\n"
                                     "libc.madvise(at, 1 << 38, 15)\n" // no huge pages
                                     "for i in range(0, 1 << 38, 1 << 21): ctypes.c_char.from_address(at + i).value\n"
                                     "print('512 MB', flush=True)\n"
                                     "time.sleep(5)\n");
        const Result<SealedOutcome> r = runSealed(*m_backend, spec);
        QVERIFY(r);
        QVERIFY2(r->end.outOfMemory && r->end.memoryAlone, r->out + r->err);
    }

    void connectionsThatNobodyAcceptsAreCounted_data()
    {
        QTest::addColumn<QByteArray>("end"); // of a connection
        QTest::newRow("closed") << QByteArray("s.close()");
        QTest::newRow("reset") << QByteArray(
            "s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b'\\1\\0\\0\\0' + bytes(4)); s.close()");
    }

    void connectionsThatNobodyAcceptsAreCounted()
    {
        QFETCH(QByteArray, end);
        SealedSpec spec = pythonSpec("import socket, time\n"
                                     "for _ in range(4):\n"
                                     "    listener = socket.create_server(('127.0.0.1', 0), backlog=4000)\n"
                                     "    globals()[f'kept{_}'] = listener\n"
                                     "    for _ in range(4000):\n"
                                     "        s = socket.create_connection(listener.getsockname())\n"
                                     "        "
                                     + end
                                     + "\n"
                                       "print('64 MB', flush=True)\n"
                                       "time.sleep(5)\n");
        spec.shape.limits.memoryBytes = 32 * mebibyte;
        spec.shape.workspace = Tmpfs{mebibyte};
        const Result<SealedOutcome> r = runSealed(*m_backend, spec);
        QVERIFY(r);
        QVERIFY2(r->end.outOfMemory && !r->end.memoryAlone, r->out + r->err);
    }

    void whatProcessesMapOpenAndLockIsCounted_data()
    {
        QTest::addColumn<QByteArray>("code");
        // Of many files, as the kernel compares a lock with all others of its file.
        for (const char *command : {"F_SETLK", "F_OFD_SETLK"})
            QTest::newRow(command) << QByteArray("import fcntl, struct\n"
                                                 "def lock(f, at):\n"
                                                 "    fcntl.fcntl(f, fcntl.")
                                          + command
                                          + ", struct.pack('hhqqi4x', fcntl.F_WRLCK, 0, at, 1, 0))\n"
                                            "files = [os.open(f'/tmp/{i}', os.O_CREAT | os.O_RDWR) for i in "
                                            "range(300)]\n"
                                            "for f in files:\n"
                                            "    for i in range(1000): lock(f, 2000 - 2 * i)\n";
        QTest::newRow("mappings") << QByteArray("import ctypes\n"
                                                "libc = ctypes.CDLL(None)\n"
                                                "libc.mmap.restype = ctypes.c_void_p\n"
                                                "libc.mmap.argtypes = [ctypes.c_void_p] + 5 * [ctypes.c_long]\n"
                                                "libc.mprotect.argtypes = [ctypes.c_void_p] + 2 * [ctypes.c_long]\n"
                                                "at = libc.mmap(None, 60000 * 4096, 0, 0x4022, -1, 0)\n"
                                                "for i in range(0, 60000, 2): libc.mprotect(at + i * 4096, 4096, 1)\n"
                                                "for _ in range(3):\n"
                                                "    if os.fork() == 0: break\n");
        QTest::newRow("watches") << QByteArray("import select\n"
                                               "for _ in range(3):\n"
                                               "    if os.fork() == 0: break\n"
                                               "events = [os.eventfd(0) for _ in range(240)]\n"
                                               "polls = [select.epoll() for _ in range(240)]\n"
                                               "for p in polls:\n"
                                               "    for e in events: p.register(e)\n");
        QTest::newRow("pipes") << QByteArray(
            "for _ in range(3):\n"
            "    if os.fork() == 0: break\n"
            "kept = [os.pipe() for _ in range(240)]\n"
            "for _, w in kept: os.set_blocking(w, False); os.write(w, bytes(65536))\n");
    }

    // 50 MB of the kernel's.
    void whatProcessesMapOpenAndLockIsCounted()
    {
        QFETCH(QByteArray, code);
        SealedSpec spec = pythonSpec("import os, time\n" + code + "print('done', flush=True)\ntime.sleep(8)\n");
        spec.shape.limits.memoryBytes = 50 * mebibyte;
        spec.shape.workspace = Tmpfs{mebibyte, 1000};
        const Result<SealedOutcome> r = runSealed(*m_backend, spec);
        QVERIFY(r);
        QVERIFY2(r->end.outOfMemory && !r->end.memoryAlone, r->out + r->err);
    }

    void someOfThatIsNotTakenForMemory()
    {
        SealedSpec spec = pythonSpec(
            "import fcntl, os, select, struct, subprocess, time\n"
            "kept = [os.pipe() for _ in range(60)]\n"
            "poll = select.epoll()\n"
            "for r, _ in kept: poll.register(r)\n"
            "f = os.open('/tmp/f', os.O_CREAT | os.O_RDWR)\n"
            "for i in range(1000):\n"
            "    fcntl.fcntl(f, fcntl.F_SETLK, struct.pack('hhqqi4x', fcntl.F_WRLCK, 0, 2000 - 2 * i, 1, 0))\n"
            "children = [subprocess.Popen(['sleep', '0.4']) for _ in range(10)]\n"
            "for c in children: c.wait()\n"
            "print('fine')\n");
        spec.shape.limits.memoryBytes = 50 * mebibyte;
        spec.shape.workspace = Tmpfs{mebibyte};
        const Result<SealedOutcome> r = runSealed(*m_backend, spec);
        QVERIFY(r);
        QVERIFY2(!r->end.outOfMemory && r->out == "fine\n", r->out + r->err);
    }

    void namesOfFilesAreCountedWhereTheirNumberIsNotBounded()
    {
        SealedSpec spec =
            pythonSpec("import os, time\n"
                       "for i in range(120000): os.close(os.open(f'/tmp/{i}', os.O_CREAT | os.O_WRONLY))\n"
                       "print('120 MB', flush=True)\n"
                       "time.sleep(5)\n");
        spec.shape.limits.memoryBytes = 64 * mebibyte;
        spec.shape.workspace = Tmpfs{16 * mebibyte};
        const Result<SealedOutcome> r = runSealed(*m_backend, spec);
        QVERIFY(r);
        QVERIFY2(r->end.outOfMemory != r->err.contains("No space left on device"), r->out + r->err);
        QCOMPARE(r->end.outOfMemory, m_backend->builder() == u"bwrap"_s);
    }

    // vfork(2): the child waits in its parent's memory for somebody to write to the FIFO.
    void aChildThatIsStillInItsParentsMemoryCountsOnce()
    {
        SealedSpec spec = pythonSpec("import os, time\n"
                                     "os.mkfifo('/tmp/fifo')\n"
                                     "if os.fork() == 0:\n"
                                     "    time.sleep(0.3)\n"
                                     "    open('/tmp/fifo', 'w').write('x')\n"
                                     "    os._exit(0)\n"
                                     "held = bytearray(60 << 20)\n"
                                     "for i in range(0, len(held), 4096): held[i] = 1\n"
                                     "os.posix_spawn('/usr/bin/cat', ['cat'], {}, "
                                     "file_actions=[(os.POSIX_SPAWN_OPEN, 0, '/tmp/fifo', os.O_RDONLY, 0)])\n"
                                     "os.wait(); os.wait()\n");
        spec.shape.limits.memoryBytes = 110 * mebibyte;
        const Result<SealedOutcome> r = runSealed(*m_backend, spec);
        QVERIFY(r);
        QVERIFY2(!r->end.outOfMemory && r->out == "x", r->out + r->err);
    }
};

QTEST_GUILESS_MAIN(TestUncountedMemory)
#include "tst_uncountedmemory.moc"
