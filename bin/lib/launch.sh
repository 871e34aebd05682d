# Builds a module that is a program, if anything changed, and runs it. Sourced by the scripts of bin, which set:
#   root      the repository
#   name      the script's name, for what it says
#   module    the program's directory
#   modules   all modules whose classes it uses, its own included
#   main      its main class

target=$root/$module/target
classpath_file=$target/$name-class-path.txt
stamp=$target/$name-build.stamp

for tool in java mvn; do
  if ! command -v "$tool" >/dev/null; then
    echo "$name: \"$tool\" is not on the PATH; JDK 17 or later and Maven 3.8 or later are needed" >&2
    exit 1
  fi
done

# The stamp is as old as the beginning of the last build that succeeded, and names the place it was made for.
up_to_date() {
  [ -f "$stamp" ] && [ -f "$classpath_file" ] && [ "$(cat "$stamp")" = "$root" ] || return 1
  local used entry changed
  for used in $modules; do
    [ -d "$root/$used/target/classes" ] || return 1
    # Directories count too: they change when a file is deleted.
    changed=$(find "$root/pom.xml" "$root/$used/pom.xml" "$root/$used/src/main" -newer "$stamp" -print | head -n 1)
    [ -z "$changed" ] || return 1
  done
  while IFS= read -r entry; do
    [ -e "$entry" ] || return 1
  done < <(tr ':' '\n' <"$classpath_file"; echo)
}

build() {
  echo "building the $name (the first time this takes a minute or two) ..." >&2
  mkdir -p "$target"
  rm -f "$stamp"
  local log=$target/$name-build.log
  printf '%s\n' "$root" >"$stamp.new"
  # A newer compiler may warn of more than the build knows; that is no reason not to run it.
  if ! (cd "$root" && mvn -q -B -ntp -pl "$module" -am compile -Dmaven.compiler.failOnWarning=false) >"$log" 2>&1 </dev/null; then
    tail -n 30 "$log" >&2
    echo "$name: the build failed; all it said is in $log" >&2
    exit 1
  fi
  # A copy: another build may pack the modules, and then names their jars.
  cp "$target/class-path.txt" "$classpath_file"
  mv "$stamp.new" "$stamp"
}

up_to_date || build

terminal=false
if [ -t 1 ]; then
  terminal=true
fi
exec java "-Dposthorn.$name.terminal=$terminal" -cp "$target/classes:$(cat "$classpath_file")" "$main" "$@"
