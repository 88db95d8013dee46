// SPDX-License-Identifier: Apache-2.0
#include "saving.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRandomGenerator>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int folderOfPerson = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

std::unexpected<Error> cannotSave(int error, const QString &name)
{
    const ErrorCode code = codeForErrno(error);
    if (error == EEXIST)
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine",
                                      "There is a file or folder \"%1\" already, which stays as it is. Choose "
                                      "another name."),
                    {name});
    if (error == ENAMETOOLONG)
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine", "\"%1\" is too long a name for a file there. Save it alone, under a "
                                                "shorter one."),
                    {name});
    if (code == ErrorCode::Full)
        return fail(code, QT_TRANSLATE_NOOP("engine", "The disk is full, so \"%1\" isn't saved. Make some space."),
                    {name}, errnoDetail(error, name));
    return fail(code, QT_TRANSLATE_NOOP("engine", "\"%1\" can't be saved (%2). Choose another folder."),
                {name, errnoText(error)});
}

// A file of a folder without a name, gone with this program however that ends, unless it got its name. On a file system that has no such
// files: under a temporary name, which a killed program leaves behind.
class NewFile
{
public:
    explicit NewFile(int folder)
        : m_folder(folder)
        , m_fd(openNameless(folder, ".", O_WRONLY))
    {
        if (!m_fd && errno == EOPNOTSUPP) {
            m_temporary = ".glovebox-" + QByteArray::number(QRandomGenerator::system()->generate64(), 36);
            m_fd.reset(
                ::openat(folder, m_temporary.constData(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
        }
        m_error = m_fd ? 0 : errno;
    }
    NewFile(const NewFile &) = delete;
    NewFile &operator=(const NewFile &) = delete;
    ~NewFile()
    {
        if (m_fd && !m_temporary.isEmpty())
            ::unlinkat(m_folder, m_temporary.constData(), 0); // a name that is gone is none
    }

    int error() const { return m_error; } // why there is none
    bool write(QByteArrayView piece) { return writeWhole(m_fd.get(), {piece.data(), std::size_t(piece.size())}); }
    // 0 or an errno. Nothing is replaced.
    int finish(const QByteArray &name)
    {
        if (::fsync(m_fd.get()) != 0)
            return errno;
        return m_temporary.isEmpty() ? nameFile(m_fd.get(), m_folder, name.constData())
                                     : renameToNew(m_folder, m_temporary.constData(), name.constData());
    }

private:
    int m_folder;
    UniqueFd m_fd;
    QByteArray m_temporary; // empty: none
    int m_error = 0;
};

Status saveInto(int folder, const QByteArray &name, const QString &shown, const SaveFolder::Content &content)
{
    NewFile file(folder);
    if (file.error() != 0)
        return cannotSave(file.error(), shown);
    RETURN_IF_ERROR(content([&](QByteArrayView piece) -> Status {
        return file.write(piece) ? Status() : Status(cannotSave(errno, shown));
    }));
    if (const int error = file.finish(name))
        return cannotSave(error, shown);
    return {};
}

Status passArtifact(const ContentStore &store, const Artifact &artifact, const ContentStore::Pass &to)
{
    RETURN_IF_ERROR(checkNotWithheld(artifact));
    if (artifact.isDeleted)
        return wasDeleted(artifact);
    return store.pass(artifact.digest, to);
}

// A part of a path, as a name that neither leads elsewhere nor deceives.
QByteArray safeName(QStringView part)
{
    QString name;
    for (const char32_t character : part.toUcs4()) {
        const bool isSafe = character >= 0x20 && character != 0x7f && !isHiddenCharacter(character);
        name += isSafe ? QString::fromUcs4(&character, 1) : QStringLiteral("_");
    }
    if (name.isEmpty() || name == QStringLiteral(".") || name == QStringLiteral(".."))
        name = QStringLiteral("_");
    return name.toUtf8();
}

// The folder of a path below another, made where it isn't there. Invalid with errno.
UniqueFd folderBelow(int top, const QList<QStringView> &parts)
{
    UniqueFd folder(::openat(top, ".", folderOfPerson));
    for (const QStringView part : parts) {
        const QByteArray name = safeName(part);
        if (!folder || (::mkdirat(folder.get(), name.constData(), 0700) != 0 && errno != EEXIST))
            return {};
        folder.reset(::openat(folder.get(), name.constData(), folderOfPerson | O_NOFOLLOW));
    }
    return folder;
}

} // namespace

Status saveArtifact(const ContentStore &store, const Artifact &artifact, const QString &file)
{
    const QFileInfo place(file);
    const UniqueFd folder(::open(QFile::encodeName(place.path()).constData(), folderOfPerson));
    if (!folder)
        return cannotSave(errno, file);
    return saveInto(folder.get(), QFile::encodeName(place.fileName()), file,
                    [&](const auto &to) { return passArtifact(store, artifact, to); });
}

Status checkSaveFolder(const QString &folder)
{
    const QFileInfo place(folder);
    if (place.isSymLink() && place.isDir())
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine", "\"%1\" is a link, and files are saved only in a folder that is named "
                                                "itself. Name the one that the link leads to: %2"),
                    {folder, place.canonicalFilePath()});
    if (place.isSymLink() || (place.exists() && !place.isDir()))
        return fail(
            ErrorCode::InvalidInput,
            QT_TRANSLATE_NOOP("engine", "\"%1\" is not a folder, so no files can be saved there. Name another one."),
            {folder});
    if (place.isDir() && !QDir(folder).isEmpty(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot))
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine",
                                      "There is something in the folder \"%1\" already. Name an empty one, or a "
                                      "new one."),
                    {folder});
    const QFileInfo above(place.absolutePath());
    if (!place.isDir() && !above.isDir())
        return fail(ErrorCode::NotFound,
                    QT_TRANSLATE_NOOP("engine", "There is no folder \"%1\" that \"%2\" could be made in. Make that one "
                                                "first, or name another."),
                    {above.filePath(), folder});
    // What can't be written after the run had better be told before.
    if (::access(QFile::encodeName(place.isDir() ? folder : above.filePath()).constData(), W_OK | X_OK) != 0)
        return cannotSave(errno, folder);
    return {};
}

Result<SaveFolder> SaveFolder::open(const QString &folder)
{
    RETURN_IF_ERROR(checkSaveFolder(folder));
    const QByteArray name = QFile::encodeName(folder);
    if (::mkdir(name.constData(), 0700) != 0 && errno != EEXIST)
        return cannotSave(errno, folder);
    UniqueFd top(::open(name.constData(), folderOfPerson | O_NOFOLLOW));
    if (!top)
        return cannotSave(errno, folder);
    return SaveFolder(std::move(top));
}

Status SaveFolder::save(const QString &path, const Content &content) const
{
    QList<QStringView> parts = QStringView(path).split(u'/');
    const QByteArray file = safeName(parts.takeLast());
    const UniqueFd inside = folderBelow(m_folder.get(), parts);
    if (!inside && errno == ENOTDIR)
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine", "\"%1\" isn't saved, as there is a file with the name of its folder "
                                                "already. Save it alone, under another name."),
                    {path});
    if (!inside)
        return cannotSave(errno, path);
    const QString name = nameOf(path);
    struct stat other = {};
    if (::fstatat(inside.get(), file.constData(), &other, AT_SYMLINK_NOFOLLOW) == 0) // two may get the same name here
        return fail(ErrorCode::InvalidInput,
                    S_ISDIR(other.st_mode)
                        ? QT_TRANSLATE_NOOP("engine",
                                            "\"%1\" isn't saved, as there is a folder \"%2\" already. Save it "
                                            "alone, under another name.")
                        : QT_TRANSLATE_NOOP("engine", "\"%1\" isn't saved, as there is a file \"%2\" already. Save it "
                                                      "alone, under another name."),
                    {path, name});
    return saveInto(inside.get(), file, name, content);
}

Status SaveFolder::makeFolder(const QString &path) const
{
    return folderBelow(m_folder.get(), QStringView(path).split(u'/')) ? Status() : Status(cannotSave(errno, path));
}

QString SaveFolder::nameOf(const QString &path)
{
    QStringList names;
    for (const QStringView part : QStringView(path).split(u'/'))
        names.append(QString::fromUtf8(safeName(part)));
    return names.join(u'/');
}

void NamedFiles::add(const QString &name)
{
    constexpr qsizetype mostShown = 10;
    if (++m_count <= mostShown)
        m_names.append(name);
}

QStringList NamedFiles::texts() const
{
    const QString more = m_count > m_names.size() ? u", ..."_s : QString();
    return {m_names.join(u", "_s) + more, QString::number(m_count)};
}

Text renamedText(const NamedFiles &renamed)
{
    return {QT_TRANSLATE_NOOP("engine", "Names that could mislead are changed: %1 (%2 in all)."), renamed.texts()};
}

Result<SavedArtifacts> saveArtifacts(const ContentStore &store, const QList<Artifact> &artifacts, const QString &folder,
                                     const std::function<bool()> &isWanted)
{
    ASSIGN_OR_RETURN(const SaveFolder top, SaveFolder::open(folder));
    SavedArtifacts report;
    NamedFiles renamed;
    for (const Artifact &artifact : artifacts) {
        if (isWanted && !isWanted()) {
            report.isCancelled = true;
            break;
        }
        const Status saved = top.save(artifact.path, [&](const auto &to) { return passArtifact(store, artifact, to); });
        if (!saved) {
            report.left.append(saved.error().message);
            continue;
        }
        ++report.saved;
        if (const QString name = SaveFolder::nameOf(artifact.path); name != artifact.path)
            renamed.add(u"%1 -> %2"_s.arg(artifact.path, name));
    }
    if (!renamed.isEmpty())
        report.renamed = renamedText(renamed);
    return report;
}

} // namespace glovebox
