// SPDX-License-Identifier: Apache-2.0
// glovebox-looker: touches folders of PATH before the engine looks for interpreters there. A file system may not answer (FUSE, NFS), and
// whoever touches it then stands still, beyond the reach of any signal. The engine goes on without this program then.
//
// Descriptor 0: packets of a folder and names in it, each ended by NUL; the answer to each is one byte, when all of that was touched.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

void touch(const std::string &path)
{
    struct stat info = {};
    static_cast<void>(::stat(path.c_str(), &info));
}

// What lies beside bin in a runtime or a virtual environment.
void touchRuntimeOf(std::string program)
{
    for (int levels = 0; levels < 2; ++levels)
        program.resize(program.find_last_of('/') == std::string::npos ? 0 : program.find_last_of('/'));
    for (const char *part : {"/bin", "/lib", "/lib64", "/include", "/share", "/pyvenv.cfg"})
        touch(program + part);
}

// With all that its links lead over and to, and its first bytes.
void touchProgram(const std::string &path)
{
    struct stat info = {};
    if (::stat(path.c_str(), &info) != 0)
        return;
    touchRuntimeOf(path);
    if (char *const real = ::realpath(path.c_str(), nullptr)) {
        touchRuntimeOf(real);
        std::free(real); // NOLINT(cppcoreguidelines-no-malloc): realpath(3)'s
    }
    const int file = S_ISREG(info.st_mode) ? ::open(path.c_str(), O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0)
        return;
    std::array<char, 2> first{};
    [[maybe_unused]] const ssize_t size = ::read(file, first.data(), first.size());
    ::close(file);
}

} // namespace

int main()
{
    const rlimit noCore{1, 1}; // as all programs of Glovebox: 0 isn't enforced where dumps go to a program (core(5))
    ::setrlimit(RLIMIT_CORE, &noCore);
    std::array<char, 64 * 1024> packet{};
    for (;;) {
        const ssize_t size = ::recv(STDIN_FILENO, packet.data(), packet.size(), 0);
        if (size <= 0)
            return 0; // the engine is gone
        std::string_view rest(packet.data(), std::size_t(size));
        std::string folder;
        while (!rest.empty()) {
            const std::string word(rest.substr(0, rest.find('\0')));
            rest.remove_prefix(std::min(rest.size(), word.size() + 1));
            if (folder.empty()) {
                folder = word;
                touch(folder);
            } else {
                touchProgram(std::string(folder).append(1, '/').append(word));
            }
        }
        if (::send(STDIN_FILENO, "", 1, MSG_NOSIGNAL) != 1)
            return 0;
    }
}
