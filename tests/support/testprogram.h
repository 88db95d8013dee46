// SPDX-License-Identifier: Apache-2.0
// Included before every file of tests, by the compiler. The files of a room are one program, since compiling and linking each
// by itself took most of a check's time: main() is in testprogram.cpp, and QTEST_GUILESS_MAIN and its like list their file there
// by its name. For each file there is a link with that name to the program, and what the link is called chooses the file.
#pragma once

#include <QTest>

#include <cerrno>
#include <string_view>

namespace glovebox::test {

using Main = int (*)(int argc, char *argv[]);

struct ListedFile
{
    ListedFile(const char *path, Main main);
};

// A program whose name ends in _bwrap tries the builder bubblewrap, every other the direct one.
inline bool isBubblewrapTried()
{
    return std::string_view(program_invocation_short_name).ends_with("_bwrap");
}

} // namespace glovebox::test

// The counter keeps the files apart that are compiled together; a macro more, since ## takes names as they are written.
#define GLOVEBOX_TEST_FILE GLOVEBOX_TEST_FILE_COUNTED(__COUNTER__)
#define GLOVEBOX_TEST_FILE_COUNTED(number) GLOVEBOX_TEST_FILE_NUMBERED(number)
#define GLOVEBOX_TEST_FILE_NUMBERED(number) GLOVEBOX_TEST_FILE_NAMED(mainOfFile##number, listedFile##number)
#define GLOVEBOX_TEST_FILE_NAMED(mainOfFile, listedFile)                                                               \
    static int mainOfFile(int argc, char *argv[]);                                                                     \
    static const glovebox::test::ListedFile listedFile(__FILE__, mainOfFile);                                          \
    static int mainOfFile(int argc, char *argv[])

#undef QTEST_APPLESS_MAIN
#define QTEST_APPLESS_MAIN(TestClass)                                                                                  \
    GLOVEBOX_TEST_FILE                                                                                                 \
    {                                                                                                                  \
        TestClass test;                                                                                                \
        return QTest::qExec(&test, argc, argv);                                                                        \
    }

#define GLOVEBOX_TEST_WITH(ApplicationClass, TestClass)                                                                \
    GLOVEBOX_TEST_FILE                                                                                                 \
    {                                                                                                                  \
        ApplicationClass application(argc, argv);                                                                      \
        application.setAttribute(Qt::AA_Use96Dpi);                                                                     \
        TestClass test;                                                                                                \
        return QTest::qExec(&test, argc, argv);                                                                        \
    }
#undef QTEST_GUILESS_MAIN
#define QTEST_GUILESS_MAIN(TestClass) GLOVEBOX_TEST_WITH(QCoreApplication, TestClass)
#undef QTEST_MAIN
#define QTEST_MAIN(TestClass) GLOVEBOX_TEST_WITH(QApplication, TestClass)
