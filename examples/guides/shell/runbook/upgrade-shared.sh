(
  set -eu
  pg_dump --format=custom --file=before-upgrade.dump.part "$LATCHKEY_DATABASE"
  mv before-upgrade.dump.part before-upgrade.dump
  (umask 022; npm install --prefix /opt/latchkey "@latchkey/service@$VERSION")
  latchkey-service migrate
  systemctl restart latchkey
  curl --silent --fail --retry 30 --retry-all-errors --retry-delay 1 "$LATCHKEY_URL/x/ready"
)
