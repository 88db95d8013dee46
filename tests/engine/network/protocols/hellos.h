// SPDX-License-Identifier: Apache-2.0
// TLS hellos that are made up.
#pragma once

#include <string>

using namespace std::string_literals;

inline std::string sized(int width, const std::string &bytes)
{
    std::string size;
    for (int i = width - 1; i >= 0; --i)
        size += static_cast<char>(bytes.size() >> (8 * i) & 0xff);
    return size + bytes;
}

inline std::string record(const std::string &piece)
{
    return "\x16\3\1"s + sized(2, piece);
}

inline std::string extension(char type, const std::string &content)
{
    return '\0' + std::string(1, type) + sized(2, content);
}

inline std::string serverName(const std::string &name)
{
    return extension(0, sized(2, '\0' + sized(2, name)));
}

// The handshake message with those extensions.
inline std::string message(const std::string &extensions)
{
    return '\1'
           + sized(3, "\3\3"s + std::string(32, 'r') + sized(1, "session"s) + sized(2, "\x13\1\x13\2"s)
                          + sized(1, "\0"s) + extensions);
}

inline std::string named(const std::string &name)
{
    return message(sized(2, extension(43, "\2\3\4"s) + serverName(name) + extension(16, "\0\3\2h2"s)));
}
