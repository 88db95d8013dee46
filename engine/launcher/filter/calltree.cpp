// SPDX-License-Identifier: Apache-2.0
#include "calltree.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <iterator>
#include <stdexcept>
#include <string>

#include <linux/seccomp.h>

namespace glovebox::launcher {

namespace {

bool isSame(const FilterSteps &a, const FilterSteps &b)
{
    return std::ranges::equal(a, b, [](const sock_filter &x, const sock_filter &y) {
        return x.code == y.code && x.jt == y.jt && x.jf == y.jf && x.k == y.k;
    });
}

class Tree
{
public:
    Tree(const std::map<std::uint32_t, FilterSteps> &calls, const FilterSteps &others)
    {
        std::uint32_t next = 0;
        for (const auto &[number, steps] : calls) {
            if (number > next)
                add(next, others);
            add(number, steps);
            next = number + 1;
        }
        add(next, others);
        const std::size_t last = leafOf(others); // goes on with what comes behind
        m_order.push_back(last);
        for (std::size_t leaf = 0; leaf < m_leaves.size(); ++leaf) {
            if (leaf != last)
                m_order.insert(m_order.end() - 1, leaf);
        }
    }

    FilterSteps steps()
    {
        std::size_t at = m_ranges.size() - 1; // so many comparisons come first
        m_places.resize(m_leaves.size());
        for (const std::size_t leaf : m_order) {
            m_places[leaf] = at;
            at += m_leaves[leaf].size();
        }
        compare(0, m_ranges.size());
        for (const std::size_t leaf : m_order)
            m_steps.insert(m_steps.end(), m_leaves[leaf].begin(), m_leaves[leaf].end());
        return std::move(m_steps);
    }

private:
    struct Range
    {
        std::uint32_t first;
        std::size_t leaf;
    };

    std::size_t leafOf(const FilterSteps &steps)
    {
        const auto found = std::ranges::find_if(m_leaves, [&](const FilterSteps &leaf) { return isSame(leaf, steps); });
        if (found != m_leaves.end())
            return static_cast<std::size_t>(found - m_leaves.begin());
        m_leaves.push_back(steps);
        return m_leaves.size() - 1;
    }

    void add(std::uint32_t first, const FilterSteps &steps)
    {
        const std::size_t leaf = leafOf(steps);
        if (m_ranges.empty() || m_ranges.back().leaf != leaf)
            m_ranges.push_back({first, leaf});
    }

    __u8 jumpTo(std::size_t place, std::size_t from) const
    {
        const std::size_t distance = place - from - 1;
        if (distance > 255)
            throw std::length_error("a jump over " + std::to_string(distance) + " steps");
        return static_cast<__u8>(distance);
    }

    // Of the ranges from begin to end: which of them is the number's?
    void compare(std::size_t begin, std::size_t end)
    {
        if (end - begin == 1)
            return; // a leaf
        const std::size_t middle = begin + (end - begin) / 2;
        const std::size_t place = m_steps.size();
        m_steps.push_back(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, m_ranges[middle].first, 0, 0));
        const auto branch = [&](std::size_t from, std::size_t to) {
            const std::size_t target = to - from == 1 ? m_places[m_ranges[from].leaf] : m_steps.size();
            compare(from, to);
            return jumpTo(target, place);
        };
        m_steps[place].jf = branch(begin, middle);
        m_steps[place].jt = branch(middle, end);
    }

    std::vector<FilterSteps> m_leaves; // each once
    std::vector<Range> m_ranges; // by number; neighbours differ
    std::vector<std::size_t> m_order; // of leaves, behind the comparisons
    std::vector<std::size_t> m_places; // where each leaf begins
    FilterSteps m_steps;
};

} // namespace

FilterSteps filterReturn(std::uint32_t answer)
{
    return {BPF_STMT(BPF_RET | BPF_K, answer)};
}

FilterSteps callTree(std::uint32_t architecture, const std::map<std::uint32_t, FilterSteps> &calls,
                     const FilterSteps &others)
{
    FilterSteps all{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
                    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, architecture, 1, 0),
                    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
                    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
    std::ranges::copy(Tree(calls, others).steps(), std::back_inserter(all));
    return all;
}

} // namespace glovebox::launcher
