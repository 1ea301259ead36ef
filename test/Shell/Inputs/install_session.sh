# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Usage: unshare -m install_session.sh BUILD
set -e
build=$1
folder=$(mktemp -d)
trap 'cd /; umount "$build" 2> /dev/null || :; rm -rf "$folder"' EXIT
mkdir "$folder/upper" "$folder/work" "$folder/home"
mount -t overlay overlay -o "lowerdir=$build,upperdir=$folder/upper,workdir=$folder/work" "$build"
rm -rf "$build/bin" "$build/lib" "$build/share" "$build/site" "$build/python"
cmake "$build" > /dev/null
ninja -C "$build" wavelane-session wavelane-site
cmake --install "$build" --prefix "$folder/first" > /dev/null
umount "$build"
mv "$folder/first" "$folder/moved"
export HOME="$folder/home" PATH="$folder/moved/bin:$PATH"
env -u DISPLAY -u WAYLAND_DISPLAY -u BROWSER wavelane help --web
wavelane tutorial "$folder/programs"
cd "$folder/programs"
wavelane run ./saxpy
wavelane debug --batch -o "breakpoint set -f saxpy.hip -l 13" -o run -o "thread lane select 17" -o "frame variable i" ./saxpy
