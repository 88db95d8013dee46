// SPDX-License-Identifier: Apache-2.0
// Secrets that are lent where this process gets no more memory.
#include "lentfixture.h"

#include <QFile>
#include <QRandomGenerator>

#include <sys/resource.h>
#include <unistd.h>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

// From the first value on that is read, nearly nothing more is to be had.
class StoreBeforeALimit : public MemoryStore
{
public:
    ~StoreBeforeALimit() override { liftLimit(); }
    Result<SecretValue> read(const QString &slot, const Patience &patience) override
    {
        if (m_isLimiting)
            limit();
        return MemoryStore::read(slot, patience);
    }
    void liftLimit()
    {
        m_isLimiting = false;
        const rlimit all{RLIM_INFINITY, RLIM_INFINITY};
        ::setrlimit(RLIMIT_AS, &all);
    }

private:
    static void limit()
    {
        QFile statm(u"/proc/self/statm"_s);
        if (!statm.open(QIODevice::ReadOnly))
            qFatal("How large this program is can't be read.");
        const auto pages = statm.readAll().split(' ').value(0).toULongLong();
        const rlimit room{pages * rlim_t(::sysconf(_SC_PAGESIZE)) + 4 * mebibyte, RLIM_INFINITY};
        ::setrlimit(RLIMIT_AS, &room);
    }

    bool m_isLimiting = true;
};

} // namespace

class TestLentMemory : public LentFixture
{
    Q_OBJECT

private Q_SLOTS:
    void wantOfMemoryIsASentence()
    {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        QSKIP("Sanitizers reserve more than any limit leaves.");
#endif
        const auto store = std::make_shared<StoreBeforeALimit>();
        open(NativeBuilder::Direct, false, store);
        QRandomGenerator random(15);
        std::vector<SecretGrant> secrets;
        for (int i = 0; i < 8; ++i) {
            SecretValue value(64 * 1024);
            for (qsizetype at = 0; at < value.size(); ++at)
                value.data()[at] = char('a' + random.bounded(26));
            secrets.push_back({u"KEY%1"_s.arg(i), {}, true});
            add(secrets.back().name, value);
        }
        const auto result = run("sh", "echo here", secrets);
        store->liftLimit();
        QCOMPARE(result->out.kept(), QByteArray());
        QVERIFY2(result->reason.english().contains(u"more memory"_s), qPrintable(result->reason.english()));
        QCOMPARE(run("sh", "echo here", {secrets.front()})->out.kept(), QByteArray("here\n"));
    }
};

QTEST_GUILESS_MAIN(TestLentMemory)
#include "tst_lentmemory.moc"
