#!/usr/bin/env bash
# Prints, as a Markdown table, what the published modules bring along: each compile and runtime dependency, the date of
# the version in use (of the newest file in its jar), and the newest releases on Maven Central.
# This is no list of vulnerabilities: those need a feed from the network; see docs/dependencies.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
central=${MAVEN_CENTRAL:?set it to the address of Maven Central or of a mirror, up to and including the maven2 directory}
repository=$(mvn -q help:evaluate -Dexpression=settings.localRepository -DforceStdout)
modules=$(sed -n '/<!-- published -->/,/<!-- not published -->/s/.*<module>\(posthorn-[a-z0-9-]*\)<.*/\1/p' pom.xml | grep -v bom)

list() {
  local file
  file=$(mktemp)
  # compile, so that modules find each other
  mvn -q -B -pl "$(paste -sd, <<<"$modules")" -am compile dependency:list \
    -DincludeScope=runtime -DexcludeGroupIds=io.posthorn -DappendOutput=true -DoutputFile="$file" >&2
  grep -oE '[A-Za-z0-9._-]+:[A-Za-z0-9._-]+:jar:[^: ]+:(compile|runtime)' "$file" | sort -u
  rm "$file"
}

echo '| dependency | version | date of that version | newest of its line | newest |'
echo '|---|---|---|---|---|'
list | while IFS=: read -r group artifact _ version _; do
  path=${group//.//}/$artifact
  # Some jars have no dates: 1980 then.
  date=$(unzip -l "$repository/$path/$version/$artifact-$version.jar" | grep -oE '[0-9]{4}-[0-9]{2}-[0-9]{2}' | grep -v ^1980 | sort | tail -1 || true)
  releases=$(curl -sf "$central/$path/maven-metadata.xml" | sed -n 's/.*<version>\(.*\)<.*/\1/p' | grep -viE 'alpha|beta|-?m[0-9]|rc[0-9]|snapshot' | sort -V || true)
  line=$(grep -F "${version%.*}." <<<"$releases" | tail -1 || true)
  echo "| \`$group:$artifact\` | $version | ${date:-unknown} | ${line:-unknown} | $(tail -1 <<<"$releases") |"
done
