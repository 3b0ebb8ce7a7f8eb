# What sidegrade needs from Debian 12, and the one function that installs it.
# Sourced by quickstart and test; it runs nothing by itself.

build_packages=(
  g++ cmake ninja-build pkg-config
  libpqxx-dev libpq-dev postgresql-server-dev-15
  libyaml-cpp-dev libfmt-dev libcli11-dev nlohmann-json3-dev
  libmount-dev libpci-dev libssl-dev libarchive-dev
)
run_packages=(postgresql-15 postgresql-client-15 e2fsprogs xfsprogs util-linux mount)
test_packages=(libgtest-dev libgmock-dev libbenchmark-dev clang-format clang-tidy git
               zstd xz-utils lz4 bzip2)
fuzz_packages=(clang libclang-rt-14-dev)

# Debian's PostgreSQL starts a cluster of its own when it is installed. sidegrade
# makes private ones and wants no other beside them, so a new install makes none.
keep_postgres_from_starting() {
  local conf=/etc/postgresql-common/createcluster.d/sidegrade.conf
  if [ -e "$conf" ] || dpkg-query -W -f '${db:Status-Status}' postgresql-15 2>/dev/null | grep -qx installed; then
    return
  fi
  echo "$conf: telling postgresql-15 to make no cluster of its own"
  mkdir -p "$(dirname "$conf")"
  echo "create_main_cluster = false" > "$conf"
}

# install_missing PACKAGE... : says what it is about to install; silent when all is there.
install_missing() {
  local missing=() package
  for package in "$@"; do
    if ! dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed; then
      missing+=("$package")
    fi
  done
  if [ ${#missing[@]} -eq 0 ]; then
    return
  fi
  if [ "$(id -u)" -ne 0 ]; then
    echo "error: these packages are missing and only root can install them: ${missing[*]}" >&2
    echo "       Run this script with sudo." >&2
    return 1
  fi
  echo "installing: ${missing[*]}"
  keep_postgres_from_starting
  local log
  log=$(mktemp)
  if ! { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
      --no-install-recommends "${missing[@]}"; } > "$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    echo "error: the packages could not be installed; apt-get's own words are above." >&2
    return 1
  fi
  rm -f "$log"
}

# build_preset NAME : configures and builds; shows the compiler's words only if
# it fails.
build_preset() {
  local log=build/$1.log
  mkdir -p build
  if [ ! -x "build/$1/sidegrade" ]; then
    echo "building sidegrade ($1); this takes some minutes the first time"
  fi
  if ! { cmake --preset "$1" && cmake --build --preset "$1"; } > "$log" 2>&1; then
    tail -n 60 "$log" >&2
    echo "error: the build failed; all of it is in $log" >&2
    return 1
  fi
}
