// SPDX-License-Identifier: Apache-2.0
// What a run's views are told, and in which order, of a run that is in whatever state a test wants.
#include "app/workbench/runpanel/shownrun.h"

#include <QtTest>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

class StagedRun : public Run
{
public:
    QString id() const override { return u"0193"_s; }
    RunState state() const override { return now; }
    int queuePosition() const override { return 0; }
    OutputSlice output(qint64 cursor, qint64) const override
    {
        if (cursor >= printed.size())
            return {.next = printed.size()};
        return {.chunks = {{OutputStream::Out, cursor, printed.sliced(cursor)}}, .next = printed.size()};
    }
    EventSlice events(qint64) const override { return {}; }
    QList<Control> controls() const override { return {}; }
    std::shared_ptr<const RunResult> result() const override { return nullptr; }
    std::shared_ptr<const RunResult> wait() const override { return nullptr; }
    qint64 write(QByteArrayView) override { return 0; }
    void closeInput() override { }
    void resize(int, int) override { }
    void cancel() override { }
    void onChange(std::function<void()> wake) override
    {
        ring = std::move(wake);
        if (ring)
            ring();
    }

    RunState now = RunState::Preparing;
    QByteArray printed;
    std::function<void()> ring;
};

} // namespace

class TestShownRun : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    // The state is read before the output, and the run may begin and print in between.
    void theLineOfSealingStandsBeforeTheOutput()
    {
        const auto staged = std::make_shared<StagedRun>();
        ShownRun shown(staged, {}, {.language = u"Python"_s});
        const LineStore &lines = shown.log().lines();
        QCoreApplication::processEvents();
        QVERIFY(lines.isEmpty());
        staged->printed = "hello\n";
        staged->ring();
        QTRY_VERIFY(!lines.isEmpty());
        staged->now = RunState::Running;
        staged->ring();
        QTRY_COMPARE(shown.state(), RunState::Running);
        QStringList texts;
        for (auto number = lines.first(); number < lines.end(); ++number)
            texts << lines.line(number).text;
        QVERIFY2(texts.size() >= 2 && texts[0].endsWith(u"sealed · Python"_s) && texts[1] == "hello"_L1,
                 qPrintable(texts.join(u'\n')));
        QCOMPARE(texts.filter(u"sealed"_s).size(), 1);
    }
};

QTEST_MAIN(TestShownRun)
#include "tst_shownrun.moc"
