# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # root and build are set by installer/dev
# Configures and compiles the presets, doing nothing where nothing is to do.

# What `glovebox run` needs at run time.
programs=(glovebox glovebox-spawner glovebox-toolhost glovebox-egress)

workbench_exists() {
    [ -e "$root/app/workbench/CMakeLists.txt" ]
}

programs_ready() {
    lock_build set-up
    need_packages run
    lock_build dev
    configure dev
    compile dev "${programs[@]}"
    unlock_build
}

# everything_ready PRESET [ARGUMENTS]: all of its targets, or of asan and tsan those of the tests that the arguments name (targets_of),
# or of includes a part of its files. The workbench is part of those presets that people use or read.
everything_ready() {
    local preset=$1 purposes=(run) workbench='' targets
    shift
    case $preset in
    dev) purposes+=(test) ;;
    asan | tsan | fuzz) purposes+=(test sanitizers) ;;
    tidy) purposes+=(test tidy) ;;
    esac
    if workbench_exists && [[ $preset == @(dev|release|includes|tidy) ]]; then
        workbench=workbench
        purposes+=(app)
    fi
    lock_build set-up
    need_packages "${purposes[@]}"
    [ ! "$workbench" ] || need_syntax_highlighting
    lock_build "$preset"
    configure "$preset" "$workbench"
    if [ "$preset" = includes ] && [ $# -gt 0 ]; then
        compile_part "$1"
    else
        mapfile -t targets < <(targets_of "$preset" "$@")
        compile "$preset" "${targets[@]}"
    fi
    unlock_build
}

# lock_build WHAT: a preset, or set-up (of packages, and of what is built once for all presets). Two of these at once would spoil
# each other's work; the second waits. What was locked before is free.
lock_build() {
    { mkdir -p "$build" && exec 9>"$build/.lock-$1"; } 2>/dev/null ||
        die "$build can't be written by $(id -un 2>/dev/null || id -u). Use the account that made it, or remove it."
    if ! flock -n 9; then
        note "Waiting for another ./installer/dev in this checkout ($1)"
        flock 9
    fi
}

unlock_build() {
    exec 9>&-
}

# toolchain COMMAND...: with the system's compiler and libraries. pyenv's shims, conda's libraries and the compilers
# that CC and CXX name are made for other projects; what is built here must match the packages that were installed. Qt's
# resources hold no time, so that two builds of one commit are one.
toolchain() {
    env -u CFLAGS -u CXXFLAGS -u CPPFLAGS -u LDFLAGS -u CPATH -u CPLUS_INCLUDE_PATH -u LIBRARY_PATH \
        -u LD_LIBRARY_PATH -u LD_PRELOAD -u PKG_CONFIG_PATH -u CMAKE_PREFIX_PATH -u CMAKE_GENERATOR -u DESTDIR \
        -u QT_PLUGIN_PATH SOURCE_DATE_EPOCH=1 CC=gcc CXX=g++ PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 NINJA_STATUS='[%f/%t] ' \
        "$@"
}

# configure PRESET [workbench]: runs CMake if it never ran, or packages, presets or wishes changed since. A workbench once
# wished for stays.
configure() {
    local preset=$1 folder=$build/$1 cache='' window=OFF strict=OFF arguments=()
    if [ -f "$folder/CMakeCache.txt" ]; then
        cache=$(<"$folder/CMakeCache.txt")
        if [[ $cache != *"CMAKE_HOME_DIRECTORY:INTERNAL=$root"$'\n'* ]]; then
            arguments+=(--fresh) # the checkout was moved or copied; Ninja would build in the old place
            cache=
        fi
    fi
    if [ "${2-}" = workbench ] || [[ $cache == *GLOVEBOX_WORKBENCH:BOOL=ON* ]]; then
        window=ON
    fi
    # A newcomer's compiler may warn where ours doesn't; what goes in is built without a warning.
    if [ "${CI-}" = true ] || [[ $cache == *GLOVEBOX_WERROR:BOOL=ON* ]]; then
        strict=ON
    fi
    if [ -f "$folder/build.ninja" ] && [[ $cache == *GLOVEBOX_WORKBENCH:BOOL=$window* && $cache == *GLOVEBOX_WERROR:BOOL=$strict* ]] \
        && [ ! "$root/CMakePresets.json" -nt "$folder/build.ninja" ] \
        && [ ! "$build/.packages-installed" -nt "$folder/build.ninja" ]; then
        return 0
    fi
    case $preset in
    asan | tsan | fuzz) ;; # these never build the window
    *) arguments+=("-DGLOVEBOX_WORKBENCH=$window") ;;
    esac
    [ "$preset" != dev ] || arguments+=("-DGLOVEBOX_WERROR=$strict")
    [ "${CI-}" != true ] || arguments+=(-DGLOVEBOX_BATCH=0) # nobody changes a file and compiles again
    # Nor does anybody look at a backtrace of what the sanitizers don't see, and corpora are replayed where they look.
    [ "${CI-}:$preset" != true:dev ] || arguments+=('-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-Og -g0 -DNDEBUG' -DGLOVEBOX_REPLAYS=OFF)
    if ! step "configure-$preset" "Configuring ($preset)" toolchain cmake -S "$root" --preset "$preset" "${arguments[@]}"; then
        rm -f "$folder/build.ninja" # so that the next call configures again
        die "CMake could not configure the build. If packages changed under it, './installer/dev clean' starts over."
    fi
    touch "$folder/build.ninja"
}

# compile_part I/N: of the preset includes, the I-th of N parts of all files, without what Ninja would build before them. Files that
# include what moc writes are not among them.
compile_part() {
    local folder=$build/includes generated=() objects=() source
    [[ $1 =~ ^([0-9]+)/([1-9][0-9]*)$ ]] || usage_error "A part of the files is I/N, for example 3/10."
    mapfile -t generated < <(ninja -C "$folder" -t targets all | sed -n 's/^\([^/][^:]*\.inc\): CUSTOM_COMMAND$/\1/p')
    mapfile -t objects < <(ninja -C "$folder" -t targets all | sed -n 's/^\([^:]*\.cpp\.o\): .*/\1/p' | sort |
        while read -r object; do
            source=$root/${object%%CMakeFiles/*}${object#*.dir/}
            [ ! -f "${source%.o}" ] || grep -q '\.moc"' "${source%.o}" || echo "$object"
        done |
        awk -v i="${BASH_REMATCH[1]}" -v n="${BASH_REMATCH[2]}" 'NR % n == i % n')
    (cd "$folder" && mkdir -p "${objects[@]%/*}")
    step generated-includes "Generating files (includes)" toolchain ninja -C "$folder" engine/launcher/seccompfilters.h \
        && step generated-includes "Generating files (includes)" only_commands "$folder" 1 "${generated[@]}" \
        && step build-includes "Compiling ${#objects[@]} files by themselves" only_commands "$folder" "$(nproc)" "${objects[@]}" \
        || die "A file doesn't compile by itself. The whole output is in $build/log."
}

# only_commands FOLDER AT_ONCE OUTPUT...: runs what makes these, without what Ninja would make before them. C++ is only read and
# checked, which takes two thirds of the time of making code, too.
only_commands() {
    # shellcheck disable=SC2016 # expanded by the inner shell
    toolchain sh -c 'cd "$1" && n=$2 && shift 2 && ninja -t commands -s "$@" | sed "s/ -c / -fsyntax-only -c /" |
        xargs -d "\n" -n 1 -P "$n" sh -c' sh "$@"
}

# compile PRESET TARGET...
compile() {
    local preset=$1 options=()
    shift
    [ "$preset" != tidy ] || options=(-k 0) # every finding at once
    quiet=yes step "build-$preset" "Building ($preset)" toolchain ninja -C "$build/$preset" "${options[@]}" "$@" \
        || die "The build failed. The whole output is in $build/log/build-$preset.log."
    if grep -q ': warning: ' "$build/log/build-$preset.log"; then
        note "The compiler warns; see $build/log/build-$preset.log"
    fi
}

# KSyntaxHighlighting for Qt 6: the distribution's if it has one, else built once.
need_syntax_highlighting() {
    local folder
    for folder in /usr/lib/cmake /usr/lib64/cmake /usr/lib/*-linux-gnu*/cmake; do
        [ ! -e "$folder/KF6SyntaxHighlighting" ] || return 0
    done
    # Built by an older recipe it is built again.
    [ "$(cat "$build/deps/ksyntaxhighlighting/complete" 2>/dev/null)" != "$(sha256sum <"$root/installer/ksyntaxhighlighting/build.sh")" ] || return 0
    step ksyntaxhighlighting "Building KSyntaxHighlighting for Qt 6 (once)" \
        toolchain "$root/installer/ksyntaxhighlighting/build.sh" "$build/deps/ksyntaxhighlighting" \
        || die "KSyntaxHighlighting could not be built; the workbench needs it. The whole output is in $build/log/ksyntaxhighlighting.log."
}

# Prints the path of clang-format 19; fails if there is none.
clang_format_19() {
    local name
    for name in clang-format-19 clang-format; do
        if command -v "$name" >/dev/null && [[ $("$name" --version) == *'version 19.'* ]]; then
            command -v "$name"
            return
        fi
    done
    return 1
}
