(
  set -eu
  latchkey-service restore backup/data.db --data ./restored
  cp keys/master.key restored/master.key
  latchkey-service tenant list --data ./restored
)
