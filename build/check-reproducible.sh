#!/usr/bin/env bash
# Builds the published modules twice and fails if any of their jars differs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

build() {
  mvn -B -ntp -q -Prelease -DskipTests clean package
  mkdir "$work/$1"
  cp posthorn-*/target/*.jar "$work/$1"
}

build first
build second

status=0
for jar in "$work"/first/*.jar; do
  name="$(basename "$jar")"
  if cmp -s "$jar" "$work/second/$name"; then
    echo "same    $name"
  else
    echo "DIFFERS $name"
    status=1
  fi
done
exit "$status"
