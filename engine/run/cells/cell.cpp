// SPDX-License-Identifier: Apache-2.0
#include "interpreters.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <QRandomGenerator>

#include <array>
#include <cerrno>

namespace glovebox {
namespace {

UniqueFd duplicateOf(int descriptor)
{
    return UniqueFd(::fcntl(descriptor, F_DUPFD_CLOEXEC, 3));
}

// Of one turn: code that never stops writing must not keep its run from being ended.
constexpr int piecesAtOnce = 16;

class Cell final : public SealedProcess
{
public:
    Cell(std::shared_ptr<Interpreter> interpreter, const CellCode &cell, std::function<void()> interrupted)
        : m_interpreter(std::move(interpreter))
        , m_interrupted(std::move(interrupted))
        , m_isFirst(m_interpreter->isNew)
    {
        m_job = encodeCell("cell-" + QByteArray::number(++m_interpreter->cells), m_tag, cell); // as tracebacks name it
        m_interpreter->value.reset();
    }
    ~Cell() override
    {
        if (m_isStarted && !m_status) // nobody knows what the interpreter does now
            m_interpreter->process.reset();
    }

    const QList<Control> &controls() const override { return process().controls(); }
    bool isWarm() const override { return !m_isFirst; }
    std::vector<UniqueFd> takeListeners() override { return process().takeListeners(); }
    UniqueFd takeWorkspace() override { return duplicateOf(process().workspace()); }
    UniqueFd takeHome() override { return m_status ? UniqueFd() : process().takeHome(); }
    int workspace() const override { return process().workspace(); }
    qint64 hostProcess() const override { return process().hostProcess(); }
    UniqueFd takeStdin() override { return {}; }
    UniqueFd takeStdout() override { return duplicateOf(m_interpreter->out.get()); }
    UniqueFd takeStderr() override { return duplicateOf(m_interpreter->err.get()); }
    Status start() override;
    void interrupt() override
    {
        process().interrupt();
        m_interrupted();
    }
    void kill() override { process().kill(); }
    int eventDescriptor() const override { return process().eventDescriptor(); }
    QList<RunEvent> takeEvents(int max) override { return process().takeEvents(max); }
    int reportDescriptor() const override { return process().reportDescriptor(); }
    void addTo(std::vector<pollfd> &sources) const override;
    std::optional<SandboxEnd> takeEnd() override;
    bool hasProgramEnded() const override { return m_status || process().hasProgramEnded(); }
    bool isPartOfProgram() const override { return true; }
    bool goesOn() const override { return m_status.has_value(); }

private:
    SealedProcess &process() const { return *m_interpreter->process; }
    void send();
    void takeAnswer();

    const std::shared_ptr<Interpreter> m_interpreter;
    QByteArray m_job;
    qsizetype m_sent = 0;
    const QByteArray m_tag = QByteArray::number(QRandomGenerator::system()->generate64(), 16);
    CellAnswer m_answer{m_tag}; // what else comes, from an earlier cell too, is no answer to this one
    const std::function<void()> m_interrupted;
    const bool m_isFirst;
    bool m_isStarted = false;
    std::optional<int> m_status;
};

void Cell::addTo(std::vector<pollfd> &sources) const
{
    if (m_interpreter->channel && !process().hasProgramEnded())
        sources.push_back({m_interpreter->channel.get(), short(m_job.isEmpty() ? POLLIN : POLLIN | POLLOUT), 0});
}

Status Cell::start()
{
    Interpreter &interpreter = *m_interpreter;
    m_isStarted = true;
    if (m_isFirst) {
        interpreter.isNew = false;
        process().takeStdin(); // whoever reads finds the end
        RETURN_IF_ERROR(process().start());
        interpreter.channel = process().takeChannel();
    }
    return m_isFirst ? Status() : process().resume();
}

// The interpreter may take its time, or never read at all.
void Cell::send()
{
    while (m_sent < m_job.size()) {
        const ssize_t sent = ::send(m_interpreter->channel.get(), m_job.constData() + m_sent,
                                    std::size_t(m_job.size() - m_sent), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return;
        m_sent += sent;
    }
    m_job.clear();
    m_sent = 0;
}

void Cell::takeAnswer()
{
    std::array<char, 4096> piece;
    for (int i = 0; i < piecesAtOnce && !m_status && m_interpreter->channel; ++i) {
        const ssize_t got = ::recv(m_interpreter->channel.get(), piece.data(), piece.size(), MSG_DONTWAIT);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && errno == EAGAIN)
            return;
        if (got <= 0) { // it is ending; else its time will
            m_interpreter->channel.reset();
            return;
        }
        m_answer.feed({piece.data(), got});
        m_status = m_answer.status();
    }
    if (m_status)
        m_interpreter->value = m_answer.value();
}

std::optional<SandboxEnd> Cell::takeEnd()
{
    if (auto end = process().takeEnd()) {
        m_status.reset(); // also of one that answered and ended at once
        m_interpreter->value.reset();
        return end;
    }
    send();
    if (!process().hasProgramEnded())
        takeAnswer();
    if (!m_status)
        return std::nullopt;
    SandboxEnd end;
    end.exitCode = m_status;
    return end;
}

} // namespace

UniqueFd Interpreter::lendToolSocket(UniqueFd fresh)
{
    if (fresh)
        toolSocket = std::move(fresh);
    return duplicateOf(toolSocket.get());
}

std::unique_ptr<SealedProcess> makeCell(std::shared_ptr<Interpreter> interpreter, const CellCode &cell,
                                        std::function<void()> interrupted)
{
    if (interpreter->isNew) {
        interpreter->out = interpreter->process->takeStdout();
        interpreter->err = interpreter->process->takeStderr();
    }
    return std::make_unique<Cell>(std::move(interpreter), cell, std::move(interrupted));
}

} // namespace glovebox
