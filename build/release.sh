#!/usr/bin/env bash
# Makes the release archives and their checksums in release/ (or the folder given). Built twice from one commit they are
# the same to the byte: no paths, no build ids, no times but the commit's.
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-release}
targets=${TARGETS:-linux/amd64 linux/arm64 linux/arm/7 linux/arm/6 linux/riscv64 darwin/arm64}
version=${VERSION:-$(git describe --tags --always)}
stamp=$(git log -1 --format=%ct)

mkdir -p "$out"
rm -f "$out"/chatterbox-*.tar.gz "$out"/SHA256SUMS
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

for target in $targets; do
  IFS=/ read -r os arch arm <<<"$target"
  name=chatterbox-$version-$os-$arch${arm:+v$arm}
  mkdir -p "$stage/$name"
  CGO_ENABLED=0 GOOS=$os GOARCH=$arch GOARM=${arm:-} go build -trimpath -buildvcs=false \
    -ldflags "-s -w -buildid= -X main.version=$version" -o "$stage/$name/chatterbox" ./cmd/chatterbox
  cp LICENSE README.md build/INSTALL.md "$stage/$name/"
  tar --sort=name --mtime="@$stamp" --owner=0 --group=0 --numeric-owner --mode='u=rwX,go=rX' \
    -C "$stage" -cf - "$name" | gzip -n9 >"$out/$name.tar.gz"
done
(cd "$out" && sha256sum chatterbox-*.tar.gz >SHA256SUMS)
ls -l "$out" | awk 'NR > 1 { printf "%s  %.1f MB\n", $9, $5 / 1e6 }'
