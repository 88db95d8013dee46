// SPDX-License-Identifier: Apache-2.0
// The containment suite: tries to break out, case by case, with every builder and cold, warm, at a terminal and in a
// session, and says what the host saw.
//
// containment [--cases 01,17,...] [--except 67,...] [--only direct|bwrap|cold|warm|tty|session] [--json FILE]
// Exit status 1 when something escaped.
#include "field.h"

#include "engine/sandbox/native/native.h"

#include "tests/support/memorystore.h"

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
#include <sys/resource.h>
#include <unistd.h>

using namespace containment;
using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

enum class CaseVerdict { Held, Escaped, NoEvidence, NotApplicable };

const char *words(CaseVerdict verdict)
{
    switch (verdict) {
    case CaseVerdict::Held:
        return "held";
    case CaseVerdict::Escaped:
        return "ESCAPED";
    case CaseVerdict::NoEvidence:
        return "no evidence";
    case CaseVerdict::NotApplicable:
        return "not applicable";
    }
    return "";
}

QString words(Start start)
{
    return start == Start::Cold       ? u"cold"_s
           : start == Start::Warm     ? u"warm"_s
           : start == Start::Terminal ? u"tty"_s
                                      : u"session"_s;
}

struct Judgement
{
    CaseVerdict verdict = CaseVerdict::NoEvidence;
    QString detail;
};

// One way in which this machine can seal.
struct Ground
{
    QString builder; // "direct", "bwrap"
    Start start = Start::Cold;
    std::unique_ptr<Engine> engine;

    QString name() const { return builder + u' ' + words(start); }
};

// The positive control: nullopt when it worked, else why it says nothing. The same for every ground, so it is tried once.
std::optional<QString> controlProblem(const Case &c)
{
    if (*c.reason)
        return std::nullopt;
    Field raw(nullptr);
    if (c.escapes(raw))
        return std::nullopt;
    return raw.noted().isEmpty() ? u"raw, it doesn't work on this machine either"_s : u"raw: "_s + raw.noted();
}

// control: why the positive control says nothing; asked once and only when it matters.
Judgement judge(const Case &c, const Ground &ground, std::optional<std::optional<QString>> &control)
{
    Field sealed(ground.engine.get(), ground.start);
    const bool escaped = c.escapes(sealed);
    if (!sealed.applies())
        return {CaseVerdict::NotApplicable, sealed.noted()};
    if (escaped)
        return {CaseVerdict::Escaped, sealed.noted()};
    if (const QString trouble = sealed.trouble(); !trouble.isEmpty())
        return {CaseVerdict::NoEvidence, trouble};
    if (ground.start == Start::Warm && sealed.warmRuns() == 0)
        return {CaseVerdict::NotApplicable, u"warm: with limits or folders of its own it starts cold"_s};
    if (!control)
        control = controlProblem(c);
    if (*control)
        return {CaseVerdict::NoEvidence, **control};
    if (*c.reason)
        return {CaseVerdict::Held, u"without control: "_s + QString::fromUtf8(c.reason)};
    return {CaseVerdict::Held, sealed.noted()};
}

QString userName()
{
    const passwd *user = ::getpwuid(::getuid());
    return user ? QString::fromLocal8Bit(user->pw_name) : u"uid %1"_s.arg(::getuid());
}

// numbers: empty for all.
QList<Case> chosen(const QString &numbers, const QString &others)
{
    QList<Case> all =
        fileCases + kernelCases + processCases + networkCases + egressCases + resourceCases + recordCases + secretCases;
    std::ranges::sort(all, {}, [](const Case &c) { return QByteArray(c.number); });
    const QStringList wanted = numbers.split(u',', Qt::SkipEmptyParts);
    const QStringList unwanted = others.split(u',', Qt::SkipEmptyParts);
    all.removeIf([&](const Case &c) {
        const QLatin1StringView number(c.number);
        return (!wanted.isEmpty() && !wanted.contains(number)) || unwanted.contains(number);
    });
    return all;
}

Result<Ground> makeGround(const QString &home, NativeBuilder builder, Start start)
{
    EngineConfig config;
    config.paths = {home + u"/data"_s, home + u"/config"_s, home + u"/run"_s, QStringLiteral(GLOVEBOX_LIBEXEC)};
    config.backends = {makeNativeBackend(config.paths.libexec, QStringLiteral("containment"), {.only = builder})};
    config.keepsWarm = start == Start::Warm;
    config.stores = {makeMemoryStore()};
    // None of the environment: limits are the defaults.
    auto settings = Settings::load(config.paths.settingsFile(), {});
    if (!settings)
        return std::unexpected(settings.error());
    config.settings = std::move(*settings);
    auto engine = Engine::open(std::move(config));
    if (!engine)
        return std::unexpected(engine.error());
    if (const BackendReport report = (*engine)->backend().probe(); !report.usable)
        return fail(ErrorCode::Unavailable, report.reason);
    Ground ground;
    ground.builder = (*engine)->backend().builder();
    ground.start = start;
    ground.engine = std::move(*engine);
    return ground;
}

// only: "direct cold", a name that it begins with, or empty for all.
std::vector<Ground> grounds(const QString &home, const QString &only)
{
    std::vector<Ground> all;
    for (const Start start : {Start::Cold, Start::Warm, Start::Terminal, Start::Session}) {
        for (const NativeBuilder builder : {NativeBuilder::Direct, NativeBuilder::Bubblewrap}) {
            const QString name = (builder == NativeBuilder::Direct ? u"direct "_s : u"bwrap "_s) + words(start);
            if (!name.contains(only))
                continue;
            Result<Ground> ground = makeGround(home + u'/' + name, builder, start);
            if (ground)
                all.push_back(std::move(*ground));
            else
                std::printf("%s: not usable here: %s\n", qPrintable(name),
                            qPrintable(ground.error().message.english()));
        }
    }
    return all;
}

// What a run must not inherit, where this process may have it at all.
void beRichInRights()
{
    qputenv("GLOVEBOX_TEST_CONTAINMENT_SECRET", environmentSecret());
    qputenv("PYTHONSTARTUP", environmentSecret());
    qputenv("AWS_SECRET_ACCESS_KEY", environmentSecret());
    for (const auto &[resource, value] : std::initializer_list<std::pair<__rlimit_resource, rlim_t>>{
             {RLIMIT_RTPRIO, 10}, {RLIMIT_NICE, 35}, {RLIMIT_MEMLOCK, 1024 * mebibyte}}) {
        const rlimit limit{value, value};
        ::setrlimit(resource, &limit);
    }
}

class Table
{
public:
    explicit Table(const std::vector<Ground> &grounds)
    {
        std::printf("user %s, native backend\n%-4s %-58s", qPrintable(userName()), "case", "what is tried");
        for (const Ground &ground : grounds)
            std::printf(" %-14s", qPrintable(ground.name()));
        std::printf(" ms\n");
    }
    void begin(const Case &c)
    {
        std::printf("%-4s %-58s", c.number, c.title);
        m_details.clear();
        m_clock.start();
    }
    void add(const Case &c, const QString &builder, const QString &start, const Judgement &judgement)
    {
        ++m_counts[judgement.verdict];
        std::printf(" %-14s", words(judgement.verdict));
        std::fflush(stdout);
        if (!judgement.detail.isEmpty() && !m_details.contains(judgement.detail))
            m_details.append(judgement.detail);
        m_verdicts.append(QJsonObject{{u"case"_s, QString::fromUtf8(c.number)},
                                      {u"title"_s, QString::fromUtf8(c.title)},
                                      {u"backend"_s, u"native"_s},
                                      {u"builder"_s, builder},
                                      {u"start"_s, start},
                                      {u"user"_s, userName()},
                                      {u"verdict"_s, QString::fromUtf8(words(judgement.verdict)).toLower()},
                                      {u"detail"_s, judgement.detail}});
    }
    void end()
    {
        std::printf(" %lld  %s\n", static_cast<long long>(m_clock.elapsed()), qPrintable(m_details.join(u" | "_s)));
        std::fflush(stdout);
    }
    int close() const
    {
        const int held = m_counts.value(CaseVerdict::Held);
        const int escaped = m_counts.value(CaseVerdict::Escaped);
        std::printf("%d held, %d escaped, %d without evidence, %d not applicable\n", held, escaped,
                    m_counts.value(CaseVerdict::NoEvidence), m_counts.value(CaseVerdict::NotApplicable));
        // For who counts tests (installer/lib/tests.sh). What has no evidence has passed nothing.
        std::printf("Totals: %d passed, %d failed, 0 skipped\n", held, escaped);
        return escaped > 0 || held == 0 ? 1 : 0;
    }
    void save(const QString &path) const
    {
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly)
            || file.write(QJsonDocument(QJsonObject{{u"schema"_s, 1}, {u"verdicts"_s, m_verdicts}}).toJson()) < 0)
            std::printf("The verdicts were not kept: %s: %s\n", qPrintable(path), qPrintable(file.errorString()));
    }

private:
    QMap<CaseVerdict, int> m_counts;
    QStringList m_details;
    QElapsedTimer m_clock;
    QJsonArray m_verdicts;
};

} // namespace

int main(int argc, char **argv)
{
    ::signal(SIGPIPE, SIG_IGN);
    const QCoreApplication application(argc, argv);
    QCommandLineParser parser;
    parser.addOption({u"cases"_s, u"only these"_s, u"numbers"_s});
    parser.addOption({u"except"_s, u"not these"_s, u"numbers"_s});
    parser.addOption({u"json"_s, u"where the verdicts go"_s, u"file"_s});
    parser.addOption(
        {u"only"_s, u"only grounds with this in their name: direct, bwrap, cold, warm, tty, session"_s, u"name"_s});
    parser.process(application);
    beRichInRights();

    QTemporaryDir home;
    const std::vector<Ground> all = grounds(home.path(), parser.value(u"only"_s));
    Table table(all);
    for (const Case &c : chosen(parser.value(u"cases"_s), parser.value(u"except"_s))) {
        table.begin(c);
        if (!c.escapes) {
            table.add(c, {}, {}, {CaseVerdict::NotApplicable, QString::fromUtf8(c.reason)});
        } else {
            std::optional<std::optional<QString>> control;
            for (const Ground &ground : all)
                table.add(c, ground.builder, words(ground.start), judge(c, ground, control));
        }
        table.end();
    }
    if (parser.isSet(u"json"_s))
        table.save(parser.value(u"json"_s));
    return table.close();
}
