#!/usr/bin/env bash
# Checks what an installation is made of, with the binary given: the unit and its exposure, the container files by their
# content (no container engine is needed), and that a release built twice is the same to the byte.
set -euo pipefail
binary=$(realpath "$1")
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$binary" service install --root "$work/root"
unit=$work/root/etc/systemd/system/chatterbox.service
exposure=$(systemd-analyze security --offline=true --no-pager "$unit" | sed -n 's/.*exposure level for [^:]*: \([0-9.]*\).*/\1/p')
echo "exposure $exposure"
awk -v e="$exposure" 'BEGIN { exit !(e > 0 && e <= 1.5) }' || { echo "exposure above 1.5"; exit 1; }
mistakes=$(systemd-analyze verify --man=no --root="$work/root" chatterbox.service 2>&1 | grep 'ignoring' || true)
[ -z "$mistakes" ] || { echo "$mistakes"; exit 1; }
! grep -q '^MemoryDenyWriteExecute' "$unit" || { echo "the unit stops the compiler"; exit 1; }
"$work/root/usr/local/bin/chatterbox" config check --config "$work/root/etc/chatterbox/chatterbox.yaml"
"$work/root/usr/local/bin/chatterbox" service status --root "$work/root"
"$binary" service uninstall --root "$work/root"
[ ! -e "$unit" ]
[ -e "$work/root/etc/chatterbox/chatterbox.yaml" ]

has() { # has FILE EXPRESSION: the file has a line like it
  grep -Eq "$2" "$1" || { echo "$1 lacks a line like $2"; exit 1; }
}
has build/Dockerfile '^FROM scratch'
has build/Dockerfile '^USER [0-9]+:[0-9]+'
has build/Dockerfile 'HEALTHCHECK.*"health"'
has build/compose.yaml '^ *read_only: true'
has build/compose.yaml '^ *cap_drop: \[ALL\]'
has build/compose.yaml '^ *security_opt: .*no-new-privileges:true'
has build/compose.yaml '^ *volumes: .*/token:/run/secrets/token:ro'
has build/compose.yaml '^ *CHATTERBOX_AUTH_TOKEN_FILE: /run/secrets/token$'
head -c 32 /dev/urandom | base64 >"$work/token"
# Every variable that the two files set or suggest, with its value there, is one that the product knows.
mapfile -t variables < <(grep -o 'CHATTERBOX_[A-Z_]*=[^ ]*' build/Dockerfile
  sed -n "s|/run/secrets/token|$work/token|; s/^[ #]*\(CHATTERBOX_[A-Z_]*\): */\1=/p" build/compose.yaml)
mistakes=$(env -i "${variables[@]}" "$binary" config check --config /dev/null 2>&1 >/dev/null) || { echo "$mistakes"; exit 1; }
[ -z "$mistakes" ] || { echo "$mistakes"; exit 1; }
segments=$(readelf -l "$binary")
! grep -q INTERP <<<"$segments" || { echo "not static: a container from scratch cannot run it"; exit 1; }
# What runs in the container is this file alone, as a user without rights, in a root that has only a data folder.
mkdir -p "$work/empty/data"
cp "$binary" "$work/empty/chatterbox"
chown 65532:65532 "$work/empty/data"
chmod 755 "$work" "$work/empty"
answer=$(env -i CHATTERBOX_DATA=/data "$(command -v chroot)" --userspec=65532:65532 "$work/empty" /chatterbox chat "What time is it in Tokyo?")
echo "$answer"
grep -q Tokyo <<<"$answer"

commit=$(git rev-parse --short HEAD)
release() { # release PLACE: the archives, built there
  git clone -q . "$work/$1"
  (cd "$work/$1" && TARGETS=linux/arm64 VERSION=$commit build/release.sh out >/dev/null)
}
release one
GOCACHE="$work/cache" release another/place # nothing of it was compiled before
cmp "$work/one/out/SHA256SUMS" "$work/another/place/out/SHA256SUMS" && echo "a second build elsewhere is the same to the byte"
