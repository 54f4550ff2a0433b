# What the scripts of bench/ share, to be sourced: figures are read from what programs print as name=value, and those that belong in the
# table of docs/performance.md are printed and, where FIGURES names a file, handed on to bench/table by it.

# median NAME FILE...: of all values that name=value has in the files; nothing where there is none.
median() {
  local name=$1
  shift
  cat "$@" 2>/dev/null | tr ' ' '\n' | sed -n "s/^$name=\([0-9.][0-9.]*\)$/\1/p" | sort -n |
    awk '{ all[NR] = $1 } END { if (NR) print all[int((NR + 1) / 2)] }'
}

# group NAME GO-PEER [RUST-PEER]: what the next figures are about, and beside whom.
group() {
  figures_group=$1 figures_go=$2 figures_rust=${3:-}
  printf '\n%-52s%14s%26s%20s\n' "$1" Keelson "$2" "${3:-}"
}

# figure WHAT UNIT less|more KEELSON GO [RUST]: "less" is better, or "more"; an empty value was not measured.
figure() {
  local what=$1 unit=$2 better=$3 keelson=${4:-} go=${5:-} rust=${6:-}
  [ -n "$keelson" ] || return 0
  awk -v what="$what${unit:+, $unit}" -v better="$better" -v ours="$keelson" -v go="$go" -v rust="$rust" '
    function beside(value, times) {
      if (value == "" || ours + 0 == 0 || value + 0 == 0) return value
      times = better == "less" ? value / ours : ours / value
      return sprintf("%.4g  %.1f ×", value, times)
    }
    BEGIN { printf "%-52s%14s%26s%20s\n", what, sprintf("%.4g", ours), beside(go), beside(rust) }'
  [ -z "${FIGURES:-}" ] ||
    printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$figures_group" "$figures_go" "$figures_rust" "$what" "$unit" "$better" \
      "$keelson" "$go" "$rust" >>"$FIGURES"
}

# scaled VALUE FACTOR: the product; nothing for nothing.
scaled() { [ -z "$1" ] || awk -v value="$1" -v factor="$2" 'BEGIN { printf "%.6g", value * factor }'; }

# The versions of the peers, as their own package managers have them; nothing where these are missing.
go_module() {
  ! command -v go >/dev/null || (cd bench/peers/go && go list -m -f '{{.Version}}' "$1")
}
crate() { sed -n "/^name = \"$1\"$/{n;s/^version = \"\(.*\)\"$/\1/p}" bench/peers/rust/operator/Cargo.lock; }
