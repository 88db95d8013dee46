// SPDX-License-Identifier: Apache-2.0
#include "command.h"

#include "app/workbench/editor/file/hiddentext.h"

#include <QCoreApplication>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype longestWord = 100'000; // MAX_ARG_STRLEN of Linux is 128 KiB

// lupdate finds the strings under this name.
struct RunCommand
{
    Q_DECLARE_TR_FUNCTIONS(RunCommand)
};

// Also C1 controls, and what reorders text: the person must see what they paste.
bool mustBeEscaped(char32_t character)
{
    return character != U'\n'
           && (QChar::category(character) == QChar::Other_Control || QChar::category(character) == QChar::Other_Format);
}

} // namespace

QString shellWord(const QByteArray &bytes)
{
    const QString text = QString::fromUtf8(bytes);
    const QList<uint> characters = text.toUcs4();
    if (std::ranges::none_of(characters, mustBeEscaped))
        return u'\'' + QString(text).replace(u'\'', u"'\\''"_s) + u'\'';
    QString word = u"$'"_s;
    for (const uint character : characters) {
        if (character == u'\\' || character == u'\'') {
            word += u'\\' + QChar(character);
        } else if (mustBeEscaped(character)) {
            // Octal: three digits at most, so that a digit that follows isn't taken for a part of it.
            const QByteArray utf8 = QString::fromUcs4(reinterpret_cast<const char32_t *>(&character), 1).toUtf8();
            for (const char byte : utf8)
                word += u'\\' + QString::number(uchar(byte), 8).rightJustified(3, u'0');
        } else {
            word += QString::fromUcs4(reinterpret_cast<const char32_t *>(&character), 1);
        }
    }
    return word + u'\'';
}

std::expected<QString, QString> commandOf(const RunRecord &record, const Limits &usual)
{
    if (const auto code = codeToRun(record); !code)
        return std::unexpected(code.error());
    const QString word = shellWord(record.code.content);
    if (word.size() > longestWord)
        return std::unexpected(RunCommand::tr("This code is too long for a command line. Open it in the editor."));
    QStringList parts{u"glovebox"_s, u"run"_s};
    if (!record.row.language.isEmpty())
        parts << u"-l"_s << record.row.language;
    const Limits limits = record.policy ? record.policy->limits : usual;
    const auto seconds = [](std::chrono::milliseconds time) {
        return QString::number(double(time.count()) / 1000, 'g', 10);
    };
    if (limits.wall != usual.wall)
        parts << u"-t"_s << seconds(limits.wall);
    if (limits.cpu && limits.cpu != usual.cpu)
        parts << u"--cpu"_s << seconds(*limits.cpu);
    if (limits.cpuPercent && limits.cpuPercent != usual.cpuPercent)
        parts << u"--cpu-share"_s << QString::number(*limits.cpuPercent);
    if (limits.memoryBytes != usual.memoryBytes)
        parts << u"-m"_s << QString::number(limits.memoryBytes / mebibyte);
    if (limits.processes != usual.processes)
        parts << u"--procs"_s << QString::number(limits.processes);
    if (limits.outputBytes != usual.outputBytes)
        parts << u"-o"_s << QString::number(limits.outputBytes);
    if (limits.diskBytes != usual.diskBytes)
        parts << u"--disk"_s << QString::number(limits.diskBytes / mebibyte);
    for (const QString &host : record.policy ? record.policy->allow : QStringList())
        parts << u"--allow"_s << shellWord(host.toUtf8());
    if (limits.trafficBytes && limits.trafficBytes != usual.trafficBytes)
        parts << u"--traffic"_s << QString::number(*limits.trafficBytes / mebibyte);
    if (limits.bandwidthBytes && limits.bandwidthBytes != usual.bandwidthBytes)
        parts << u"--bandwidth"_s << QString::number(*limits.bandwidthBytes / kibibyte);
    for (const SecretGrant &secret : record.secrets) {
        const QString lent = secret.variable.isEmpty() ? secret.name : secret.name + u'=' + secret.variable;
        parts << (secret.asFile ? u"--secret-file"_s : u"--secret"_s) << shellWord(lent.toUtf8());
    }
    for (const QString &tool : record.policy ? record.policy->tools : QStringList())
        parts << u"--tool"_s << shellWord(tool.toUtf8());
    for (const FolderGrant &folder : record.policy ? record.policy->folders : QList<FolderGrant>()) {
        const QString mode = folder.mode == FolderGrant::Mode::ReadWrite ? u":rw"_s
                             : folder.mode == FolderGrant::Mode::Stage   ? u":stage"_s
                                                                         : QString();
        parts << u"--mount"_s << shellWord((folder.hostPath + u':' + folder.path + mode).toUtf8());
    }
    if (record.policy && record.policy->backend != Policy().backend)
        parts << u"--backend"_s << shellWord(record.policy->backend.toUtf8());
    if (record.policy && record.policy->strict)
        parts << u"--strict"_s;
    if (record.terminal)
        parts << u"--tty"_s;
    parts << u"-c"_s << word;
    return parts.join(u' ');
}

QString notTakenAlong(const RunRecord &record, bool hasHosts)
{
    QStringList parts;
    const auto add = [&parts](const QString &what, const QStringList &names) {
        if (!names.isEmpty())
            parts << what.arg(withHiddenShown(names.join(RunCommand::tr(", "))));
    };
    const Policy policy = record.policy.value_or(Policy());
    if (!hasHosts)
        add(RunCommand::tr("hosts %1"), policy.allow);
    QStringList secrets, folders;
    for (const SecretGrant &secret : record.secrets)
        secrets << secret.name;
    for (const FolderGrant &folder : policy.folders)
        folders << folder.hostPath;
    add(RunCommand::tr("secrets %1"), secrets);
    add(RunCommand::tr("folders %1"), folders);
    add(RunCommand::tr("tools %1"), policy.tools);
    add(RunCommand::tr("variables %1"), record.variables);
    add(RunCommand::tr("interpreter %1"),
        record.interpreter.isEmpty() ? QStringList() : QStringList{record.interpreter});
    if (!record.row.session.isEmpty())
        parts << RunCommand::tr("its session");
    return parts.isEmpty()
               ? QString()
               : RunCommand::tr(
                     "Not taken along from that run: %1. Grants of an earlier run don't count for a new one: "
                     "choose them in the sentence above.")
                     .arg(parts.join(RunCommand::tr("; ")));
}

} // namespace glovebox
