// SPDX-License-Identifier: Apache-2.0
// The containment suite: tries to break out, case by case, with every builder and cold and warm, and says what the host saw.
//
// containment [--cases 01,17,...] [--json FILE]        exit status 1 when something escaped
#include "field.h"

#include <QCommandLineParser>
#include <QCoreApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <csignal>
#include <cstdio>
#include <pwd.h>
#include <unistd.h>

using namespace containment;
using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

enum class CaseVerdict { Held, Escaped, NoEvidence, NotApplicable };

QString words(CaseVerdict verdict)
{
    switch (verdict) {
    case CaseVerdict::Held:
        return u"held"_s;
    case CaseVerdict::Escaped:
        return u"ESCAPED"_s;
    case CaseVerdict::NoEvidence:
        return u"no evidence"_s;
    case CaseVerdict::NotApplicable:
        return u"not applicable"_s;
    }
    return {};
}

struct Judgement
{
    CaseVerdict verdict = CaseVerdict::NoEvidence;
    QString detail;
    qint64 milliseconds = 0;
};

Judgement judge(const Case &c, Engine &engine)
{
    if (!c.escapes)
        return {CaseVerdict::NotApplicable, QString::fromUtf8(c.reason), 0};
    Field sealed(&engine);
    const bool escaped = c.escapes(sealed);
    if (!sealed.applies())
        return {CaseVerdict::NotApplicable, sealed.noted(), 0};
    if (escaped)
        return {CaseVerdict::Escaped, sealed.noted(), 0};
    if (const QString trouble = sealed.trouble(); !trouble.isEmpty())
        return {CaseVerdict::NoEvidence, trouble, 0};
    if (*c.reason)
        return {CaseVerdict::Held, u"without control: "_s + QString::fromUtf8(c.reason), 0};
    Field raw(nullptr);
    if (c.escapes(raw))
        return {CaseVerdict::Held, sealed.noted(), 0};
    return {CaseVerdict::NoEvidence,
            raw.noted().isEmpty() ? u"raw, it doesn't work on this machine either"_s : raw.noted(), 0};
}

QString userName()
{
    const passwd *user = ::getpwuid(::getuid());
    return user ? QString::fromLocal8Bit(user->pw_name) : u"uid %1"_s.arg(::getuid());
}

QList<Case> chosen(const QString &numbers)
{
    QList<Case> all = fileCases + kernelCases + processCases;
    std::ranges::sort(all, {}, [](const Case &c) { return QByteArray(c.number); });
    if (numbers.isEmpty())
        return all;
    const QStringList wanted = numbers.split(u',');
    all.removeIf([&](const Case &c) { return !wanted.contains(QLatin1StringView(c.number)); });
    return all;
}

// One way in which this machine can seal.
struct Ground
{
    QString builder;
    QString start; // "cold", "warm"
    std::unique_ptr<Engine> engine;
};

Result<Ground> makeGround(const QString &home, NativeBuilder builder)
{
    EngineConfig config;
    config.paths = {home + u"/data"_s, home + u"/config"_s, home + u"/run"_s, QStringLiteral(GLOVEBOX_LIBEXEC)};
    config.native.only = builder;
    // None of the environment: limits are the defaults.
    auto settings = Settings::load(config.paths.settingsFile(), {});
    if (!settings)
        return std::unexpected(settings.error());
    config.settings = std::move(*settings);
    auto engine = Engine::open(std::move(config));
    if (!engine)
        return std::unexpected(engine.error());
    Ground ground;
    ground.builder = (*engine)->backend().builder();
    ground.start = u"cold"_s;
    ground.engine = std::move(*engine);
    return ground;
}

} // namespace

int main(int argc, char **argv)
{
    ::signal(SIGPIPE, SIG_IGN);
    const QCoreApplication application(argc, argv);
    QCommandLineParser parser;
    parser.addOption({u"cases"_s, u"only these"_s, u"numbers"_s});
    parser.addOption({u"json"_s, u"where the verdicts go"_s, u"file"_s});
    parser.addOption({u"builder"_s, u"direct or bwrap"_s, u"name"_s, u"direct"_s});
    parser.process(application);
    const QList<Case> cases = chosen(parser.value(u"cases"_s));

    QTemporaryDir home;
    const Result<Ground> ground = makeGround(
        home.path(), parser.value(u"builder"_s) == u"bwrap"_s ? NativeBuilder::Bubblewrap : NativeBuilder::Direct);
    if (!ground) {
        std::fprintf(stderr, "%s\n", qPrintable(ground.error().message.english()));
        return 1;
    }
    const QString place = u"%1, %2"_s.arg(ground->builder, ground->start);
    std::printf("user %s, native backend\n%-4s %-62s %-15s %s\n", qPrintable(userName()), "case", "what is tried",
                qPrintable(place), "ms");
    QMap<CaseVerdict, int> counts;
    QJsonArray verdicts;
    for (const Case &c : cases) {
        QElapsedTimer clock;
        clock.start();
        Judgement judgement = judge(c, *ground->engine);
        judgement.milliseconds = clock.elapsed();
        ++counts[judgement.verdict];
        std::printf("%-4s %-62s %-15s %lld%s%s\n", c.number, c.title, qPrintable(words(judgement.verdict)),
                    static_cast<long long>(judgement.milliseconds), judgement.detail.isEmpty() ? "" : "  ",
                    qPrintable(judgement.detail));
        std::fflush(stdout);
        verdicts.append(QJsonObject{{u"case"_s, QString::fromUtf8(c.number)},
                                    {u"title"_s, QString::fromUtf8(c.title)},
                                    {u"backend"_s, u"native"_s},
                                    {u"builder"_s, ground->builder},
                                    {u"start"_s, ground->start},
                                    {u"user"_s, userName()},
                                    {u"verdict"_s, words(judgement.verdict).toLower()},
                                    {u"detail"_s, judgement.detail},
                                    {u"ms"_s, judgement.milliseconds}});
    }
    std::printf("%d held, %d escaped, %d without evidence, %d not applicable\n", counts[CaseVerdict::Held],
                counts[CaseVerdict::Escaped], counts[CaseVerdict::NoEvidence], counts[CaseVerdict::NotApplicable]);
    // For who counts tests (installer/lib/tests.sh). What has no evidence has passed nothing.
    std::printf("Totals: %d passed, %d failed, 0 skipped\n", counts[CaseVerdict::Held], counts[CaseVerdict::Escaped]);
    if (QFile file(parser.value(u"json"_s)); parser.isSet(u"json"_s)) {
        if (!file.open(QIODevice::WriteOnly)
            || file.write(QJsonDocument(QJsonObject{{u"schema"_s, 1}, {u"verdicts"_s, verdicts}}).toJson()) < 0)
            std::fprintf(stderr, "%s: %s\n", qPrintable(file.fileName()), qPrintable(file.errorString()));
    }
    return counts[CaseVerdict::Escaped] > 0 || counts[CaseVerdict::Held] == 0 ? 1 : 0;
}
