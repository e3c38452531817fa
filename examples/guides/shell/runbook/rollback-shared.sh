(
  set -eu
  (umask 022; npm install --prefix /opt/latchkey "@latchkey/service@$VERSION")
  systemctl restart latchkey
  curl --silent --fail --retry 30 --retry-all-errors --retry-delay 1 "$LATCHKEY_URL/x/ready"
)
