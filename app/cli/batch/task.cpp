// SPDX-License-Identifier: Apache-2.0
// What a line may ask for is less than what the person gave with options: a list often comes from somebody else.
#include "task.h"

#include "app/cli/options.h"
#include "app/cli/run/givenfiles.h"

#include <QFile>
#include <QFileInfo>

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype longestId = 200;
constexpr qint64 maximumInputBytes = 16 * mebibyte;

const QStringList fieldsOfTasks{u"id"_s,   u"language"_s, u"code"_s,  u"file"_s,
                                u"args"_s, u"stdin"_s,    u"files"_s, u"timeout"_s};

std::unexpected<Error> wrong(const char *sentence, QStringList args = {})
{
    return fail(ErrorCode::InvalidInput, sentence, std::move(args));
}

// What only the person gives, with the option that does.
QString grantedBy(const QString &field)
{
    const std::pair<QStringList, QString> grants[] = {
        {{u"allow"_s, u"hosts"_s, u"network"_s}, u"--allow"_s},
        {{u"secrets"_s, u"secret"_s, u"env"_s, u"environment"_s}, u"--secret"_s},
        {{u"mount"_s, u"mounts"_s, u"folders"_s, u"folder"_s, u"volumes"_s}, u"--mount"_s},
        {{u"memory"_s, u"memory_mb"_s}, u"-m"_s},
    };
    for (const auto &[names, option] : grants) {
        if (names.contains(field))
            return option;
    }
    return {};
}

std::unexpected<Error> unknownField(const QString &field)
{
    const QString shown = recordable(field).left(60);
    if (const QString option = grantedBy(field); !option.isEmpty())
        return wrong("Unknown field \"%1\". Only you give this to runs, all alike, with %2.", {shown, option});
    if (const QString meant = nearest(field, fieldsOfTasks); !meant.isEmpty())
        return wrong("Unknown field \"%1\". Did you mean \"%2\"?", {shown, meant});
    return wrong("Unknown field \"%1\". The fields are %2.", {shown, fieldsOfTasks.join(u", "_s)});
}

Result<QByteArray> bytesOfText(const QJsonValue &value, const QString &field)
{
    const QString text = value.toString();
    QByteArray bytes = text.toUtf8();
    if (!value.isString() || QString::fromUtf8(bytes) != text) // half a surrogate pair
        return wrong("\"%1\" takes a text.", {field});
    return bytes;
}

Result<QString> idOf(const QJsonValue &value)
{
    if (value.isDouble())
        return QString::number(value.toInteger());
    ASSIGN_OR_RETURN(const QByteArray bytes, bytesOfText(value, u"id"_s));
    QString id = QString::fromUtf8(bytes);
    const bool isPlain = std::ranges::all_of(id, [](QChar c) { return c.isPrint() || c.isSurrogate(); });
    if (id.isEmpty() || id.size() > longestId || !isPlain)
        return wrong("\"id\" takes a whole number, or 1 to 200 characters that can be printed.");
    return id;
}

Result<QByteArray> contentBelow(const TaskFolder &folder, const QString &name, qint64 most)
{
    RETURN_IF_ERROR(folder.status);
    if (name.isEmpty())
        return wrong("The name of a file is empty.");
    const QByteArray path = QFile::encodeName(name);
    const UniqueFd file =
        openBeneath(folder.descriptor.get(), path.constData(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    struct stat info = {};
    if (!file && errno == EXDEV)
        return wrong("The file \"%1\" is outside of the folder %2. Tasks get files only from the folder of their list.",
                     {name, folder.path});
    if (!file)
        return fail(codeForErrno(errno),
                    Text("The file \"%1\" in %2 can't be opened: %3.", {name, folder.path, errnoText(errno)}));
    if (::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode))
        return wrong("\"%1\" in %2 is not a regular file.", {name, folder.path});
    ASSIGN_OR_RETURN(QByteArray content, readUpTo(file, path, most));
    if (content.size() > most)
        return wrong("The file \"%1\" has more than %2 bytes.", {name, QString::number(most)});
    return content;
}

// A file's path below the list's folder, or {"name","content"[,"encoding":"base64"]}.
Result<InnerFile> innerFileOf(const QJsonValue &value, const TaskFolder &folder, qint64 most)
{
    if (value.isString()) {
        const QString path = value.toString();
        ASSIGN_OR_RETURN(QByteArray content, contentBelow(folder, path, most));
        return InnerFile{QFile::encodeName(path.section(u'/', -1)), std::move(content)};
    }
    const QJsonObject object = value.toObject();
    for (const QString &key : object.keys()) {
        if (key != u"name" && key != u"content" && key != u"encoding")
            return wrong("Unknown field \"%1\" in \"files\". The fields are name, content and encoding.",
                         {recordable(key).left(60)});
    }
    if (!value.isObject())
        return wrong("\"files\" takes names of files, or objects of name and content.");
    InnerFile file;
    ASSIGN_OR_RETURN(file.name, bytesOfText(object["name"_L1], u"name"_s));
    ASSIGN_OR_RETURN(file.content, bytesOfText(object["content"_L1], u"content"_s));
    const QString encoding = object["encoding"_L1].toString(u"utf-8"_s);
    if (encoding != u"utf-8" && encoding != u"base64")
        return wrong("\"encoding\" is utf-8 or base64.");
    if (encoding == u"base64") {
        auto decoded = QByteArray::fromBase64Encoding(file.content, QByteArray::AbortOnBase64DecodingErrors);
        if (!decoded)
            return wrong("The content of the file \"%1\" is not base64.", {QString::fromUtf8(file.name)});
        file.content = *std::move(decoded);
    }
    return file;
}

Status setTimeout(const QJsonValue &value, Limits &limits)
{
    const QByteArray text = value.isDouble() ? QByteArray::number(value.toInteger()) : value.toString().toUtf8();
    const auto asked = milliseconds("\"timeout\"", text, LimitRange::wallMin.count(), LimitRange::wallMax.count());
    if (!asked)
        return fail(ErrorCode::InvalidInput, "%1", {asked.error()});
    if (std::chrono::milliseconds(*asked) > limits.wall)
        return wrong("\"timeout\" is beyond the limit of this batch, %1 s. Allow more with -t TIME.",
                     {QString::number(double(limits.wall.count()) / 1000)});
    limits.wall = std::chrono::milliseconds(*asked);
    return {};
}

Result<QByteArrayList> argumentsOf(const QJsonValue &value)
{
    if (!value.isArray())
        return wrong("\"args\" takes an array of texts.");
    QByteArrayList args;
    for (const auto item : value.toArray()) {
        ASSIGN_OR_RETURN(QByteArray arg, bytesOfText(item, u"args"_s));
        args.append(std::move(arg));
    }
    return args;
}

// Each part with its length before it: no two different tasks have the same bytes.
QByteArray digestOf(const Task &task, bool hasTimeout)
{
    Sha256 hash(task.request.code.size() + task.input.size() + 256);
    const auto add = [&hash](QByteArrayView part) {
        hash.add(QByteArray::number(part.size()) + ':');
        hash.add(part);
    };
    add(task.request.language.toUtf8());
    add(task.request.fileName.toUtf8());
    add(task.request.code);
    add(task.input);
    add(hasTimeout ? QByteArray::number(qint64(task.request.policy.limits.wall.count())) : QByteArray());
    add(QByteArray::number(task.request.args.size()));
    for (const QByteArray &arg : task.request.args)
        add(arg);
    for (const InnerFile &file : task.request.files) {
        add(file.name);
        add(file.content);
    }
    return hash.result();
}

} // namespace

TaskFolder openTaskFolder(const Engine &engine, const QString &path)
{
    TaskFolder folder;
    folder.path = path;
    folder.status = engine.checkFolder({path, u"/mnt/tasks"_s, FolderGrant::Mode::ReadOnly});
    if (!folder.status)
        return folder;
    folder.descriptor = openFolderPlace(QFile::encodeName(path).constData());
    if (!folder.descriptor)
        folder.status = fail(codeForErrno(errno), Text("The folder %1 can't be opened: %2.", {path, errnoText(errno)}));
    return folder;
}

Result<Task> TaskMaker::ofFile(const QByteArray &path) const
{
    Task task{.place = {.id = QFile::decodeName(path)}, .request = m_common};
    ASSIGN_OR_RETURN(const UniqueFd file, openForReading(path));
    ASSIGN_OR_RETURN(task.request.code, readUpTo(file, path, maximumCodeBytes));
    task.request.fileName = nameOfCode(path);
    task.place.digest = digestOf(task, false);
    return task;
}

Result<Task> TaskMaker::ofLine(QByteArrayView json, qint64 line, const QString &list, const TaskFolder &folder) const
{
    auto object = parseStrictJson(json);
    if (!object) {
        Error error = object.error();
        if (!error.message.args.isEmpty())
            error.message.args[0] = QString::number(line); // of the list, not of this text
        return std::unexpected(error);
    }
    auto task = ofObject(*object, line, list, folder);
    if (task)
        return task;
    return fail(task.error().code, Text("Line %1: %2", {QString::number(line), task.error().message.english()}),
                task.error().detail);
}

Result<Task> TaskMaker::ofObject(const QJsonObject &object, qint64 line, const QString &list,
                                 const TaskFolder &folder) const
{
    for (const QString &key : object.keys()) {
        if (!fieldsOfTasks.contains(key))
            return unknownField(key);
    }
    Task task{.place = {.id = u"%1:%2"_s.arg(list).arg(line), .line = line}, .request = m_common};
    RunRequest &request = task.request;
    const auto value = [&object](QLatin1StringView key) { return object.value(key); };
    if (object.contains("id"_L1)) {
        ASSIGN_OR_RETURN(task.place.id, idOf(value("id"_L1)));
    }
    if (object.contains("language"_L1)) {
        RETURN_IF_ERROR(bytesOfText(value("language"_L1), u"language"_s));
        ASSIGN_OR_RETURN(const Language *const language, Languages::called(value("language"_L1).toString()));
        request.language = language->id();
    }
    if (object.contains("code"_L1) == object.contains("file"_L1))
        return wrong("A task has either \"code\" or \"file\".");
    if (object.contains("code"_L1)) {
        ASSIGN_OR_RETURN(request.code, bytesOfText(value("code"_L1), u"code"_s));
        if (request.language.isEmpty() && !Languages::detect({}, request.code))
            request.language = Languages::fallback().id();
    } else {
        ASSIGN_OR_RETURN(const QByteArray path, bytesOfText(value("file"_L1), u"file"_s));
        request.fileName = QFileInfo(QFile::decodeName(path)).fileName();
        ASSIGN_OR_RETURN(request.code, contentBelow(folder, QFile::decodeName(path), maximumCodeBytes));
    }
    if (object.contains("args"_L1)) {
        ASSIGN_OR_RETURN(request.args, argumentsOf(value("args"_L1)));
    }
    if (object.contains("stdin"_L1)) {
        ASSIGN_OR_RETURN(task.input, bytesOfText(value("stdin"_L1), u"stdin"_s));
        if (task.input.size() > maximumInputBytes)
            return wrong("\"stdin\" has more than 16 MB.");
    }
    if (object.contains("files"_L1)) {
        if (!value("files"_L1).isArray())
            return wrong("\"files\" takes an array of names of files, or of objects.");
        qint64 left = request.policy.limits.diskBytes;
        for (const auto item : value("files"_L1).toArray()) {
            ASSIGN_OR_RETURN(InnerFile file, innerFileOf(item, folder, left));
            left = std::max<qint64>(left - file.content.size(), 0);
            request.files.append(std::move(file));
        }
    }
    const bool hasTimeout = object.contains("timeout"_L1);
    if (hasTimeout)
        RETURN_IF_ERROR(setTimeout(value("timeout"_L1), request.policy.limits));
    task.place.digest = digestOf(task, hasTimeout);
    return task;
}

} // namespace glovebox
