// SPDX-License-Identifier: Apache-2.0
// The files that other programs run or obey, and how they were before a run.
#include "folders.h"

#include "tree.h"

#include <fcntl.h>

#include <algorithm>

namespace glovebox {

namespace {

constexpr qint64 mostLooks = 200'000; // a look costs about a microsecond each

// Everything in a folder of this name.
constexpr const char *folderNames[] = {
    ".husky", ".vscode", ".idea",   ".zed",    ".cursor", ".claude",   ".codex",        ".gemini",   ".devcontainer",
    ".ssh",   ".gnupg",  ".config", ".direnv", ".cargo",  ".circleci", "sitecustomize", "autostart", "systemd",
};
// Of .git only what makes git run something; its objects and index change with every commit.
constexpr const char *gitNames[] = {"config", "hooks", "info", "modules", "worktrees", "commondir", "gitdir"};

constexpr const char *fileNames[] = {
    // shells, terminals, debuggers, editors
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".zlogout",
    ".kshrc",
    ".cshrc",
    ".tcshrc",
    ".login",
    ".inputrc",
    ".xprofile",
    ".xinitrc",
    ".xsession",
    ".tmux.conf",
    ".screenrc",
    ".gdbinit",
    ".lldbinit",
    ".vimrc",
    ".exrc",
    ".nvimrc",
    ".nvim.lua",
    ".emacs",
    ".dir-locals.el",
    ".sublime-project",
    ".direnvrc",
    ".envrc",
    ".env",
    ".netrc",
    // version control
    ".git",
    ".gitconfig",
    ".gitmodules",
    ".gitattributes",
    ".hgrc",
    ".pre-commit-config.yaml",
    "lefthook.yml",
    // agents
    ".mcp.json",
    "mcp.json",
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
    ".cursorrules",
    ".windsurfrules",
    // builds, tests, packages
    "Makefile",
    "makefile",
    "GNUmakefile",
    "CMakeLists.txt",
    "CMakePresets.json",
    "meson.build",
    "configure",
    "SConstruct",
    "BUILD",
    "BUILD.bazel",
    "WORKSPACE",
    "justfile",
    "Justfile",
    "Taskfile.yml",
    "Rakefile",
    "Gemfile",
    "package.json",
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pnpmfile.cjs",
    "setup.py",
    "setup.cfg",
    "pyproject.toml",
    "tox.ini",
    "noxfile.py",
    "conftest.py",
    "sitecustomize.py",
    "usercustomize.py",
    "pip.conf",
    "build.rs",
    "Cargo.toml",
    "build.gradle",
    "build.gradle.kts",
    "settings.gradle",
    "pom.xml",
    "gradlew",
    "mvnw",
    "Dockerfile",
    "Containerfile",
    "compose.yaml",
    "docker-compose.yml",
    "Vagrantfile",
    "Jenkinsfile",
    ".gitlab-ci.yml",
    ".travis.yml",
    "flake.nix",
    "shell.nix",
    "default.nix",
};
constexpr const char *endings[] = {".desktop", ".service", ".pth", ".mk", ".code-workspace"};

template<typename List> bool contains(const List &list, QByteArrayView name)
{
    return std::ranges::any_of(list, [&](const char *entry) { return name == QByteArrayView(entry); });
}

// A folder that may hold something sensitive deeper down: the others are not worth an entry.
bool mayHoldSensitive(const QByteArray &path)
{
    return !path.endsWith(".git/objects") && !path.endsWith(".git/refs") && !path.endsWith(".git/logs");
}

} // namespace

bool isSensitive(const QByteArray &path)
{
    const QByteArrayList parts = path.split('/');
    for (qsizetype i = 0; i < parts.size(); ++i) {
        const bool isLast = i + 1 == parts.size();
        if (contains(folderNames, parts[i]) || (parts[i] == ".github" && parts.value(i + 1) == "workflows"))
            return true;
        if (parts[i] == ".git")
            return isLast || contains(gitNames, parts[i + 1]);
        if (isLast && (contains(fileNames, parts[i]) || std::ranges::any_of(endings, [&](const char *end) {
                           return parts[i].endsWith(end);
                       })))
            return true;
    }
    return false;
}

struct SensitiveFiles::Private
{
    UniqueFd folder;
    QMap<QByteArray, Stamp> before;
    bool isWhole = true;

    QMap<QByteArray, Stamp> look()
    {
        QMap<QByteArray, Stamp> found;
        const WalkEnd end =
            walkTree(folder.get(), mostLooks, [&](const QByteArray &path, int, const char *, const struct stat &info) {
                if (isSensitive(path))
                    found.insert(path, Stamp::of(info));
                return mayHoldSensitive(path);
            });
        isWhole = isWhole && end == WalkEnd::Whole;
        return found;
    }
};

SensitiveFiles::SensitiveFiles(int descriptor)
    : d(std::make_unique<Private>())
{
    d->folder.reset(::openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (d->folder)
        d->before = d->look();
    else
        d->isWhole = false;
}

SensitiveFiles::~SensitiveFiles() = default;
SensitiveFiles::SensitiveFiles(SensitiveFiles &&) noexcept = default;

QList<FolderChange> SensitiveFiles::changes() const
{
    if (!d->folder)
        return {};
    const QMap<QByteArray, Stamp> after = d->look();
    QList<FolderChange> list;
    const auto note = [&](FolderChange::Kind kind, const QByteArray &path, const Stamp &stamp) {
        const auto type = S_ISREG(stamp.mode)   ? FolderChange::Type::File
                          : S_ISDIR(stamp.mode) ? FolderChange::Type::Folder
                          : S_ISLNK(stamp.mode) ? FolderChange::Type::Link
                                                : FolderChange::Type::Other;
        list.append({.kind = kind,
                     .type = type,
                     .path = path,
                     .bytes = stamp.bytes,
                     .mode = stamp.mode & 07777,
                     .isSensitive = true});
    };
    for (auto now = after.begin(); now != after.end(); ++now) {
        const auto then = d->before.constFind(now.key());
        if (then == d->before.constEnd())
            note(FolderChange::Kind::Added, now.key(), *now);
        else if (*then != *now)
            note(FolderChange::Kind::Changed, now.key(), *now);
    }
    for (auto then = d->before.constBegin(); then != d->before.constEnd(); ++then) {
        if (!after.contains(then.key()))
            note(FolderChange::Kind::Removed, then.key(), *then);
    }
    std::ranges::sort(list, {}, &FolderChange::path);
    return list;
}

bool SensitiveFiles::isWhole() const
{
    return d->isWhole;
}

} // namespace glovebox
