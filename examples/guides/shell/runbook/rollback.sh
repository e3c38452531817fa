(
  set -eu
  NEWER="$LATCHKEY_DATA/newer-$(date +%FT%H%M%S)"
  mkdir --parents "$NEWER/before"
  cp --archive "$BEFORE"/data.db* "$NEWER/before"
  systemctl stop latchkey
  (umask 022; npm install --prefix /opt/latchkey "@latchkey/service@$VERSION")
  mv "$LATCHKEY_DATA"/*.db* "$NEWER"
  mv "$NEWER"/before/* "$LATCHKEY_DATA"
  systemctl start latchkey
  curl --silent --fail --retry 30 --retry-all-errors --retry-delay 1 "$LATCHKEY_URL/x/ready"
)
