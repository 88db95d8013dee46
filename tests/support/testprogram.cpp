// SPDX-License-Identifier: Apache-2.0
#include "testprogram.h"

#include <cstdio>
#include <vector>

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
        if (file.name == name || files().size() == 1)
            return file.main(argc, argv);
    }
    std::fprintf(stderr, "%s: this program is started by the name of one of its files:\n",
                 program_invocation_short_name);
    for (const File &file : files())
        std::fprintf(stderr, "  %.*s\n", int(file.name.size()), file.name.data());
    return 2;
}
