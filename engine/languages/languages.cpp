// SPDX-License-Identifier: Apache-2.0
// The registry: every language, how its name is told from a file, and what its interpreters are.
#include "languages.h"

#include "interpreters.h"
#include "job.h"
#include "looker/folderlooker.h"
#include "registry.h"
#include "versions.h"

#include <QFileInfo>
#include <QHash>
#include <QMutex>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr char byteOrderMark[] = "\xEF\xBB\xBF";

// The program that a #! line names, looking through env and its options; empty: there is no such line.
QString programOfFirstLine(QByteArrayView code)
{
    if (code.startsWith(byteOrderMark))
        code = code.sliced(3);
    if (!code.startsWith("#!"))
        return {};
    const auto end = code.indexOf('\n');
    const QString line = QString::fromUtf8(code.first(end < 0 ? code.size() : end).sliced(2));
    QStringList words = line.simplified().split(u' ', Qt::SkipEmptyParts);
    if (words.isEmpty())
        return {};
    if (QFileInfo(words.first()).fileName() == u"env"_s) {
        words.removeFirst();
        // "-S node --flag", "-Snode", "-i", "-u NAME", "NAME=value"
        while (!words.isEmpty() && (words.first().startsWith(u'-') || words.first().contains(u'='))) {
            QString option = words.takeFirst();
            for (const QString &split : {u"-S"_s, u"--split-string="_s}) {
                if (option.startsWith(split) && option.size() > split.size())
                    words.prepend(option.mid(split.size()));
            }
            if (option == u"-u"_s && !words.isEmpty())
                words.removeFirst();
        }
    }
    return words.isEmpty() ? QString() : QFileInfo(words.first()).fileName();
}

QString knownIds()
{
    QStringList list = Languages::ids();
    const QString last = list.takeLast();
    return list.join(u", "_s) + u" or "_s + last;
}

// Where the text stops being UTF-8; -1: nowhere.
qsizetype firstInvalidByte(QByteArrayView text)
{
    if (text.isValidUtf8())
        return -1;
    qsizetype at = 0;
    while (const int length = utf8CharacterAt(text.sliced(at)))
        at += length;
    return at;
}

} // namespace

bool Language::isSpokenBy(const QString &program) const
{
    return programs().contains(program);
}

QByteArray Language::sourceText(const QByteArray &code) const
{
    return code.startsWith(byteOrderMark) ? code.sliced(3) : code;
}

struct Languages::Private
{
    IdentityQuestion identity;
    QString cacheFile;
    VersionQuestion ask;
    FolderLooker looker;
    QMutex asking; // held while interpreters are asked; by candidates() alone
    QMutex mutex; // guards found; never held while the machine is looked at
    QHash<QString, InterpreterCandidate> found; // the usable one, by language

    QList<InterpreterCandidate> lookFor(const Language &language, const std::stop_token &stop)
    {
        const auto isInterpreter = [](const QString &program) {
            return std::ranges::any_of(all(), [&](const auto &any) { return any->isSpokenBy(program); });
        };
        bool isEverywhere = true;
        QList<InterpreterCandidate> seen =
            lookForInterpreters(language, isInterpreter, identity ? identity() : std::nullopt,
                                [&](const QString &folder, const QStringList &programs) {
                                    const Status looked = looker.look(folder, programs, stop);
                                    isEverywhere = isEverywhere && looked;
                                    return looked;
                                });
        if (stop.stop_requested())
            return seen;
        const auto usable = std::ranges::find_if(seen, &InterpreterCandidate::usable);
        const QMutexLocker lock(&mutex);
        // A folder that was skipped may have a better one when its file system answers.
        if (usable == seen.end() || !isEverywhere)
            found.remove(language.id());
        else
            found.insert(language.id(), *usable);
        return seen;
    }

    // As long as the program is there.
    std::optional<InterpreterCandidate> known(const Language &language, const std::stop_token &stop)
    {
        QMutexLocker lock(&mutex);
        const auto it = found.constFind(language.id());
        if (it == found.constEnd())
            return std::nullopt;
        InterpreterCandidate candidate = *it;
        lock.unlock();
        const QFileInfo program(candidate.path);
        if (!looker.look(program.path(), {program.fileName()}, stop) || !program.exists())
            return std::nullopt;
        return candidate;
    }
};

Languages::Languages(IdentityQuestion identity, QString cacheFile, VersionQuestion ask, const QString &libexec)
    : d(new Private{.identity = std::move(identity),
                    .cacheFile = std::move(cacheFile),
                    .ask = std::move(ask),
                    .looker = FolderLooker(libexec),
                    .asking = {},
                    .mutex = {},
                    .found = {}})
{
}

Languages::~Languages() = default;

const std::vector<std::unique_ptr<Language>> &Languages::all()
{
    static const auto languages = [] {
        std::vector<std::unique_ptr<Language>> list;
        list.push_back(makePython());
        list.push_back(makeNode());
        list.push_back(makeBash());
        list.push_back(makeSh());
        return list;
    }();
    return languages;
}

QStringList Languages::ids()
{
    QStringList ids;
    for (const auto &language : all())
        ids.append(language->id());
    return ids;
}

QString Languages::namesOf(bool (*can)(const Language &language))
{
    QStringList names;
    for (const auto &language : all()) {
        if (can(*language))
            names.append(language->name());
    }
    return names.join(u" and "_s);
}

Text noPackagesFor(const QString &language)
{
    const auto known = Languages::byId(language);
    return {QT_TRANSLATE_NOOP("engine", "Packages can be installed for %1, not for %2."),
            {Languages::namesOf([](const Language &each) { return each.takesPackages(); }),
             known ? (*known)->name() : language}};
}

Result<const Language *> Languages::byId(const QString &id)
{
    for (const auto &language : all()) {
        if (language->id() == id)
            return language.get();
    }
    return fail(ErrorCode::NotFound, QT_TRANSLATE_NOOP("engine", "Unknown language \"%1\". Name one of these: %2."),
                {id, knownIds()});
}

Result<const Language *> Languages::called(const QString &name)
{
    const QString word = name.toLower();
    for (const auto &language : all()) {
        if (language->id() == word)
            return language.get();
    }
    for (const auto &language : all()) {
        if (language->name().toLower() == word || language->extensions().contains(word)
            || language->programs().contains(word) || language->isSpokenBy(word))
            return language.get();
    }
    return byId(name);
}

Result<const Language *> Languages::detect(const QString &fileName, QByteArrayView code)
{
    const auto firstWith = [](auto matches) -> const Language * {
        const auto it = std::ranges::find_if(all(), [&](const auto &any) { return matches(*any); });
        return it == all().end() ? nullptr : it->get();
    };
    const QString extension = QFileInfo(fileName).suffix().toLower();
    const Language *byExtension =
        firstWith([&](const Language &language) { return language.extensions().contains(extension); });
    if (byExtension && byExtension->sharesExtensionsWith().isEmpty())
        return byExtension;
    if (const QString program = programOfFirstLine(code); !program.isEmpty()) {
        const Language *language = firstWith([&](const Language &any) { return any.isSpokenBy(program); });
        if (language && (!byExtension || language->id() == byExtension->sharesExtensionsWith()))
            return language;
    }
    if (byExtension)
        return byExtension;
    if (const QString program = programOfFirstLine(code); !program.isEmpty() && !fileName.isEmpty())
        return fail(ErrorCode::Unsupported, QT_TRANSLATE_NOOP("engine", "%1 is a script for %2. Glovebox runs %3."),
                    {fileName, program, knownIds()});
    if (fileName.isEmpty())
        return fail(ErrorCode::NotFound, QT_TRANSLATE_NOOP("engine", "The code's language is unknown. Name it: %1."),
                    {knownIds()});
    return fail(
        ErrorCode::NotFound,
        QT_TRANSLATE_NOOP("engine",
                          "The language of %1 is unknown, by its extension and its first line. Name the language: %2."),
        {fileName, knownIds()});
}

Result<InterpreterCandidate> Languages::find(const Language &language, const std::stop_token &stop) const
{
    if (auto known = d->known(language, stop))
        return *std::move(known);
    QStringList reasons;
    const QList<InterpreterCandidate> seen = d->lookFor(language, stop);
    if (stop.stop_requested())
        return stoppedLooking();
    for (const InterpreterCandidate &candidate : seen) {
        if (candidate.usable)
            return candidate;
        reasons.append(candidate.reason.english());
    }
    if (reasons.isEmpty())
        return fail(ErrorCode::NotFound,
                    QT_TRANSLATE_NOOP("engine", "%1 was not found on this machine. Install the package \"%2\" "
                                                "(for example: sudo apt install %2)."),
                    {language.name(), language.package()});
    return fail(ErrorCode::NotFound,
                QT_TRANSLATE_NOOP("engine", "No %1 on this machine can be used in a sealed run. %2 Install the "
                                            "package \"%3\" (for example: sudo apt install %3)."),
                {language.name(), reasons.join(u' '), language.package()});
}

Result<InterpreterCandidate> Languages::find(const Language &language, const QString &path,
                                             const std::stop_token &stop) const
{
    if (path.isEmpty())
        return find(language, stop);
    for (const InterpreterCandidate &candidate : d->lookFor(language, stop)) {
        if (candidate.usable && candidate.path == path)
            return candidate;
    }
    if (stop.stop_requested())
        return stoppedLooking();
    return fail(ErrorCode::NotFound,
                QT_TRANSLATE_NOOP("engine", "%1 is not a usable interpreter of %2 on this machine. Choose another."),
                {path, language.name()});
}

QList<InterpreterCandidate> Languages::candidates(const Language &language) const
{
    QList<InterpreterCandidate> candidates = d->lookFor(language, {});
    const QMutexLocker lock(&d->asking);
    Versions versions(d->cacheFile, d->ask);
    for (InterpreterCandidate &candidate : candidates) {
        if (!candidate.usable || language.versionArguments().isEmpty())
            continue;
        const std::optional<QString> version = versions.of(candidate, language.versionArguments());
        candidate.version = version.value_or(QString());
        if (version && version->isEmpty()) {
            candidate.usable = false;
            candidate.reason =
                Text(QT_TRANSLATE_NOOP("engine", "%1 gives no version (%2). Its installation may be broken."),
                     {candidate.path, language.versionArguments().join(u' ')});
        }
    }
    versions.save();
    return candidates;
}

Status validateCode(QByteArrayView code)
{
    const auto refuse = [](const char *sentence, QStringList args = {}) {
        return fail(ErrorCode::InvalidInput, Text(sentence, std::move(args)));
    };
    if (code.size() > maximumCodeBytes)
        return refuse(
            QT_TRANSLATE_NOOP("engine", "The code is larger than %1 MB. Pass its data as a file or on standard input."),
            {QString::number(maximumCodeBytes / mebibyte)}); // no length: what read it may have stopped there
    const QByteArrayView text = code.startsWith(byteOrderMark) ? code.sliced(3) : code;
    if (text.trimmed().isEmpty())
        return refuse(QT_TRANSLATE_NOOP("engine", "The code is empty, so there is nothing to run."));
    if (text.startsWith("\xFF\xFE") || text.startsWith("\xFE\xFF"))
        return refuse(QT_TRANSLATE_NOOP("engine", "The code is UTF-16. Save it as UTF-8 and try again."));
    if (const auto zero = text.indexOf('\0'); zero >= 0)
        return refuse(QT_TRANSLATE_NOOP("engine", "The code is binary data, as byte %1 is zero. Give the source code."),
                      {QString::number(zero + (code.size() - text.size()) + 1)});
    if (const auto bad = firstInvalidByte(code); bad >= 0)
        return refuse(QT_TRANSLATE_NOOP("engine",
                                        "The code is not UTF-8: byte %1, in line %2, is 0x%3. Save it as UTF-8 "
                                        "and try again."),
                      {QString::number(bad + 1), QString::number(std::ranges::count(code.first(bad), '\n') + 1),
                       QString::number(uchar(code[bad]), 16).toUpper()});
    return {};
}

Status validateArguments(const QByteArrayList &args)
{
    constexpr qsizetype maximumOne = 128 * 1024; // execve(2): MAX_ARG_STRLEN, with the NUL
    constexpr qsizetype roomForNames = 1024;
    qsizetype total = 0;
    for (qsizetype i = 0; i < args.size(); ++i) {
        if (args[i].contains('\0'))
            return fail(ErrorCode::InvalidInput,
                        QT_TRANSLATE_NOOP("engine", "Argument %1 contains a zero byte, which no program can be given."),
                        {QString::number(i + 1)});
        if (args[i].size() >= maximumOne)
            return fail(ErrorCode::InvalidInput,
                        QT_TRANSLATE_NOOP("engine",
                                          "Argument %1 is longer than 128 KB. Give it as a file or on standard input."),
                        {QString::number(i + 1)});
        total += args[i].size() + 1;
    }
    if (total > maximumJobBytes - roomForNames)
        return fail(
            ErrorCode::InvalidInput,
            QT_TRANSLATE_NOOP(
                "engine", "The arguments are longer than 1 MB together. Give them as a file or on standard input."));
    return {};
}

} // namespace glovebox
