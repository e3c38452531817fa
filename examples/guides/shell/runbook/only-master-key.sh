(
  set -eu
  head -n 1 "$LATCHKEY_DATA/master.key" > "$LATCHKEY_DATA/master.key.new"
  chown --reference="$LATCHKEY_DATA/master.key" "$LATCHKEY_DATA/master.key.new"
  chmod --reference="$LATCHKEY_DATA/master.key" "$LATCHKEY_DATA/master.key.new"
  mv "$LATCHKEY_DATA/master.key.new" "$LATCHKEY_DATA/master.key"
  cp "$LATCHKEY_DATA/master.key" "keys/master.key.$(date +%F)"
)
