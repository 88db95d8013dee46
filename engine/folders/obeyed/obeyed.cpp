// SPDX-License-Identifier: Apache-2.0
// Names from what such programs document, and from lists of files that tools ask about before they write them: VS Code's
// chat.tools.edits.autoApprove, anthropic-experimental/sandbox-runtime (dangerous files), git-config(1) (safe.bareRepository) and
// github-linguist (lib/linguist/languages.yml, file names).
#include "obeyed.h"

#include "foldednames.h"

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
    {QT_TRANSLATE_NOOP("engine", "Git runs this file, or commands that it names."),
     ".git-hooks .githooks .hg .husky .jj .lefthook .svn githooks",
     ".bzr .git .gitattributes .gitconfig .gitmodules .gitreview .hgrc .huskyrc .overcommit.yml "
     ".pre-commit-config.yaml .pre-commit-config.yml .pre-commit-hooks.yaml captainhook.json grumphp.yml",
     ".commitlintrc .lefthook .lefthook-local .lintstagedrc .simple-git-hooks commitlint.config lefthook "
     "lefthook-local lint-staged.config simple-git-hooks",
     ""},
    {QT_TRANSLATE_NOOP("engine", "Shells and terminal programs run this when they start."),
     ".bash_completion.d .oh-my-zsh .zsh",
     ".bash_aliases .bash_completion .bash_login .bash_logout .bash_profile .bashrc .cshrc .erlang .forward "
     ".gdbinit .ghci .gnuplot .iex.exs .inputrc .irbrc .kshrc .lessfilter .lesskey .lldbinit .login .logout "
     ".mailcap .mailrc .mkshrc .muttrc .ocamlinit .pdbrc .pdbrc.py .profile .pryrc .psqlrc .pythonstartup .rdata "
     ".renviron .ripgreprc .rprofile .sbclrc .screenrc .shrc .sqliterc .tcshrc .tmux.conf .wezterm.lua .zlogin "
     ".zlogout .zprofile .zshenv .zshrc config.fish startup.jl startup.m",
     "",
     "csh"},
    {QT_TRANSLATE_NOOP("engine", "Programs for keys and logins load this."),
     ".aws .gnupg .kube .password-store .ssh",
     ".curlrc .netrc .pam_environment .pgpass .rhosts .shosts .wgetrc authorized_keys",
     "",
     ""},
    {QT_TRANSLATE_NOOP("engine", "The desktop or the system starts what is named here."),
     ".local autostart systemd",
     ".xdefaults .xinitrc .xmodmap .xprofile .xresources .xserverrc .xsession .xsessionrc autorun.inf crontab "
     "desktop.ini",
     "",
     "automount command desktop lnk mount path scf service socket timer url webloc"},
    {QT_TRANSLATE_NOOP("engine", "Editors run tasks, plug-ins or commands that are named here."),
     ".atom .eclipse .emacs.d .fleet .helix .idea .kdev4 .netbeans .nova .nvim .run .settings .swiftpm .theia "
     ".vim .vs .vscode .zed",
     ".classpath .dir-locals-2.el .dir-locals.el .emacs .exrc .gvimrc .ideavimrc .kateconfig .kateproject .nanorc "
     ".nexrc .nvim.lua .nvimrc .project .projections.json .spacemacs .tern-project .vimrc .vimrc.local "
     ".vimspector.json .ycm_extra_conf.py _vimrc omnisharp.json",
     "",
     "code-profile code-workspace iml ipr iws kdev4 sublime-project sublime-workspace user vimrc xcscheme"},
    {QT_TRANSLATE_NOOP("engine", "Coding agents follow this, or start programs that are named here."),
     ".agent .agents .aiassistant .amazonq .augment .claude .clinerules .codeium .codex .continue .copilot .crush "
     ".cursor .factory .gemini .goose .iflow .junie .kilocode .kiro .opencode .openhands .pi .qodo .qwen .roo "
     ".rovodev .serena .tabnine .trae .windsurf .zencoder",
     ".aider.conf.yml .augment-guidelines .claude.json .clinerules .crush.json .cursorrules .goosehints .mcp.json "
     ".roomodes .roorules .rules .windsurfrules agent.md agents.md agents.override.md claude.local.md claude.md "
     "copilot-instructions.md crush.json gemini-extension.json gemini.md mcp.json opencode.json opencode.jsonc "
     "qwen.md skill.md warp.md",
     "",
     ""},
    {QT_TRANSLATE_NOOP("engine", "Python runs this when it starts."),
     ".ipython .jupyter sitecustomize usercustomize",
     "activate_this.py ipython_config.py pyvenv.cfg sitecustomize.py usercustomize.py",
     "",
     "pth"},
    {QT_TRANSLATE_NOOP("engine", "Tools that start in this folder take commands or variables from here."),
     ".config .direnv .mise",
     ".air.toml .asdfrc .direnvrc .envrc .flaskenv .go-version .java-version .mise.toml .node-version .nvmrc "
     ".python-version .rtx.toml .ruby-version .sdkmanrc .terraform-version .tool-versions ansible.cfg devenv.nix "
     "devbox.json mise.local.toml mise.toml rust-toolchain rust-toolchain.toml supervisord.conf tiltfile",
     ".autoenv .env .tmuxinator .tmuxp procfile",
     ""},
    {QT_TRANSLATE_NOOP("engine", "Package managers run scripts, or load code, that are named here."),
     ".bundle .yarn",
     ".brewfile .condarc .gemrc .npmrc .pdm-python .pnp.cjs .pnp.js .pnp.loader.mjs .pnpmfile.cjs .pnpmfile.mjs "
     ".pypirc .yarnrc .yarnrc.yml "
     "appraisals artisan berksfile brewfile bun.lock bun.lockb bunfig.toml cartfile composer.json composer.lock "
     "conda.yaml constraints.txt cpanfile deno.json deno.jsonc deno.lock environment.yml gemfile gemfile.lock "
     "gems.locked gems.rb go.mod go.work lerna.json manage.py npm-shrinkwrap.json nuget.config package-lock.json "
     "package.json package.swift pdm.toml pip.conf pipfile pipfile.lock pixi.toml pnpm-lock.yaml "
     "pnpm-workspace.yaml podfile poetry.lock poetry.toml pubspec.yaml pyproject.toml renv.lock "
     "requirements-dev.txt requirements.in requirements.txt rush.json setup.cfg setup.py uv.lock uv.toml "
     "vcpkg.json yarn.lock",
     "",
     "gemspec nimble nuspec podspec rockspec"},
    {QT_TRANSLATE_NOOP("engine", "Build tools run this."),
     ".cargo .dvc .lein .mvn .terraform _plugins debian",
     ".bazeliskrc .bazelrc .bazelversion .buckconfig .ember-cli .gn .justfile .jvmopts .latexmkrc .sbtopts "
     "alembic.ini analysis_options.yaml "
     "angular.json APKBUILD autogen.sh bacon.toml bb.edn book.toml bootstrap.sh BUCK BUILD build.bazel "
     "build.boot build.gradle "
     "build.gradle.kts build.mill build.ninja build.pl "
     "build.rs build.sbt build.sc build.xml build.yaml build.zig build.zig.zon cabal.project cargo.toml cdk.json "
     "cmakecache.txt cmakelists.txt cmakepresets.json cmakeuserpresets.json codegen.ts codegen.yaml codegen.yml "
     "conanfile.py conanfile.txt conf.py config.nims "
     "config.ru "
     "configure configure.ac cross.toml deps.edn directory.build.props directory.build.rsp "
     "directory.build.targets dist.ini dodo.py dotnet-tools.json doxyfile dub.json dune dune-project dvc.yaml "
     "extconf.rb "
     "fabfile.py fastfile "
     "global.json gnumakefile gradle-wrapper.properties gradle.properties gradlew gradlew.bat guardfile "
     "hatch.toml hatch_build.py init.gradle jamfile "
     "jamroot justfile kbuild latexmkrc magefile.go makefile makefile.am makefile.in makefile.pl makefile.toml "
     "meson.build meson_options.txt mix.exs mkdocs.yml mlproject module.bazel moon.yml msbuild.rsp mvnw mvnw.cmd "
     "nest-cli.json "
     "nextflow.config nodemon.json nx.json pants.toml pavement.py PKGBUILD pom.xml premake5.lua project.clj "
     "project.json "
     "pulumi.yaml rakefile rebar.config robofile.php sconscript sconstruct settings.gradle settings.gradle.kts "
     "setup.hs shadow-cljs.edn snakefile snapcraft.yaml stack.yaml tasks.py thorfile trunk.toml tupfile turbo.json "
     "typedoc.json waf "
     "WORKSPACE workspace.bazel wscript xmake.lua",
     ".goreleaser .postcssrc astro.config babel.config craco.config ecosystem.config electron-builder "
     "ember-cli-build "
     "esbuild.config "
     "gatsby-browser gatsby-config gatsby-node gatsby-ssr goreleaser graphql.config gruntfile gulpfile "
     "hardhat.config "
     "knexfile makefile metro.config next.config nuxt.config ormconfig plopfile postcss.config remix.config "
     "rollup.config rspack.config svelte.config tailwind.config taskfile tauri.conf tsup.config vite.config "
     "vue.config "
     "webpack.config windi.config workbox-config",
     "bzl cabal cmake csproj ebuild fsproj gn gni gradle gyp gypi mk ninja nix pbxproj prf pri prisma pro proj props "
     "pubxml qbs sbt sln slnx spec "
     "targets vbproj vcxproj xcconfig"},
    {QT_TRANSLATE_NOOP("engine", "Test programs load this as code."),
     "",
     ".busted .coveragerc .proverc .rspec .simplecov conftest.py karma.conf.js locustfile.py noxfile.py phpunit.xml "
     "phpunit.xml.dist pytest.ini rails_helper.rb spec_helper.rb test_helper.rb tox.ini",
     ".mocharc .nycrc ava.config codecept.conf cypress.config jest.config jest.setup karma.conf nightwatch.conf "
     "playwright.config protractor.conf vitest.config vitest.setup vitest.workspace wdio.conf",
     ""},
    {QT_TRANSLATE_NOOP("engine", "Checkers and formatters load code that is named here."),
     "",
     ".ansible-lint .credo.exs .erb-lint.yml .flake8 .flowconfig .formatter.exs .golangci.yaml .golangci.yml "
     ".mypy.ini "
     ".php-cs-fixer.dist.php .php-cs-fixer.php .scalafix.conf .scalafmt.conf .solargraph.yml .yardopts biome.json "
     "biome.jsonc clippy.toml ecs.php jsconfig.json mypy.ini phpcs.xml phpstan.neon psalm.xml pylintrc "
     "pylintrc.toml rector.php steepfile tslint.json",
     ".babelrc .eslintrc .markdownlint .markdownlint-cli2 .perltidyrc .prettierrc .pylintrc .rubocop .stylelintrc "
     ".swcrc dangerfile eslint.config prettier.config stylelint.config tsconfig",
     ""},
    // Everything that JavaScript programs load as their configuration is named so.
    {QT_TRANSLATE_NOOP("engine", "Tools load this as code."),
     ".storybook .vitepress .vuepress",
     "celeryconfig.py gunicorn.conf.py",
     ".eleventy jupyter_config jupyter_lab_config jupyter_notebook_config jupyter_server_config jupyterhub_config",
     "conf.cjs conf.js conf.mjs conf.ts config.cjs config.cts config.js config.mjs config.mts config.ts"},
    {QT_TRANSLATE_NOOP("engine", "Continuous integration or container tools run this."),
     ".buildkite .builds .circleci .dagger .ddev .devcontainer .docker .forgejo .gitea .gitlab .semaphore .teamcity "
     ".tekton .woodpecker",
     ".appveyor.yml .build.yml .cirrus.star .cirrus.yml .devcontainer.json .gitpod.yml .htaccess .lando.yml "
     ".mergify.yml "
     ".platform.app.yaml .replit .travis.yml .user.ini appveyor.yml bitbucket-pipelines.yml buildspec.yml "
     "capfile cloudbuild.yaml "
     "compose.override.yaml compose.override.yml compose.yaml compose.yml dagger.json devfile.yaml "
     "docker-bake.hcl earthfile firebase.json flake.lock fly.toml helmfile.yaml helmfile.yml heroku.yml "
     "kustomization.yaml netlify.toml nixpacks.toml php.ini puppetfile "
     "render.yaml serverless.yml skaffold.yaml terragrunt.hcl vagrantfile vercel.json web.config",
     ".drone .gitlab-ci .releaserc .woodpecker azure-pipelines containerfile docker-compose dockerfile "
     "jenkinsfile wrangler",
     "tf"},
};
// clang-format on

// Of .git only what makes git run something; its objects and index change with every commit.
constexpr const char *gitNames =
    "branches commondir config config.worktree gitdir head hooks info modules rebase-apply "
    "rebase-merge remotes sequencer worktrees";

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

// Of hidden files nearly all that are called so belong to a program: .npmrc, .eslintrc.json.
bool isNamedRc(const QByteArray &name)
{
    const qsizetype end = name.indexOf('.', 1);
    return name.startsWith('.') && name.first(end < 0 ? name.size() : end).endsWith("rc");
}

const Obeyer *whoObeys(const QByteArray &path)
{
    static const auto folders = rowsOf(&Obeyer::folders), files = rowsOf(&Obeyer::files),
                      stems = rowsOf(&Obeyer::stems), endings = rowsOf(&Obeyer::endings);
    static const Obeyer *const git = files.value(".git"), *const service = stems.value("dockerfile"),
                               *const agent = files.value("agents.md"), *const debugger = files.value(".gdbinit");
    static constexpr Obeyer settings{
        QT_TRANSLATE_NOOP("engine", "A program takes its settings from here, and may run what they name."), "", "", "",
        ""};
    static constexpr Obeyer shortName{
        QT_TRANSLATE_NOOP("engine", "On file systems of Windows this may be another file's short name."), "", "", "",
        ""};
    static constexpr Obeyer environment{
        QT_TRANSLATE_NOOP("engine", "Shells and package managers start programs from here by their names."), "", "", "",
        ""};
    static const QByteArrayList githubAgents{"agents", "chatmodes", "hooks", "instructions", "prompts", "skills"};
    const QByteArrayList parts = foldedParts(path);
    for (qsizetype i = 0; i < parts.size(); ++i) {
        if (parts[i] == ".git" || parts[i] == "git~1") // the short name of .git (CVE-2014-9390)
            return i + 1 == parts.size() || isGitName(parts[i + 1]) ? git : nullptr;
        if (const Obeyer *obeyer = folders.value(parts[i]))
            return obeyer;
        const QByteArray &next = parts.value(i + 1);
        if (parts[i] == ".github" && (next == "workflows" || next == "actions" || next == "dependabot.yml"))
            return service;
        if (parts[i] == ".github" && githubAgents.contains(next))
            return agent;
        if ((parts[i] == "node_modules" && next == ".bin")
            || ((parts[i] == ".venv" || parts[i] == "venv") && (next == "bin" || next == "scripts")))
            return &environment;
        if (mayBeShortName(parts[i]))
            return &shortName;
    }
    const QByteArray &name = parts.last();
    if (const Obeyer *obeyer = files.value(name, files.value(path.sliced(path.lastIndexOf('/') + 1))))
        return obeyer;
    // Each part that ends before a dot, and each that begins behind one: .env of .env.production.local, config.js of x.config.js.
    for (qsizetype end = name.size(); end > 0; end = name.first(end).lastIndexOf('.')) {
        if (const Obeyer *obeyer = stems.value(name.first(end)))
            return obeyer;
    }
    for (qsizetype dot = name.indexOf('.', 1); dot > 0; dot = name.indexOf('.', dot + 1)) {
        if (const Obeyer *obeyer = endings.value(name.sliced(dot + 1)))
            return obeyer;
    }
    if (name.endsWith("-gdb.py") || name.endsWith("-gdb.gdb") || name.endsWith("-gdb.scm"))
        return debugger;
    return isNamedRc(name) ? &settings : nullptr;
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
    return std::ranges::any_of(foldedParts(path), isGitName);
}

void GitFolders::see(const QByteArray &path)
{
    static const QHash<QByteArray, unsigned> parts{
        {"head", Head}, {"objects", Objects}, {"refs", Refs}, {"commondir", CommonDir}};
    if (const unsigned part = parts.value(foldedName(path.sliced(path.lastIndexOf('/') + 1))))
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
        if (isGitFolder(folder) && isGitName(foldedName(rest.split('/').first())))
            return Text(QT_TRANSLATE_NOOP("engine", "Git loads this folder as a repository, whatever its name."));
        if (folder.isEmpty())
            return std::nullopt;
    }
}

} // namespace glovebox
