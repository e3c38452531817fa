(
  set -eu
  umask 077
  pg_dump --format=custom --file=latchkey.dump.part "$LATCHKEY_DATABASE"
  mv latchkey.dump.part latchkey.dump
)
