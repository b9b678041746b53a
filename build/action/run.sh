#!/usr/bin/env bash
# Scores models, writes the reports, and ends with the exit code of the run: 0 all holds, 1 something does not, 2 the call
# is wrong, 3 a model could not be reached. What it is to do comes in variables INPUT_..., as action.yml says.
# It keeps to what bash 3.2 can do, which is macOS's.
set -euo pipefail

folder=${INPUT_FOLDER:-chatterbox-eval}
case $folder in -*) folder=./$folder ;; esac # or other programs take it for a flag
log=$folder/eval.jsonl

# finish tells the outputs, and ends.
finish() {
  if [ -n "${GITHUB_OUTPUT:-}" ]; then
    printf 'folder=%s\nexit-code=%d\n' "$(printf %s "$folder" | tr '\r\n' '  ')" "$1" >>"$GITHUB_OUTPUT"
  fi
  exit "$1"
}

# program prints the path of chatterbox: the one that is named, the one on the PATH, or the release of this version.
program() {
  if [ -n "${INPUT_CHATTERBOX:-}" ]; then
    printf '%s\n' "$INPUT_CHATTERBOX"
  elif command -v chatterbox >/dev/null; then
    command -v chatterbox
  else
    download
  fi
}

download() {
  local machine archive from=${GITHUB_SERVER_URL:-}/${ACTION_REPOSITORY:-}/releases/download/${ACTION_REF:-} to
  case $(uname -m) in
    x86_64) machine=amd64 ;;
    aarch64 | arm64) machine=arm64 ;;
    armv7l) machine=armv7 ;;
    armv6l) machine=armv6 ;;
    riscv64) machine=riscv64 ;;
    *) echo "no release for $(uname -m): name the program with 'chatterbox:'" >&2; return 2 ;;
  esac
  if [ -z "${ACTION_REPOSITORY:-}" ] || [ -z "${ACTION_REF:-}" ]; then
    echo "chatterbox is not on the PATH: put it there, or name it with 'chatterbox:'" >&2
    return 2
  fi
  to=$(mktemp -d)
  archive=chatterbox-$ACTION_REF-$(uname -s | tr '[:upper:]' '[:lower:]')-$machine.tar.gz
  # Joined by && throughout: below || bash does not stop at what fails, not even with set -e.
  {
    curl --fail --silent --show-error --location --output "$to/SHA256SUMS" "$from/SHA256SUMS" &&
      curl --fail --silent --show-error --location --output "$to/$archive" "$from/$archive" &&
      grep -F -- " $archive" "$to/SHA256SUMS" >"$to/sum" &&
      (cd "$to" && checksum sum) &&
      tar -xzf "$to/$archive" -C "$to"
  } >&2 || { echo "cannot get $from/$archive: name the program with 'chatterbox:'" >&2; return 3; }
  printf '%s/%s/chatterbox\n' "$to" "${archive%.tar.gz}"
}

# checksum checks the files that a list names.
checksum() {
  if command -v sha256sum >/dev/null; then sha256sum --check "$1"; else shasum -a 256 --check "$1"; fi
}

# each_line adds a flag for every line of a text that has more than spaces, which are left out at both ends.
each_line() {
  local line
  while IFS=$' \t\r' read -r line; do
    [ -z "$line" ] || arguments+=("$1" "$line")
  done <<<"$2"
}

chatterbox=$(program) || finish $?
mkdir -p "$folder" || finish 2

arguments=(--log "$log" --strategy "${INPUT_STRATEGY:-loop}" --runs "${INPUT_RUNS:-4}")
each_line --model "${INPUT_MODEL:-}"
each_line --threshold "${INPUT_THRESHOLD:-}"
[ -z "${INPUT_TAGS:-}" ] || arguments+=(--tags "$INPUT_TAGS")
[ -z "${INPUT_FEATURES:-}" ] || arguments+=(--features "$INPUT_FEATURES")
[ -z "${INPUT_BASELINE:-}" ] || arguments+=(--baseline "$INPUT_BASELINE")

code=0
"$chatterbox" eval run "${arguments[@]}" || code=$?
case $code in 126 | 127) code=2 ;; esac # the program that is named cannot be run

if [ -s "$log" ]; then
  "$chatterbox" eval report --html "$folder/report.html" --junit "$folder/junit.xml" --cucumber "$folder/cucumber.json" \
    --markdown "$folder/summary.md" -- "$log" >"$folder/report.txt" || { [ "$code" -ne 0 ] || code=3; }
  if [ -n "${GITHUB_STEP_SUMMARY:-}" ] && [ -s "$folder/summary.md" ]; then
    cat "$folder/summary.md" >>"$GITHUB_STEP_SUMMARY"
  fi
fi
finish "$code"
