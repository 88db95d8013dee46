// SPDX-License-Identifier: Apache-2.0
// Names from what such programs document, and from lists of files that tools ask about before they write them: VS Code's
// chat.tools.edits.autoApprove, anthropic-experimental/sandbox-runtime (dangerous files), git-config(1) (safe.bareRepository) and
// github-linguist (lib/linguist/languages.yml, file names).
#include "obeyed.h"

#include <QSet>

#include <algorithm>

namespace glovebox {

namespace {

// Who obeys, and names with a space between them. The sooner a program does it without being asked, the earlier it stands. Letters
// are lower case, but for names that are common words otherwise: BUILD.
struct Obeyer
{
    const char *reason;
    const char *folders; // everything in a folder of this name
    const char *files;
    const char *stems; // files with any ending or none: eslint.config.mjs, .eslintrc.json, .env.local
    const char *endings;
};

// clang-format off: a table
constexpr Obeyer obeyers[] = {
    {QT_TRANSLATE_NOOP("engine", "Git runs commands that are named here."),
     ".hg .husky .jj .svn",
     ".bzr .git .gitattributes .gitconfig .gitmodules .gitreview .hgrc .huskyrc .lefthook.yml .overcommit.yml "
     ".pre-commit-config.yaml .pre-commit-hooks.yaml git~1 lefthook.yml",
     ".commitlintrc .lintstagedrc commitlint.config lint-staged.config",
     ""},
    {QT_TRANSLATE_NOOP("engine", "Shells and terminal programs run this when they start."),
     "",
     ".bash_aliases .bash_login .bash_logout .bash_profile .bashrc .cshrc .gdbinit .ghci .iex.exs .inputrc .irbrc "
     ".kshrc .lessfilter .lesskey .lldbinit .login .logout .mailcap .mailrc .mkshrc .muttrc .ocamlinit .pdbrc "
     ".pdbrc.py .profile .pryrc .psqlrc .renviron .ripgreprc .rprofile .screenrc .shrc .sqliterc .tcshrc "
     ".tmux.conf .zlogin .zlogout .zprofile .zshenv .zshrc config.fish",
     "",
     "csh"},
    {QT_TRANSLATE_NOOP("engine", "Programs for keys and logins obey this."),
     ".aws .gnupg .kube .password-store .ssh",
     ".curlrc .netrc .pam_environment .pgpass .rhosts .shosts .wgetrc authorized_keys",
     "",
     ""},
    {QT_TRANSLATE_NOOP("engine", "The desktop or the system starts what is named here."),
     "autostart systemd",
     ".xdefaults .xinitrc .xprofile .xresources .xserverrc .xsession .xsessionrc crontab",
     "",
     "desktop path service socket timer"},
    {QT_TRANSLATE_NOOP("engine", "Editors run tasks, plug-ins or commands that are named here."),
     ".atom .eclipse .emacs.d .fleet .helix .idea .netbeans .nova .nvim .settings .theia .vim .vs .vscode .zed",
     ".classpath .dir-locals-2.el .dir-locals.el .emacs .exrc .gvimrc .ideavimrc .kateconfig .kateproject .nanorc "
     ".nexrc .nvim.lua .nvimrc .project .spacemacs .vimrc .ycm_extra_conf.py _vimrc omnisharp.json",
     "",
     "code-workspace iml sublime-project sublime-workspace vimrc"},
    {QT_TRANSLATE_NOOP("engine", "Coding agents follow this, or start programs that are named here."),
     ".amazonq .claude .clinerules .codex .continue .copilot .cursor .gemini .goose .junie .kilocode .kiro "
     ".opencode .pi .qwen .roo .windsurf",
     ".aider.conf.yml .claude.json .clinerules .cursorrules .goosehints .mcp.json .roomodes .roorules "
     ".windsurfrules agent.md agents.md claude.local.md claude.md copilot-instructions.md crush.json gemini.md "
     "mcp.json opencode.json qwen.md skill.md",
     "",
     ""},
    {QT_TRANSLATE_NOOP("engine", "Python runs this when it starts."),
     ".ipython .jupyter sitecustomize usercustomize",
     "activate_this.py ipython_config.py pyvenv.cfg sitecustomize.py usercustomize.py",
     "",
     "pth"},
    {QT_TRANSLATE_NOOP("engine", "Tools that start in this folder take commands or variables from here."),
     ".config .direnv .mise",
     ".asdfrc .direnvrc .envrc .flaskenv .java-version .mise.toml .node-version .nvmrc .python-version .rtx.toml "
     ".ruby-version .sdkmanrc .tool-versions ansible.cfg devenv.nix mise.toml procfile rust-toolchain "
     "rust-toolchain.toml tiltfile",
     ".env",
     ""},
    {QT_TRANSLATE_NOOP("engine", "Package managers run scripts, or load code, that are named here."),
     ".bundle .yarn",
     ".condarc .gemrc .npmrc .pnp.cjs .pnp.loader.mjs .pnpmfile.cjs .pnpmfile.mjs .pypirc .yarnrc .yarnrc.yml "
     "artisan berksfile brewfile bun.lock bun.lockb bunfig.toml cartfile composer.json composer.lock conda.yaml "
     "cpanfile deno.json deno.jsonc environment.yml gemfile gemfile.lock go.mod go.work lerna.json manage.py "
     "npm-shrinkwrap.json nuget.config package-lock.json package.json package.swift pdm.toml pip.conf pipfile "
     "pipfile.lock pixi.toml pnpm-lock.yaml pnpm-workspace.yaml podfile poetry.lock poetry.toml pubspec.yaml "
     "pyproject.toml requirements.txt setup.cfg setup.py uv.lock uv.toml vcpkg.json yarn.lock",
     "",
     "gemspec nimble podspec"},
    {QT_TRANSLATE_NOOP("engine", "Build tools run this."),
     ".cargo .lein .mvn",
     ".bazeliskrc .bazelrc .buckconfig .justfile .sbtopts BUCK BUILD WORKSPACE angular.json bb.edn build.bazel "
     "build.boot build.gradle build.gradle.kts build.pl build.rs build.sbt build.xml build.zig cabal.project "
     "cargo.toml cmakelists.txt cmakepresets.json cmakeuserpresets.json conanfile.py conanfile.txt config.nims "
     "configure configure.ac deps.edn directory.build.props directory.build.targets dub.json dune dune-project "
     "extconf.rb fastfile global.json gnumakefile gradle.properties gradlew gradlew.bat guardfile hatch_build.py "
     "init.gradle justfile kbuild magefile.go makefile makefile.am makefile.in makefile.pl meson.build "
     "meson_options.txt mix.exs module.bazel mvnw mvnw.cmd nx.json pants.toml pom.xml premake5.lua project.clj "
     "pulumi.yaml rakefile rebar.config sconscript sconstruct settings.gradle settings.gradle.kts setup.hs "
     "snakefile stack.yaml taskfile.yaml taskfile.yml tasks.py thorfile turbo.json waf workspace.bazel wscript "
     "xmake.lua",
     ".postcssrc astro.config babel.config craco.config esbuild.config gatsby-config gatsby-node gruntfile "
     "gulpfile makefile metro.config next.config nuxt.config postcss.config remix.config rollup.config "
     "rspack.config svelte.config tailwind.config tsup.config vite.config vue.config webpack.config windi.config "
     "workbox-config",
     "bzl cabal cmake csproj fsproj gradle mk pbxproj proj props sln targets vbproj vcxproj"},
    {QT_TRANSLATE_NOOP("engine", "Test programs load this as code."),
     "",
     ".busted .coveragerc .proverc .rspec conftest.py karma.conf.js noxfile.py phpunit.xml phpunit.xml.dist "
     "pytest.ini tox.ini",
     ".mocharc .nycrc ava.config cypress.config jest.config karma.conf playwright.config vitest.config "
     "vitest.workspace wdio.conf",
     ""},
    {QT_TRANSLATE_NOOP("engine", "Checkers and formatters load code that is named here."),
     "",
     ".flake8 .formatter.exs .golangci.yaml .golangci.yml .mypy.ini .perltidyrc .php-cs-fixer.dist.php "
     ".php-cs-fixer.php .pylintrc .rubocop.yml .scalafmt.conf .swcrc biome.json clippy.toml dangerfile "
     "jsconfig.json mypy.ini phpstan.neon pylintrc tsconfig.json",
     ".babelrc .eslintrc .prettierrc .stylelintrc .swcrc eslint.config prettier.config stylelint.config",
     ""},
    {QT_TRANSLATE_NOOP("engine", "Continuous integration or container tools run this."),
     ".buildkite .circleci .devcontainer .docker .forgejo .gitea .gitlab .teamcity .woodpecker",
     ".devcontainer.json .drone.yml .gitlab-ci.yml .gitpod.yml .htaccess .travis.yml .user.ini appveyor.yml "
     "azure-pipelines.yml bitbucket-pipelines.yml capfile cloudbuild.yaml compose.override.yaml "
     "compose.override.yml compose.yaml compose.yml containerfile default.nix devfile.yaml docker-bake.hcl "
     "docker-compose.override.yml docker-compose.yaml docker-compose.yml dockerfile earthfile flake.lock flake.nix "
     "jenkinsfile kustomization.yaml netlify.toml serverless.yml shell.nix skaffold.yaml vagrantfile vercel.json "
     "web.config wrangler.toml",
     ".releaserc dockerfile",
     "tf"},
};
// clang-format on

// Of .git only what makes git run something; its objects and index change with every commit.
constexpr const char *gitNames = "commondir config config.worktree gitdir head hooks info modules worktrees";

// Name -> its row.
QHash<QByteArray, const Obeyer *> rowsOf(const char *Obeyer::*list)
{
    QHash<QByteArray, const Obeyer *> rows;
    for (const Obeyer &obeyer : obeyers) {
        for (const QByteArray &name : QByteArray(obeyer.*list).split(' '))
            rows.insert(name, &obeyer);
    }
    rows.remove({});
    return rows;
}

bool isGitName(const QByteArray &name)
{
    static const auto names = [] {
        const QByteArrayList list = QByteArray(gitNames).split(' ');
        return QSet<QByteArray>(list.begin(), list.end());
    }();
    return names.contains(name);
}

const Obeyer *whoObeys(const QByteArray &path)
{
    static const auto folders = rowsOf(&Obeyer::folders), files = rowsOf(&Obeyer::files),
                      stems = rowsOf(&Obeyer::stems), endings = rowsOf(&Obeyer::endings);
    static const Obeyer *const git = files.value(".git"), *const service = files.value("dockerfile");
    // Whatever the case of its letters: there are file systems that don't tell them apart.
    const QByteArrayList parts = path.toLower().split('/');
    for (qsizetype i = 0; i < parts.size(); ++i) {
        if (parts[i] == ".git" || parts[i] == "git~1") // the short name of .git (CVE-2014-9390)
            return i + 1 == parts.size() || isGitName(parts[i + 1]) ? git : nullptr;
        if (const Obeyer *obeyer = folders.value(parts[i]))
            return obeyer;
        if (parts[i] == ".github" && (parts.value(i + 1) == "workflows" || parts.value(i + 1) == "actions"))
            return service;
    }
    const QByteArray &name = parts.last();
    if (const Obeyer *obeyer = files.value(name, files.value(path.sliced(path.lastIndexOf('/') + 1))))
        return obeyer;
    // Each part that ends before a dot: .env of .env.production.local.
    for (qsizetype end = name.size(); end > 0; end = name.first(end).lastIndexOf('.')) {
        if (const Obeyer *obeyer = stems.value(name.first(end)))
            return obeyer;
    }
    const qsizetype dot = name.lastIndexOf('.');
    return dot > 0 ? endings.value(name.sliced(dot + 1)) : nullptr;
}

QByteArray folderOf(const QByteArray &path)
{
    return path.first(std::max<qsizetype>(path.lastIndexOf('/'), 0));
}

bool leadsOut(const QByteArray &path, const QByteArray &target)
{
    if (target.startsWith('/') || target.isEmpty())
        return true; // an empty one could not be read
    // The link itself lies below true folders; what it names may be links, behind which ".." leads anywhere.
    qsizetype depth = path.count('/');
    bool wentDown = false;
    for (const QByteArray &part : target.split('/')) {
        if (part == "..") {
            if (wentDown || --depth < 0)
                return true;
        } else if (!part.isEmpty() && part != ".") {
            wentDown = true;
        }
    }
    return false;
}

} // namespace

std::optional<Text> whySensitive(const QByteArray &path, const QByteArray *target)
{
    if (const Obeyer *obeyer = whoObeys(path))
        return Text(obeyer->reason);
    if (target && leadsOut(path, *target))
        return Text(QT_TRANSLATE_NOOP("engine", "This link leads out of the folder."));
    return std::nullopt;
}

bool GitFolders::mayObey(const QByteArray &path)
{
    return std::ranges::any_of(path.toLower().split('/'), isGitName);
}

void GitFolders::see(const QByteArray &path)
{
    static const QHash<QByteArray, unsigned> parts{
        {"head", Head}, {"objects", Objects}, {"refs", Refs}, {"commondir", CommonDir}};
    if (const unsigned part = parts.value(path.sliced(path.lastIndexOf('/') + 1).toLower()))
        m_parts[folderOf(path)] |= part;
}

// As git's setup.c: HEAD with objects and refs, or with the name of the folder that has them; and that folder itself.
bool GitFolders::isGitFolder(const QByteArray &folder) const
{
    const unsigned parts = m_parts.value(folder);
    return (parts & (Objects | Refs)) == (Objects | Refs) || (parts & (Head | CommonDir)) == (Head | CommonDir);
}

std::optional<Text> GitFolders::obeyedBy(const QByteArray &path) const
{
    for (QByteArray folder = folderOf(path);; folder = folderOf(folder)) {
        const QByteArray rest = folder.isEmpty() ? path : path.sliced(folder.size() + 1);
        if (isGitFolder(folder) && isGitName(rest.split('/').first().toLower()))
            return Text(QT_TRANSLATE_NOOP("engine", "Git obeys this folder as a repository, whatever its name."));
        if (folder.isEmpty())
            return std::nullopt;
    }
}

} // namespace glovebox
