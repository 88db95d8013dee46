// SPDX-License-Identifier: Apache-2.0
#include "leafstock.h"

#include <unistd.h>

namespace glovebox::launcher {

std::string LeafStock::use(Packet &packet)
{
    Reader in(packet.bytes);
    Message message{};
    LeafKind kind{};
    std::string name;
    std::vector<std::string> controllers;
    in(message, kind, name, controllers);
    if (!in.done() || controllers.empty() || controllers.size() != packet.descriptors.size())
        return "unexpected message";
    std::vector<LeafFolder> folders;
    folders.reserve(controllers.size());
    for (std::size_t i = 0; i < controllers.size(); ++i)
        folders.push_back({controllers[i], std::move(packet.descriptors[i])});
    m_home = LeafHome(kind, name, std::move(folders));
    std::string problem = m_home.settle();
    if (problem.empty())
        problem = refill();
    if (problem.empty())
        problem = m_spare.bound({.memory = 1ULL << 40, .processes = 1 << 15, .cpuPercent = 0}); // more than any run
    if (!problem.empty())
        giveUp();
    return problem;
}

std::string LeafStock::tryEntering()
{
    std::string problem = refill();
    if (problem.empty() && m_home.kind() == LeafKind::Cgroup1) {
        problem = m_spare.enter();
        if (problem.empty())
            m_home.leave();
    }
    if (!problem.empty())
        giveUp();
    return problem;
}

void LeafStock::giveUp()
{
    if (m_spare)
        m_spare.take().remove();
    m_home = {};
}

std::string LeafStock::take(LeafKind kind, Leaf &leaf)
{
    std::string problem = kind == m_home.kind() ? refill() : "there is no place for it";
    if (!problem.empty())
        return problem;
    leaf = m_spare.take();
    if (kind == LeafKind::Cgroup1)
        problem = leaf.enter();
    if (!problem.empty())
        giveBack(leaf.take());
    return problem;
}

void LeafStock::forked(const Leaf &leaf) const
{
    if (leaf.kind() == LeafKind::Cgroup1)
        m_home.leave();
}

std::string LeafStock::refill()
{
    std::string problem;
    if (m_home.kind() != LeafKind::None && !m_spare)
        m_spare = Leaf::make(m_home, "run-" + std::to_string(++m_number), problem);
    return problem;
}

void LeafStock::giveBack(Leaf leaf)
{
    if (leaf && !leaf.remove())
        m_empty.push_back(std::move(leaf));
}

void LeafStock::sweep()
{
    std::erase_if(m_empty, [](const Leaf &leaf) { return leaf.remove(); });
}

void LeafStock::clear()
{
    giveBack(m_spare.take());
    for (int i = 0; i < 100 && isSweeping(); ++i) {
        ::usleep(1000);
        sweep();
    }
}

} // namespace glovebox::launcher
