// SPDX-License-Identifier: Apache-2.0
#include "field.h"
#include "tests/support/signals.h"

#include <QDeadlineTimer>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QThread>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>

namespace containment {

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

// Says if the payload never ran: a case that tried nothing has held nothing.
class Watched final : public Attempt
{
public:
    Watched(std::unique_ptr<Attempt> inner, QString &trouble, int &warmRuns)
        : m_inner(std::move(inner))
        , m_trouble(trouble)
        , m_warmRuns(warmRuns)
    {
    }
    ~Watched() override
    {
        m_inner->stop();
        check();
    }

    void finish() override
    {
        m_inner->finish();
        check();
    }
    bool hasEnded() override { return m_inner->hasEnded(); }
    QByteArray output() override { return m_inner->output(); }
    std::shared_ptr<const RunResult> result() const override { return m_inner->result(); }
    const QByteArray &token() const override { return m_inner->token(); }

private:
    void check()
    {
        const auto ended = m_checked ? nullptr : m_inner->result();
        m_checked = m_checked || ended;
        if (ended && nothingRan(ended->outcome))
            m_trouble = u"nothing ran: "_s + ended->reason.english();
        m_warmRuns += ended && ended->warm;
    }

    std::unique_ptr<Attempt> m_inner;
    bool m_checked = false;
    QString &m_trouble;
    int &m_warmRuns;
};

} // namespace

Field::Field(Engine *engine, Start start)
    : m_engine(engine)
    , m_start(start)
{
    // Also for the user of runs, where root started the suite.
    ::chmod(qPrintable(m_folder.path()), 0777);
}

Field::~Field() = default;

QByteArray Field::inFolder(const QByteArray &name) const
{
    return QFile::encodeName(m_folder.path()) + '/' + name;
}

QByteArray Field::shown() const
{
    return isSealed() ? "/mnt/shown" : QFile::encodeName(m_folder.path());
}

Policy Field::showing(FolderGrant::Mode mode) const
{
    Policy policy;
    policy.folders = {{m_folder.path(), u"/mnt/shown"_s, mode}};
    return policy;
}

QByteArrayList Field::runWords() const
{
    QByteArrayList words{"run"};
    if (m_start == Start::Terminal)
        words.append("--tty");
    return words;
}

std::unique_ptr<Attempt> Field::start(const Payload &payload)
{
    return std::make_unique<Watched>(m_engine ? startSealed(*m_engine, payload, m_start) : startRaw(payload, folder()),
                                     m_trouble, m_warmRuns);
}

bool Field::reveals(const Payload &payload, const QByteArray &text)
{
    const auto attempt = start(payload);
    attempt->finish();
    return attempt->output().contains(text);
}

std::unique_ptr<Attempt> Field::hold(const Payload &payload)
{
    auto attempt = start(payload);
    if (attempt->isReady()) {
        // Else looking finds nothing, whatever there is.
        const QList<qint64> pids = attempt->processes();
        if (pids.isEmpty() || descriptorsOf(pids.first()).isEmpty())
            m_trouble = u"the host can't look into the payload's processes"_s;
        return attempt;
    }
    attempt->finish();
    if (m_trouble.isEmpty())
        m_trouble = u"the payload never came to its deed: "_s + QString::fromUtf8(attempt->output().left(200));
    return nullptr;
}

void Field::doesNotApply(const QString &why)
{
    m_applies = false;
    m_note = why;
}

QString Field::trouble() const
{
    return m_trouble;
}

Canary::Canary(const QString &path, mode_t mode)
    : m_path(path)
    , m_text(newToken())
{
    const QString folder = QFileInfo(path).path();
    if (!QFileInfo::exists(folder) && QDir().mkpath(folder))
        m_madeFolder = folder;
    QFile file(path);
    if (file.open(QIODevice::WriteOnly))
        file.write(m_text + '\n');
    ::chmod(qPrintable(path), mode);
}

Canary::~Canary()
{
    QFile::remove(m_path);
    if (!m_madeFolder.isEmpty())
        QDir().rmdir(m_madeFolder);
}

QByteArray Canary::path() const
{
    return QFile::encodeName(m_path);
}

// A copy of this process: the secret lies at the same address in it. It does nothing that isn't safe after a fork.
Victim::Victim()
{
    const pid_t child = ::fork();
    if (child == 0) {
        ::close_range(3, ~0U, 0); // else it keeps the input of runs open that wait warm
        ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        ::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
        ::prctl(PR_SET_NAME, m_secret.constData() + m_secret.size() - 15, 0, 0, 0);
        ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
        for (;;)
            ::pause();
    }
    m_pid = child;
}

Victim::~Victim()
{
    if (m_pid <= 0)
        return;
    sendSignal(m_pid, SIGKILL);
    ::waitpid(static_cast<pid_t>(m_pid), nullptr, 0);
}

const QByteArray &environmentSecret()
{
    static const QByteArray secret = newToken();
    return secret;
}

QString homeFolder()
{
    return QDir::homePath();
}

bool waitFor(const std::function<bool()> &isTrue, std::chrono::milliseconds patience)
{
    const QDeadlineTimer deadline(patience);
    while (!isTrue()) {
        if (deadline.hasExpired())
            return false;
        QThread::msleep(5);
    }
    return true;
}

} // namespace containment
