(
  set -eu
  mkdir -p backup keys
  latchkey-service backup backup/data.db
  cp data/master.key keys/master.key
)
