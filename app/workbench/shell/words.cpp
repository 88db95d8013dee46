// SPDX-License-Identifier: Apache-2.0
#include "words.h"

#include <QCoreApplication>
#include <QDate>
#include <QFileInfo>
#include <QLocale>

#include <array>

namespace glovebox {
namespace {

const char *controlSource(ControlId id)
{
    switch (id) {
    case ControlId::UserNamespace:
        return QT_TRANSLATE_NOOP("words", "User namespace");
    case ControlId::MountNamespace:
        return QT_TRANSLATE_NOOP("words", "Mount namespace");
    case ControlId::PidNamespace:
        return QT_TRANSLATE_NOOP("words", "Process namespace");
    case ControlId::NetworkNamespace:
        return QT_TRANSLATE_NOOP("words", "Network namespace");
    case ControlId::IpcNamespace:
        return QT_TRANSLATE_NOOP("words", "IPC namespace");
    case ControlId::UtsNamespace:
        return QT_TRANSLATE_NOOP("words", "Host name namespace");
    case ControlId::CgroupNamespace:
        return QT_TRANSLATE_NOOP("words", "Control group namespace");
    case ControlId::NestedUserNamespaces:
        return QT_TRANSLATE_NOOP("words", "No namespaces inside");
    case ControlId::RootFilesystem:
        return QT_TRANSLATE_NOOP("words", "Own root file system");
    case ControlId::OwnProc:
        return QT_TRANSLATE_NOOP("words", "Own /proc");
    case ControlId::NoNewPrivileges:
        return QT_TRANSLATE_NOOP("words", "No new privileges");
    case ControlId::Capabilities:
        return QT_TRANSLATE_NOOP("words", "Capabilities");
    case ControlId::Seccomp:
        return QT_TRANSLATE_NOOP("words", "System call filter");
    case ControlId::Landlock:
        return QT_TRANSLATE_NOOP("words", "Landlock");
    case ControlId::UnprivilegedUser:
        return QT_TRANSLATE_NOOP("words", "Unprivileged user");
    case ControlId::Network:
        return QT_TRANSLATE_NOOP("words", "Network");
    case ControlId::Egress:
        return QT_TRANSLATE_NOOP("words", "Allowed hosts only");
    case ControlId::EgressListeners:
        return QT_TRANSLATE_NOOP("words", "Ways to allowed hosts");
    case ControlId::Memory:
        return QT_TRANSLATE_NOOP("words", "Memory");
    case ControlId::Processes:
        return QT_TRANSLATE_NOOP("words", "Processes");
    case ControlId::Disk:
        return QT_TRANSLATE_NOOP("words", "Disk");
    case ControlId::FolderDisk:
        return QT_TRANSLATE_NOOP("words", "Disk of granted folders");
    case ControlId::CpuTime:
        return QT_TRANSLATE_NOOP("words", "Processor time");
    case ControlId::CpuShare:
        return QT_TRANSLATE_NOOP("words", "Processor share");
    case ControlId::WallTime:
        return QT_TRANSLATE_NOOP("words", "Time limit");
    case ControlId::Output:
        return QT_TRANSLATE_NOOP("words", "Output kept");
    case ControlId::TreeKill:
        return QT_TRANSLATE_NOOP("words", "Ends with all its processes");
    case ControlId::DenialEvents:
        return QT_TRANSLATE_NOOP("words", "Refused attempts are told");
    case ControlId::Inotify:
        return QT_TRANSLATE_NOOP("words", "File watches");
    case ControlId::ProcessLimits:
        return QT_TRANSLATE_NOOP("words", "Limits of each process");
    case ControlId::Unknown:
        break;
    }
    return QT_TRANSLATE_NOOP("words", "Of another version");
}

QString word(const char *source)
{
    return QCoreApplication::translate("words", source);
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
    return word(controlSource(id));
}

QString stateWord(Control::State state)
{
    switch (state) {
    case Control::State::Verified:
        return word(QT_TRANSLATE_NOOP("words", "Verified"));
    case Control::State::Enforced:
        return word(QT_TRANSLATE_NOOP("words", "Enforced"));
    case Control::State::Degraded:
        return word(QT_TRANSLATE_NOOP("words", "Degraded"));
    case Control::State::Missing:
        break;
    }
    return word(QT_TRANSLATE_NOOP("words", "Missing"));
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

QString outcomeWord(Outcome outcome)
{
    switch (outcome) {
    case Outcome::Completed:
        return word(QT_TRANSLATE_NOOP("words", "Completed"));
    case Outcome::Failed:
        return word(QT_TRANSLATE_NOOP("words", "Failed"));
    case Outcome::Signalled:
        return word(QT_TRANSLATE_NOOP("words", "Ended by a signal"));
    case Outcome::TimedOut:
        return word(QT_TRANSLATE_NOOP("words", "Timed out"));
    case Outcome::CpuLimit:
        return word(QT_TRANSLATE_NOOP("words", "Out of processor time"));
    case Outcome::OutOfMemory:
        return word(QT_TRANSLATE_NOOP("words", "Out of memory"));
    case Outcome::DiskLimit:
        return word(QT_TRANSLATE_NOOP("words", "Out of disk"));
    case Outcome::Cancelled:
        return word(QT_TRANSLATE_NOOP("words", "Stopped"));
    case Outcome::Rejected:
        return word(QT_TRANSLATE_NOOP("words", "Rejected"));
    case Outcome::Denied:
        return word(QT_TRANSLATE_NOOP("words", "Denied"));
    case Outcome::SetupFailed:
        return word(QT_TRANSLATE_NOOP("words", "Not started"));
    case Outcome::Interrupted:
        break;
    }
    return word(QT_TRANSLATE_NOOP("words", "Interrupted"));
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
    switch (kind) {
    case Caller::Kind::Workbench:
        return word(QT_TRANSLATE_NOOP("words", "Workbench"));
    case Caller::Kind::Mcp:
        return word(QT_TRANSLATE_NOOP("words", "Agent"));
    case Caller::Kind::Cli:
        break;
    }
    return word(QT_TRANSLATE_NOOP("words", "Command line"));
}

QString durationWord(std::chrono::microseconds duration)
{
    const double ms = double(duration.count()) / 1000.0;
    if (ms < 999.5)
        return QCoreApplication::translate("words", "%1 ms").arg(number(ms));
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
    static constexpr std::array<const char *, 4> units{
        QT_TRANSLATE_NOOP("words", "%1 bytes"), QT_TRANSLATE_NOOP("words", "%1 kB"),
        QT_TRANSLATE_NOOP("words", "%1 MB"), QT_TRANSLATE_NOOP("words", "%1 GB")};
    auto value = double(bytes);
    size_t unit = 0;
    while (unit + 1 < units.size() && value >= 1023.5) {
        value /= 1024;
        ++unit;
    }
    return word(units[unit]).arg(unit == 0 ? QLocale().toString(bytes) : number(value));
}

QString freshSettingsSentence(const QString &file)
{
    return QCoreApplication::translate(
               "words",
               "Starting with fresh settings keeps this file beside the new one, as %1. What it tightened, such "
               "as \"strict\", is then no longer in force.")
        .arg(QFileInfo(file).fileName() + QStringLiteral(".broken-") + QDate::currentDate().toString(Qt::ISODate));
}

} // namespace glovebox
