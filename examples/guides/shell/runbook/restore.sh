systemctl stop latchkey
latchkey-service restore "$BACKUP" --data "$LATCHKEY_DATA/restored" --replaces "$LATCHKEY_DATA"
REPLACED="$LATCHKEY_DATA/replaced-$(date +%FT%H%M%S)"
mkdir "$REPLACED"
mv "$LATCHKEY_DATA"/*.db* "$REPLACED"
mv "$LATCHKEY_DATA"/restored/* "$LATCHKEY_DATA"
chown --reference="$LATCHKEY_DATA/." "$LATCHKEY_DATA"/*.db*
systemctl start latchkey
latchkey-service confirm
