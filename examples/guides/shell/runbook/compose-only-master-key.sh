(
  set -eu
  umask 077
  head -n 1 secrets/master-key > secrets/newest
  cat secrets/newest > secrets/master-key
  rm secrets/newest
  docker compose run --rm migrate doctor
)
