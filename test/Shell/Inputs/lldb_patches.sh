#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Applies LLDB's patches by git am, in order, to what they change of LLVM's source: a patch that needs fuzz or another order fails.
# usage: lldb_patches.sh PATCHES TARBALL TREE
set -euo pipefail
patches=$1 tarball=$2 tree=$3
rm -rf "$tree"
mkdir -p "$tree"
export GIT_AUTHOR_NAME=test GIT_AUTHOR_EMAIL=test@localhost GIT_COMMITTER_NAME=test GIT_COMMITTER_EMAIL=test@localhost
# tar fails for the files that the patches make.
series=("$patches"/*.patch "$patches"/upstream/*.patch)
sed -n 's,^--- a/,*/,p' "${series[@]}" | sort -u > "$tree/files"
tar -xJf "$tarball" -C "$tree" --strip-components=1 --wildcards --no-wildcards-match-slash --files-from="$tree/files" 2> /dev/null || true
rm "$tree/files"
cd "$tree"
git init -q
git add -A -f
git commit -qm "LLVM's source"
for patch in "${series[@]}"; do
  git am -q "$patch" || { echo "${patch##*/} doesn't apply by git am"; exit 1; }
done
echo "$(($(git rev-list --count HEAD) - 1)) apply by git am"
