systemctl stop latchkey
(umask 022; npm install --prefix /opt/latchkey "@latchkey/service@$VERSION")
mkdir "$LATCHKEY_DATA/newer"
mv "$LATCHKEY_DATA"/*.db* "$LATCHKEY_DATA/newer"
cp --archive before-upgrade/data.db* "$LATCHKEY_DATA"
systemctl start latchkey
curl --silent --fail --retry 30 --retry-all-errors --retry-delay 1 "$LATCHKEY_URL/x/ready"
