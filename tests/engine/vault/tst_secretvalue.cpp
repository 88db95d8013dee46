// SPDX-License-Identifier: Apache-2.0
// Where the bytes of a secret are, and that they are gone afterwards.
#include "engine/vault/vault.h"

#include <QFile>
#include <QTest>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <cstring>

using namespace glovebox;

namespace {

// What the kernel says of the memory at an address ("VmFlags" of proc(5)).
QByteArrayList flagsOf(const void *address)
{
    QFile maps(QStringLiteral("/proc/self/smaps"));
    if (!maps.open(QIODevice::ReadOnly))
        return {};
    bool inside = false;
    for (const QByteArray &line : maps.readAll().split('\n')) {
        const QByteArrayList range = line.left(line.indexOf(' ')).split('-'); // "BEGIN-END rw-p ..."
        if (range.size() == 2)
            inside = range[0].toULongLong(nullptr, 16) <= quintptr(address)
                     && quintptr(address) < range[1].toULongLong(nullptr, 16);
        else if (inside && line.startsWith("VmFlags:"))
            return line.mid(8).simplified().split(' ');
    }
    return {};
}

} // namespace

class TestSecretValue : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void holdsItsBytes()
    {
        const SecretValue value = SecretValue::copyOf(QByteArrayView("a\0b\n", 4));
        QCOMPARE(value.view(), QByteArrayView("a\0b\n", 4));
        QVERIFY(SecretValue().isEmpty());
        QVERIFY(SecretValue::copyOf({}).isEmpty());
        QCOMPARE(SecretValue(3).view(), QByteArrayView("\0\0\0", 3));
        const QByteArray large(200'000, 'x');
        QCOMPARE(SecretValue::copyOf(large).view(), QByteArrayView(large));
    }

    void movesWithoutACopyAndClonesOnPurpose()
    {
        SecretValue value = SecretValue::copyOf("abcd");
        const char *place = value.view().data();
        SecretValue moved = std::move(value);
        QCOMPARE(static_cast<const void *>(moved.view().data()), static_cast<const void *>(place));
        const SecretValue clone = moved.clone();
        QVERIFY(clone.view().data() != place);
        QVERIFY(clone == moved);
        SecretValue assigned = SecretValue::copyOf("other");
        assigned = std::move(moved);
        QCOMPARE(assigned.view(), QByteArrayView("abcd"));
    }

    void comparesAllOfIt()
    {
        QVERIFY(SecretValue::copyOf("abcd") == SecretValue::copyOf("abcd"));
        QVERIFY(SecretValue::copyOf("abcd") != SecretValue::copyOf("abce"));
        QVERIFY(SecretValue::copyOf("abcd") != SecretValue::copyOf("bbcd"));
        QVERIFY(SecretValue::copyOf("abcd") != SecretValue::copyOf("abc"));
        QVERIFY(SecretValue() == SecretValue());
    }

    void truncatingWipesTheRest()
    {
        SecretValue value = SecretValue::copyOf("abcdefgh");
        const char *place = value.view().data();
        value.truncate(3);
        QCOMPARE(value.view(), QByteArrayView("abc"));
        QCOMPARE(QByteArrayView(place, 8), QByteArrayView("abc\0\0\0\0\0", 8));
        value.truncate(5);
        QCOMPARE(value.size(), 3);
    }

    void itsPagesAreLockedAndNotDumped()
    {
        void *other = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        const bool isLocked = ::mlock(other, 4096) == 0;
        const QByteArrayList flagsOfOther = flagsOf(other);
        ::munmap(other, 4096);
        if (flagsOfOther.isEmpty())
            QSKIP("/proc/self/smaps doesn't tell of memory here.");
        const SecretValue value(5000);
        const QByteArrayList flags = flagsOf(value.view().data());
        QVERIFY2(flags.contains("dd"), flags.join(' ').constData()); // not in a core file
        QVERIFY2(flags.contains("wf"), flags.join(' ').constData()); // wiped in a child that is forked
        if (!isLocked || !flagsOfOther.contains("lo"))
            QSKIP("This machine lets no memory be locked (or a sanitizer answers for it).");
        QVERIFY2(flags.contains("lo"), flags.join(' ').constData());
    }

    void aForkedChildHasNoCopy()
    {
        const SecretValue value = SecretValue::copyOf("abcdefgh");
        const pid_t child = ::fork();
        if (child == 0)
            ::_exit(std::memcmp(value.view().data(), "\0\0\0\0\0\0\0\0", 8) == 0 ? 0 : 1);
        int status = -1;
        QCOMPARE(::waitpid(child, &status, 0), child);
        QCOMPARE(status, 0);
        QCOMPARE(value.view(), QByteArrayView("abcdefgh"));
    }

    void itsMemoryIsGivenBack()
    {
        const char *place = nullptr;
        {
            const SecretValue value = SecretValue::copyOf("abcdefgh");
            place = value.view().data();
        }
        unsigned char present = 0;
        auto *page = reinterpret_cast<void *>(quintptr(place) & ~quintptr(4095));
        if (::mincore(page, 4096, &present) == 0) // something else is there now
            QVERIFY(std::memcmp(place, "abcdefgh", 8) != 0);
    }

    void wipingOverwrites()
    {
        char memory[] = "abcd";
        wipe(memory, 4);
        QCOMPARE(QByteArrayView(memory, 5), QByteArrayView("\0\0\0\0\0", 5));
        wipe(nullptr, 4);
    }
};

QTEST_GUILESS_MAIN(TestSecretValue)
#include "tst_secretvalue.moc"
