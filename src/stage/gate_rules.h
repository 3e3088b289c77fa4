// stage/gate_rules.h: what tools on a developer's machine execute, as data. The line it draws: what runs because a
// folder is opened, entered, committed in, installed or debugged, or because a build is started that was not there
// before. Not what runs because the program itself is built and tested: that is every source file, and nobody reads a
// list of those.
#pragma once

#include <string_view>

namespace pale::stage::gate {

enum class Where {
  Root,      // only in the project's root
  Nested,    // only beneath it
  Anywhere,  // at any depth
  Sources,   // at any depth, but not in kInstalled
};
// Nobody opens an editor or starts a tool there; a package manager and git fill them with other people's files.
inline constexpr std::string_view kInstalled[] = {"node_modules", "site-packages", ".git"};

enum class When {
  Changed,  // new or changed
  New,
  Exec,  // its text has a line that git's rebase hands to a shell
};

// Patterns are separated by spaces and match whole names: "*" stands for any part of one name, "**" for any number of
// names, "x/" for everything beneath x, a leading "~" for letters of either case. The first rule that matches decides.
struct Rule {  // NOLINT(clang-analyzer-optin.performance.Padding): in the order that a row is read in
  std::string_view patterns;
  Where where;
  std::string_view reason;  // empty: nothing executes it
  When when = When::Changed;
};

inline constexpr std::string_view kHookTool = "a git hook runs the commands in it";
inline constexpr std::string_view kShell = "the development shell runs its hook";
inline constexpr std::string_view kCi = "CI runs it";
inline constexpr std::string_view kBuild = "the usual build command runs it";

inline constexpr Rule kRules[] = {
    // Version control. Objects, refs, index, logs and messages execute nothing: an ordinary commit matches no row.
    {".git/hooks/*.sample .git/modules/**/hooks/*.sample", Where::Anywhere, ""},
    {".git/hooks/ .git/modules/**/hooks/", Where::Anywhere, "git runs it (hook)"},
    {".git/config .git/config.worktree .git/worktrees/*/config.worktree .git/modules/**/config "
     ".git/modules/**/config.worktree",
     Where::Anywhere, "git runs commands it names (configuration)"},
    {".git .git/HEAD", Where::Nested, "a new nested git repository", When::New},
    {".git .git/commondir .git/worktrees/*/commondir .git/modules/**/commondir", Where::Anywhere,
     "git takes hooks and configuration from where it points"},
    {".git/rebase-merge/git-rebase-todo .git/worktrees/*/rebase-merge/git-rebase-todo "
     ".git/modules/**/rebase-merge/git-rebase-todo",
     Where::Anywhere, "git runs its exec lines when the rebase goes on", When::Exec},
    {".gitconfig", Where::Sources, "git runs commands it names, where it is included"},
    {".hg/hgrc .hg/hgrc-not-shared .hg/sharedpath", Where::Anywhere, "Mercurial runs commands it names"},
    {".sl/config .jj/repo/config.toml _darcs/prefs/defaults", Where::Anywhere,
     "version control runs commands it names"},

    // Tools that keep git's hooks in the tree.
    {".husky/ .githooks/ .git-hooks/ .lefthook/ .lefthook-local/", Where::Sources, "git runs it (hook)"},
    {".pre-commit-config.yaml .pre-commit-config.yml .overcommit.yml captainhook.json grumphp.yml hk.pkl lefthook.* "
     ".lefthook.* lefthook-local.* .lefthook-local.* .config/lefthook.* .config/lefthook-local.*",
     Where::Sources, kHookTool},
    {".huskyrc .huskyrc.* husky.config.js .lintstagedrc .lintstagedrc.* lint-staged.config.* .simple-git-hooks.* "
     "simple-git-hooks.* .commitlintrc.* commitlint.config.*",
     Where::Sources, kHookTool},

    // Editors. Of what their plugins load, only linters' and formatters' configuration that is code: it runs on opening
    // a file.
    {".vscode/ *.code-workspace .idea/ .run/*.run.xml .fleet/ .zed/ .helix/ .lapce/ *.sublime-project "
     ".externalToolBuilders/ omnisharp.json hie.yaml .hie-bios",
     Where::Sources, "an editor runs commands it names"},
    {".vim/ .vimrc .exrc .nvimrc .nvim.lua .lvimrc .dir-locals.el .dir-locals-2.el .ycm_extra_conf.py", Where::Sources,
     "an editor runs it on opening a file here"},
    {".eslintrc.js .eslintrc.cjs .eslintrc.mjs eslint.config.* .prettierrc.js .prettierrc.cjs .prettierrc.mjs "
     ".prettierrc.ts prettier.config.* .stylelintrc.js .stylelintrc.cjs .stylelintrc.mjs stylelint.config.* .pylintrc "
     "pylintrc",
     Where::Sources, "linters and editors run it"},
    {".devcontainer/ .devcontainer.json", Where::Sources, "the editor runs its initializeCommand on the host"},

    // Coding agents, and Pale itself.
    {".claude/settings*.json .claude/hooks/ .claude/commands/ .claude/agents/ .claude/skills/ .claude/plugins/ "
     ".mcp.json .codex/ .gemini/ .qwen/ .cursor/*.json .cursor/hooks/ .cursor/commands/ .opencode/ opencode.json "
     "opencode.jsonc .github/hooks/ .copilot/ .windsurf/ .kiro/ .amazonq/ .factory/ .continue/ .roo/mcp.json "
     ".kilocode/mcp.json .trae/mcp.json .crush.json crush.json .aider.conf.yml",
     Where::Sources, "a coding agent runs commands it names (hooks, servers)"},
    {".pale/", Where::Sources, "Pale obeys it"},

    // Shells and environments. Versions alone (.tool-versions, .nvmrc, .python-version) are data.
    {".envrc", Where::Sources, "direnv runs it on entering the directory"},
    {"mise.toml .mise.toml mise.*.toml .mise.*.toml mise/config.toml mise/config.*.toml .mise/ mise-tasks/ "
     ".mise-tasks/ .config/mise.toml .config/mise.*.toml .config/mise/ .rtx.toml",
     Where::Sources, "mise runs commands it names"},
    {".autoenv .autoenv.zsh", Where::Sources, "autoenv runs it on entering the directory"},
    {".flox/ devbox.json devenv.nix devenv.yaml", Where::Sources, kShell},
    {"flake.nix shell.nix default.nix", Where::Root, kShell},
    {".bashrc .bash_profile .bash_login .bash_logout .profile .zshrc .zshenv .zprofile .zlogin .zlogout config.fish",
     Where::Sources, "a shell runs it on starting, where it is linked or in the home directory"},

    // Debuggers and interpreters that look into the current directory.
    {".gdbinit .lldbinit .pdbrc .pdbrc.py .perldb", Where::Sources, "a debugger runs it on starting here"},
    {".irbrc .pryrc .iex.exs .ghci .ocamlinit .Rprofile .Renviron .RData .erlang .octaverc ipython_config.py "
     "jupyter_*config.py",
     Where::Sources, "an interpreter runs it on starting here"},

    // Node. The scripts in package.json are judged by their text, below.
    {".npmrc .yarnrc .yarnrc.yml .yarn/releases/ .yarn/plugins/ .yarn/sdks/ .pnpmfile.cjs .pnpmfile.mjs "
     "pnpm-workspace.yaml bunfig.toml .bunfig.toml .corepack.env",
     Where::Sources, "the package manager obeys it (hooks, programs, registries)"},
    {"package.json5 package.yaml", Where::Sources, "pnpm runs its scripts"},
    {"binding.gyp", Where::Sources, "npm builds it on installing", When::New},

    // Python. Weights of a neural network are .pth too, but not among the packages.
    {"sitecustomize.py usercustomize.py site-packages/*.pth dist-packages/*.pth", Where::Anywhere,
     "Python runs it on starting"},
    {"pyvenv.cfg .venv/bin/python* .venv/bin/activate* venv/bin/python* venv/bin/activate*", Where::Anywhere,
     "editors and shells run this Python environment"},

    // Other languages.
    {"build.rs", Where::Sources, "cargo and rust-analyzer run it"},
    {".cargo/config .cargo/config.toml", Where::Sources, "cargo runs programs it names"},
    {"rust-toolchain rust-toolchain.toml", Where::Sources, "rustup runs the toolchain it names"},
    {".bazelrc .bazeliskrc .bazelversion .buckconfig", Where::Sources, "the build tool runs programs it names"},
    {"tools/bazel gradlew mvnw gradle/wrapper/ .mvn/ .jvmopts .sbtopts", Where::Sources,
     "the build wrapper is run instead of the tool"},
    {".rspec", Where::Sources, "rspec loads the files it names"},
    {".bundle/", Where::Sources, "bundler obeys it (plugins, sources)"},
    {"Directory.Build.props Directory.Build.targets", Where::Sources, "MSBuild takes it into every project beneath",
     When::New},

    // CI reads its files in the root only.
    {".github/workflows/ .github/actions/ .gitea/workflows/ .gitea/actions/ .forgejo/workflows/ .forgejo/actions/ "
     ".gitlab/ci/ .circleci/ .buildkite/ .woodpecker/ .woodpecker.yml .woodpecker.yaml .semaphore/ .teamcity/ "
     ".tekton/ .builds/ .build.yml Jenkinsfile Jenkinsfile.* azure-pipelines.yml azure-pipelines.yaml "
     "azure-pipelines-*.yml .azure-pipelines/ .travis.yml bitbucket-pipelines.yml .drone.yml .drone.yaml .drone.star "
     ".drone.jsonnet appveyor.yml .appveyor.yml .cirrus.yml .cirrus.star codemagic.yaml cloudbuild.yaml buildspec.yml",
     Where::Root, kCi},
    {"*.gitlab-ci.yml", Where::Sources, kCi},

    // Files with which a bare, habitual command begins to work in a project, or does something else than before. A
    // script that must be called by its own new name (build.sh) is no habit yet.
    {"GNUmakefile makefile Makefile", Where::Root, "make runs it", When::New},
    {"~justfile ~.justfile", Where::Root, "just runs it", When::New},
    {"Taskfile.yml Taskfile.yaml taskfile.yml taskfile.yaml Taskfile.dist.yml Taskfile.dist.yaml taskfile.dist.yml "
     "taskfile.dist.yaml",
     Where::Root, "task runs it", When::New},
    {"Rakefile rakefile Rakefile.rb rakefile.rb", Where::Root, "rake runs it", When::New},
    {"Gemfile gems.rb", Where::Root, "bundler runs it", When::New},
    {"Vagrantfile", Where::Root, "vagrant runs it", When::New},
    {"CMakeLists.txt CMakePresets.json CMakeUserPresets.json", Where::Root, "cmake and editors run it", When::New},
    {"meson.build", Where::Root, "meson runs it", When::New},
    {"build.ninja", Where::Root, "ninja runs it", When::New},
    {"SConstruct Sconstruct sconstruct SConstruct.py Sconstruct.py sconstruct.py", Where::Root, "scons runs it",
     When::New},
    {"configure autogen.sh wscript premake5.lua xmake.lua Tupfile Tupfile.lua Tiltfile Snakefile magefile.go "
     "build.zig Setup.hs Makefile.PL Build.PL PKGBUILD WORKSPACE WORKSPACE.bazel MODULE.bazel",
     Where::Root, kBuild, When::New},
    {"~gruntfile.* ~gulpfile.* Jakefile Jakefile.js Cakefile", Where::Root, kBuild, When::New},
    {"build.gradle build.gradle.kts settings.gradle settings.gradle.kts", Where::Root, "gradle and editors run it",
     When::New},
    {"pom.xml", Where::Root, "maven runs it", When::New},
    {"build.xml", Where::Root, "ant runs it", When::New},
    {"build.sbt project.clj mix.exs rebar.config rebar.config.script", Where::Root, kBuild, When::New},
    {"setup.py", Where::Root, "pip runs it on installing", When::New},
    {"tox.ini noxfile.py tasks.py fabfile.py dodo.py", Where::Root, "the usual test or task command runs it",
     When::New},
};

// Commands inside a JSON file. A new or changed one is gated, and so is a file that cannot be read as JSON.
struct Commands {
  std::string_view file;
  std::string_view packages;  // below this directory nothing runs them, besides kInstalled
  std::string_view object;    // the member that holds them; empty: the whole
  std::string_view names;
  std::string_view reason;  // the names follow
};

inline constexpr Commands kCommands[] = {
    {"package.json", "", "scripts",
     "preinstall install postinstall preprepare prepare postprepare prepublish prepublishOnly prepack postpack "
     "dependencies preuninstall uninstall postuninstall pnpm:devPreinstall",
     "npm runs its script "},
    {"package.json", "", "", "husky gitHooks simple-git-hooks lint-staged", "a git hook runs commands of its "},
    {"composer.json", "vendor", "scripts",
     "init command pre-command-run pre-install-cmd post-install-cmd pre-update-cmd post-update-cmd pre-status-cmd "
     "post-status-cmd pre-archive-cmd post-archive-cmd pre-autoload-dump post-autoload-dump post-root-package-install "
     "post-create-project-cmd pre-operations-exec pre-package-install post-package-install pre-package-update "
     "post-package-update pre-package-uninstall post-package-uninstall pre-file-download post-file-download "
     "pre-pool-create",
     "composer runs its script "},
};

}  // namespace pale::stage::gate
