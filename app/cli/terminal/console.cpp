// SPDX-License-Identifier: Apache-2.0
// Plain POSIX writes: Qt's and C's buffers hide the errors that matter here.
#include "console.h"

#include "terminal.h"

#include <QJsonDocument>

#include <fcntl.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

namespace glovebox {

using namespace Qt::StringLiterals;

void occupyStandardDescriptors()
{
    // Opened the wrong way round, so that using one still fails.
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
            ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
}

bool isTerminal(int descriptor)
{
    return ::isatty(descriptor) == 1;
}

bool writeAll(int descriptor, QByteArrayView bytes)
{
    while (!bytes.isEmpty()) {
        const ssize_t written = ::write(descriptor, bytes.data(), size_t(bytes.size()));
        if (written >= 0) {
            bytes = bytes.sliced(written);
        } else if (errno == EAGAIN) { // somebody else made it non-blocking
            pollfd ready{descriptor, POLLOUT, 0};
            ::poll(&ready, 1, -1);
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

void print(QByteArrayView bytes)
{
    if (writeAll(STDOUT_FILENO, bytes))
        return;
    if (errno == EPIPE) // the reader has seen enough; SIGPIPE is ignored, or it would have ended us
        std::exit(ExitStatus::signalled + SIGPIPE);
    say(u"Standard output can't be written: %1."_s.arg(errnoText(errno)));
    std::exit(ExitStatus::outputLost);
}

void print(const QString &text)
{
    print(QByteArrayView(text.toUtf8()));
}

void printLine(const QString &text)
{
    print(QByteArrayView(escapedLine(text.toUtf8()) + '\n'));
}

void printJson(QJsonObject object)
{
    object[QStringLiteral("schema")] = jsonSchema;
    print(QByteArrayView(QJsonDocument(object).toJson(QJsonDocument::Compact) + '\n'));
}

QByteArray asLine(const QString &sentence)
{
    // A word that somebody gave may be of any length, and the sentence around it is what matters.
    constexpr qsizetype most = 2000, half = 800;
    const QString shown = sentence.size() > most ? sentence.first(half) + u" [...] "_s + sentence.last(half) : sentence;
    return QByteArrayLiteral("glovebox: ") + escapedLine(shown.toUtf8()) + '\n';
}

void say(const QString &sentence)
{
    writeAll(STDERR_FILENO, asLine(sentence));
}

QString sentenceOf(const Error &error)
{
    const QString message = error.message.english();
    return error.detail.isEmpty() ? message : u"%1 (%2)"_s.arg(message, error.detail.english());
}

int sayFailure(const Error &error)
{
    say(sentenceOf(error));
    return ExitStatus::failed;
}

int sayUsage(const QString &sentence, const QString &command)
{
    const bool endsWithCommand = !sentence.endsWith(u'.') && !sentence.endsWith(u'?'); // which nothing may follow
    say(endsWithCommand
            ? sentence
            : u"%1 See \"glovebox help%2\"."_s.arg(sentence, command.isEmpty() ? QString() : u' ' + command));
    return ExitStatus::usage;
}

namespace {

// While it exists, SIGINT leaves a sentence on a line of its own before it ends the program, unless it would not end it.
class InterruptWords
{
public:
    explicit InterruptWords(const QString &sentence)
    {
        if (::sigaction(SIGINT, nullptr, &m_before) != 0 || m_before.sa_handler != SIG_DFL)
            return;
        s_words = '\n' + asLine(sentence);
        struct sigaction action = {};
        action.sa_handler =
            [](int signal) { // nothing but write(2) and raise(3), as whatever was going on goes on no more
                [[maybe_unused]] const ssize_t written =
                    ::write(STDERR_FILENO, s_words.constData(), size_t(s_words.size()));
                ::raise(signal);
            };
        action.sa_flags =
            int(SA_RESETHAND) | SA_NODEFER; // the second time it ends the program, whose status tells that
        m_isSet = ::sigaction(SIGINT, &action, nullptr) == 0;
    }
    ~InterruptWords()
    {
        if (m_isSet)
            ::sigaction(SIGINT, &m_before, nullptr);
    }
    Q_DISABLE_COPY_MOVE(InterruptWords)

private:
    static inline QByteArray s_words; // changed only while no handler reads it
    struct sigaction m_before = {};
    bool m_isSet = false;
};

} // namespace

bool asksWhether(const QString &question, const QString &unanswered)
{
    const InterruptWords interruptWords(unanswered);
    // What was typed before the question was not meant as the answer.
    ::tcflush(STDIN_FILENO, TCIFLUSH);
    QByteArray asked = asLine(question);
    asked.chop(1); // the line's end
    writeAll(STDERR_FILENO, asked + " [y/N] ");
    QByteArray answer;
    for (;;) {
        char byte = 0;
        const ssize_t count = ::read(STDIN_FILENO, &byte, 1);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0 || byte == '\n')
            break;
        answer += byte;
    }
    answer = answer.trimmed().toLower();
    return answer == "y" || answer == "yes";
}

QString shownBytes(qint64 bytes)
{
    return bytes == 1 ? u"1 byte"_s : u"%1 bytes"_s.arg(bytes);
}

} // namespace glovebox
