systemctl stop latchkey
(umask 022; npm install --prefix /opt/latchkey "@latchkey/service@$VERSION")
NEWER="$LATCHKEY_DATA/newer-$(date +%FT%H%M%S)"
mkdir "$NEWER"
mv "$LATCHKEY_DATA"/*.db* "$NEWER"
cp --archive "$BEFORE"/data.db* "$LATCHKEY_DATA"
systemctl start latchkey
curl --silent --fail --retry 30 --retry-all-errors --retry-delay 1 "$LATCHKEY_URL/x/ready"
