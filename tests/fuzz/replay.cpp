// SPDX-License-Identifier: Apache-2.0
// Gives a fuzz target its corpus and mutations of it, without libFuzzer: always the same ones, so that what fails once fails
// again. argv: the corpus folder and how many mutations; or one file, to look at what libFuzzer found.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);

namespace {

void give(const std::string &input)
{
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t *>(input.data()), input.size());
}

std::string readFile(const std::filesystem::path &path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

class Mutator
{
public:
    explicit Mutator(const std::vector<std::string> &corpus)
        : m_corpus(corpus)
    {
    }

    std::string next()
    {
        std::string input = one();
        for (std::size_t step = below(4) + 1; step > 0; --step)
            change(input);
        return input;
    }

private:
    std::size_t below(std::size_t end) { return end == 0 ? 0 : m_random() % end; }
    const std::string &one() { return m_corpus[below(m_corpus.size())]; }

    void change(std::string &input)
    {
        const std::size_t at = below(input.size() + 1);
        switch (below(6)) {
        case 0:
            input.insert(at, 1, static_cast<char>(below(256)));
            break;
        case 1:
            input.erase(at, below(8));
            break;
        case 2:
            if (at < input.size())
                input[at] = static_cast<char>(input[at] ^ (1 << below(8)));
            break;
        case 3: { // a piece of another
            const std::string &other = one();
            input.insert(at, other.substr(below(other.size() + 1), below(64)));
            break;
        }
        case 4: // a piece once more
            input.insert(at, input.substr(below(input.size() + 1), below(64)));
            break;
        default: // a number at its bounds
            input.insert(at, std::to_string((std::int64_t{1} << below(63)) - 1));
            break;
        }
    }

    const std::vector<std::string> &m_corpus;
    std::mt19937 m_random{20}; // NOLINT(cert-msc32-c,cert-msc51-cpp,bugprone-random-generator-seed): the same each time
};

} // namespace

int main(int argc, char **argv)
{
    namespace fs = std::filesystem;
    const fs::path place = argc > 1 ? argv[1] : "";
    const int mutations = argc > 2 ? int(std::strtol(argv[2], nullptr, 10)) : 40000;
    if (fs::is_regular_file(place)) {
        give(readFile(place));
        return 0;
    }
    std::vector<std::string> corpus;
    if (fs::is_directory(place)) {
        for (const auto &entry : fs::directory_iterator(place))
            corpus.push_back(readFile(entry.path()));
    }
    if (corpus.empty()) {
        static_cast<void>(std::fputs("usage: fuzz_NAME CORPUS-FOLDER [MUTATIONS] | FILE\n", stderr));
        return 2;
    }
    std::ranges::sort(corpus);
    give({});
    for (const std::string &input : corpus)
        give(input);
    Mutator mutator(corpus);
    for (int i = 0; i < mutations; ++i)
        give(mutator.next());
    return 0;
}
