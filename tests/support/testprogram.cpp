// SPDX-License-Identifier: Apache-2.0
#include "testprogram.h"

#include <QDir>
#include <QFile>

#include <cstdio>
#include <vector>

#include <unistd.h>

namespace glovebox::test {

using namespace std::string_view_literals;

namespace {

struct File
{
    std::string_view name; // tst_policy of tests/engine/policy/tst_policy.cpp
    Main main;
};

std::vector<File> &files()
{
    static std::vector<File> listed;
    return listed;
}

// Runs of root belong to somebody who can't pass a test's folder, so their copies lie elsewhere (engine/folders/stagingplace.cpp), and
// changes that wait there outlive the folder by thirty days. In each place a file names the data folder that it belongs to.
void removePlacesOfRoot(const QString &testName)
{
    const QDir places(QStringLiteral("/var/lib/glovebox"));
    const QStringList names = ::geteuid() == 0 ? places.entryList(QDir::Dirs | QDir::NoDotAndDotDot) : QStringList();
    for (const QString &name : names) {
        QFile note(places.filePath(name) + QStringLiteral("/data-folder"));
        const QString data = note.open(QIODevice::ReadOnly) ? QFile::decodeName(note.readAll()) : QString();
        if (data.startsWith(QDir::tempPath() + u'/' + testName + u'-') && !QFile::exists(data))
            QDir(places.filePath(name)).removeRecursively();
    }
}

} // namespace

ListedFile::ListedFile(const char *path, Main main)
{
    std::string_view name(path);
    name.remove_prefix(name.rfind('/') + 1);
    name.remove_suffix(".cpp"sv.size());
    files().push_back({name, main});
}

} // namespace glovebox::test

int main(int argc, char *argv[])
{
    using namespace glovebox::test;
    std::string_view name(program_invocation_short_name);
    if (isBubblewrapTried())
        name.remove_suffix("_bwrap"sv.size());
    for (const File &file : files()) {
        if (file.name == name || files().size() == 1) {
            const int status = file.main(argc, argv);
            removePlacesOfRoot(QString::fromLocal8Bit(program_invocation_short_name));
            return status;
        }
    }
    std::fprintf(stderr, "%s: this program is started by the name of one of its files:\n",
                 program_invocation_short_name);
    for (const File &file : files())
        std::fprintf(stderr, "  %.*s\n", int(file.name.size()), file.name.data());
    return 2;
}
