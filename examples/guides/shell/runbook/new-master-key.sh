(
  set -eu
  cp "$LATCHKEY_DATA/master.key" "keys/master.key.before-$(date +%FT%H%M%S)"
  (openssl rand -base64 32; cat "$LATCHKEY_DATA/master.key") > "$LATCHKEY_DATA/master.key.new"
  chown --reference="$LATCHKEY_DATA/master.key" "$LATCHKEY_DATA/master.key.new"
  chmod --reference="$LATCHKEY_DATA/master.key" "$LATCHKEY_DATA/master.key.new"
  mv "$LATCHKEY_DATA/master.key.new" "$LATCHKEY_DATA/master.key"
)
