(
  set -eu
  systemctl stop latchkey
  latchkey-service restore "$BACKUP" --data "$LATCHKEY_DATA/restored" --replaces "$LATCHKEY_DATA"
  REPLACED="$LATCHKEY_DATA/replaced-$(date +%FT%H%M%S)"
  mkdir "$REPLACED"
  find "$LATCHKEY_DATA/" -maxdepth 1 -name '*.db*' -exec mv --target-directory="$REPLACED" {} +
  mv "$LATCHKEY_DATA"/restored/* "$LATCHKEY_DATA"
  chown --reference="$LATCHKEY_DATA/." "$LATCHKEY_DATA"/*.db*
  systemctl start latchkey
  curl --silent --fail --retry 30 --retry-all-errors --retry-delay 1 "$LATCHKEY_URL/x/ready"
  latchkey-service confirm
)
