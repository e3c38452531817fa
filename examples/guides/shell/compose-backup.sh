(
  set -eu
  umask 077
  docker compose exec --no-TTY postgres pg_dump --username latchkey --format custom latchkey > latchkey.dump.part
  mv latchkey.dump.part latchkey.dump
)
