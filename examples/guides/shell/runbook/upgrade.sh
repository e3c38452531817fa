(
  set -eu
  systemctl stop latchkey
  BEFORE="before-upgrade-$(date +%FT%H%M%S)"
  cp --archive "$LATCHKEY_DATA/." "$BEFORE.part"
  mv "$BEFORE.part" "$BEFORE"
  (umask 022; npm install --prefix /opt/latchkey "@latchkey/service@$VERSION")
  systemctl start latchkey
  curl --silent --fail --retry 30 --retry-all-errors --retry-delay 1 "$LATCHKEY_URL/x/ready"
)
