// SPDX-License-Identifier: Apache-2.0
#include "words.h"

#include <QCoreApplication>
#include <QDate>
#include <QFileInfo>
#include <QLocale>

#include <array>
#include <cmath>

namespace glovebox {
namespace {

// namesOf() checks when it is compiled that no enumerator lacks a word.
constexpr auto controlWords = namesOf<ControlId>({
    {ControlId::Unknown, QT_TRANSLATE_NOOP("words", "Control of another version")},
    {ControlId::UserNamespace, QT_TRANSLATE_NOOP("words", "User namespace")},
    {ControlId::MountNamespace, QT_TRANSLATE_NOOP("words", "Mount namespace")},
    {ControlId::PidNamespace, QT_TRANSLATE_NOOP("words", "Process namespace")},
    {ControlId::NetworkNamespace, QT_TRANSLATE_NOOP("words", "Network namespace")},
    {ControlId::IpcNamespace, QT_TRANSLATE_NOOP("words", "IPC namespace")},
    {ControlId::UtsNamespace, QT_TRANSLATE_NOOP("words", "Host name namespace")},
    {ControlId::CgroupNamespace, QT_TRANSLATE_NOOP("words", "Control group namespace")},
    {ControlId::RootFilesystem, QT_TRANSLATE_NOOP("words", "Own root file system")},
    {ControlId::OwnProc, QT_TRANSLATE_NOOP("words", "Own /proc")},
    {ControlId::UnprivilegedUser, QT_TRANSLATE_NOOP("words", "Unprivileged user")},
    {ControlId::NoNewPrivileges, QT_TRANSLATE_NOOP("words", "No new privileges")},
    {ControlId::Capabilities, QT_TRANSLATE_NOOP("words", "Capabilities")},
    {ControlId::NestedUserNamespaces, QT_TRANSLATE_NOOP("words", "No namespaces inside")},
    {ControlId::Seccomp, QT_TRANSLATE_NOOP("words", "System call filter")},
    {ControlId::DenialEvents, QT_TRANSLATE_NOOP("words", "Refused attempts are reported")},
    {ControlId::Landlock, QT_TRANSLATE_NOOP("words", "Landlock")},
    {ControlId::Network, QT_TRANSLATE_NOOP("words", "Network")},
    {ControlId::TreeKill, QT_TRANSLATE_NOOP("words", "Ends with all its processes")},
    {ControlId::Inotify, QT_TRANSLATE_NOOP("words", "File watches")},
    {ControlId::ProcessLimits, QT_TRANSLATE_NOOP("words", "Limits of each process")},
    {ControlId::Processes, QT_TRANSLATE_NOOP("words", "Processes")},
    {ControlId::Memory, QT_TRANSLATE_NOOP("words", "Memory")},
    {ControlId::CpuTime, QT_TRANSLATE_NOOP("words", "Processor time")},
    {ControlId::CpuShare, QT_TRANSLATE_NOOP("words", "Processor share")},
    {ControlId::Disk, QT_TRANSLATE_NOOP("words", "Disk")},
    {ControlId::FolderDisk, QT_TRANSLATE_NOOP("words", "Disk of granted folders")},
    {ControlId::EgressListeners, QT_TRANSLATE_NOOP("words", "Network proxies")},
    {ControlId::Egress, QT_TRANSLATE_NOOP("words", "Allowed hosts only")},
    {ControlId::WallTime, QT_TRANSLATE_NOOP("words", "Time limit")},
    {ControlId::Output, QT_TRANSLATE_NOOP("words", "Output kept")},
});

constexpr auto stateWords = namesOf<Control::State>({
    {Control::State::Verified, QT_TRANSLATE_NOOP("words", "Verified")},
    {Control::State::Enforced, QT_TRANSLATE_NOOP("words", "Enforced")},
    {Control::State::Degraded, QT_TRANSLATE_NOOP("words", "Degraded")},
    {Control::State::Missing, QT_TRANSLATE_NOOP("words", "Missing")},
});

constexpr auto outcomeWords = namesOf<Outcome>({
    {Outcome::Completed, QT_TRANSLATE_NOOP("words", "Completed")},
    {Outcome::Failed, QT_TRANSLATE_NOOP("words", "Failed")},
    {Outcome::Signalled, QT_TRANSLATE_NOOP("words", "Ended by a signal")},
    {Outcome::TimedOut, QT_TRANSLATE_NOOP("words", "Timed out")},
    {Outcome::CpuLimit, QT_TRANSLATE_NOOP("words", "Out of processor time")},
    {Outcome::OutOfMemory, QT_TRANSLATE_NOOP("words", "Out of memory")},
    {Outcome::DiskLimit, QT_TRANSLATE_NOOP("words", "Out of disk")},
    {Outcome::Cancelled, QT_TRANSLATE_NOOP("words", "Stopped")},
    {Outcome::Rejected, QT_TRANSLATE_NOOP("words", "Rejected")},
    {Outcome::Denied, QT_TRANSLATE_NOOP("words", "Denied")},
    {Outcome::SetupFailed, QT_TRANSLATE_NOOP("words", "Not started")},
    {Outcome::Interrupted, QT_TRANSLATE_NOOP("words", "Interrupted")},
});

constexpr auto callerWords = namesOf<Caller::Kind>({
    {Caller::Kind::Cli, QT_TRANSLATE_NOOP("words", "Command line")},
    {Caller::Kind::Workbench, QT_TRANSLATE_NOOP("words", "Workbench")},
    {Caller::Kind::Mcp, QT_TRANSLATE_NOOP("words", "Agent")},
});

QString word(std::string_view source)
{
    return QCoreApplication::translate("words", QByteArrayView(source).toByteArray());
}

QString number(double value)
{
    // One decimal below ten, none above, and no ".0".
    const QString text = QLocale().toString(value, 'f', value < 10 ? 1 : 0);
    const QString zero = QLocale().decimalPoint() + QLocale().zeroDigit();
    return text.endsWith(zero) ? text.chopped(zero.size()) : text;
}

} // namespace

QString translated(const Text &text)
{
    if (text.isEmpty())
        return {};
    return text.fill(QCoreApplication::translate(text.context.toUtf8().constData(), text.source.toUtf8().constData()));
}

QString controlName(ControlId id)
{
    return word(controlWords[size_t(id)]);
}

QString stateWord(Control::State state)
{
    return word(stateWords[size_t(state)]);
}

Colour stateColour(Control::State state)
{
    switch (state) {
    case Control::State::Verified:
        return Colour::Ok;
    case Control::State::Enforced:
        return Colour::Text; // set, but not read back: nothing that wasn't read back is green
    case Control::State::Degraded:
        return Colour::Warn;
    case Control::State::Missing:
        break;
    }
    return Colour::Bad;
}

Icon stateIcon(Control::State state)
{
    switch (state) {
    case Control::State::Verified:
        return Icon::Check;
    case Control::State::Enforced:
        return Icon::Shield;
    case Control::State::Degraded:
        return Icon::Warning;
    case Control::State::Missing:
        break;
    }
    return Icon::Failed;
}

Colour toneColour(Tone tone)
{
    switch (tone) {
    case Tone::Ok:
        return Colour::Ok;
    case Tone::Warn:
        return Colour::Warn;
    case Tone::Bad:
        return Colour::Bad;
    case Tone::Info:
        break;
    }
    return Colour::Info;
}

Icon toneIcon(Tone tone)
{
    switch (tone) {
    case Tone::Ok:
        return Icon::Check;
    case Tone::Warn:
        return Icon::Warning;
    case Tone::Bad:
        return Icon::Failed;
    case Tone::Info:
        break;
    }
    return Icon::Info;
}

QString outcomeWord(Outcome outcome)
{
    return word(outcomeWords[size_t(outcome)]);
}

Colour outcomeColour(Outcome outcome)
{
    switch (outcome) {
    case Outcome::Completed:
        return Colour::Ok;
    case Outcome::TimedOut:
    case Outcome::CpuLimit:
    case Outcome::Interrupted:
    case Outcome::Denied:
        return Colour::Warn;
    case Outcome::Cancelled:
        return Colour::Dim;
    default:
        return Colour::Bad;
    }
}

QString callerWord(Caller::Kind kind)
{
    return word(callerWords[size_t(kind)]);
}

QString durationWord(std::chrono::microseconds duration)
{
    const double ms = double(duration.count()) / 1000.0;
    if (ms < 1000) // whole ones are begun ones, as in the log: the bench and the history say the same
        return QCoreApplication::translate("words", "%1 ms").arg(number(ms < 10 ? ms : std::floor(ms)));
    if (ms < 59'950)
        return QCoreApplication::translate("words", "%1 s").arg(number(ms / 1000));
    const qint64 seconds = (duration.count() + 500'000) / 1'000'000;
    QString minutes = QCoreApplication::translate("words", "%1 min").arg(QLocale().toString(seconds / 60));
    if (seconds % 60 == 0)
        return minutes;
    return QCoreApplication::translate("words", "%1 %2 s").arg(minutes, QLocale().toString(seconds % 60));
}

QString sizeWord(qint64 bytes)
{
    static constexpr std::array<const char *, 4> units{"", QT_TRANSLATE_NOOP("words", "%1 KB"),
                                                       QT_TRANSLATE_NOOP("words", "%1 MB"),
                                                       QT_TRANSLATE_NOOP("words", "%1 GB")};
    auto value = double(bytes);
    size_t unit = 0;
    while (unit + 1 < units.size() && value >= 1023.5) {
        value /= 1024;
        ++unit;
    }
    if (unit == 0) // "1 byte"
        return QCoreApplication::translate("words", "%Ln byte(s)", nullptr, int(bytes));
    return word(units[unit]).arg(number(value));
}

QString freshSettingsSentence(const QString &file)
{
    return QCoreApplication::translate("words", "Starting with fresh settings keeps this file beside the new one, as "
                                                "%1. Tighter settings in the old file, "
                                                "such as \"strict\", are then no longer in force.")
        .arg(QFileInfo(file).fileName() + QStringLiteral(".broken-") + QDate::currentDate().toString(Qt::ISODate));
}

QString breakable(const QString &text, int longestPiece)
{
    QString shown;
    int piece = 0;
    for (const QChar character : text) {
        piece = character.isSpace() ? 0 : piece + 1;
        if (piece > longestPiece && !character.isLowSurrogate()) {
            shown += QChar(0x200b);
            piece = 1;
        }
        shown += character;
    }
    return shown;
}

bool comesBefore(QByteArrayView path, QByteArrayView other)
{
    const auto isDigit = [](char byte) { return byte >= '0' && byte <= '9'; };
    // The number that begins there, without its leading zeros.
    const auto numberAt = [&](QByteArrayView text, qsizetype &at) {
        while (at < text.size() && text[at] == '0')
            ++at;
        const qsizetype from = at;
        while (at < text.size() && isDigit(text[at]))
            ++at;
        return text.sliced(from, at - from);
    };
    const auto weight = [](char byte) { return byte == '/' ? 0 : int(uchar(byte)); };
    qsizetype i = 0, j = 0;
    while (i < path.size() && j < other.size()) {
        if (isDigit(path[i]) && isDigit(other[j])) {
            const QByteArrayView a = numberAt(path, i), b = numberAt(other, j);
            if (a.size() != b.size())
                return a.size() < b.size();
            if (const int order = a.compare(b); order != 0)
                return order < 0;
        } else if (path[i] != other[j]) {
            return weight(path[i]) < weight(other[j]);
        } else {
            ++i;
            ++j;
        }
    }
    if (i < path.size() || j < other.size())
        return i == path.size();
    return path.compare(other) < 0; // 007 and 7
}

} // namespace glovebox
