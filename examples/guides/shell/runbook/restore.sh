systemctl stop latchkey
latchkey-service restore "$BACKUP" --data "$LATCHKEY_DATA/restored" --replaces "$LATCHKEY_DATA"
mkdir "$LATCHKEY_DATA/replaced"
mv "$LATCHKEY_DATA"/*.db* "$LATCHKEY_DATA/replaced"
mv "$LATCHKEY_DATA"/restored/* "$LATCHKEY_DATA"
chown --reference="$LATCHKEY_DATA/." "$LATCHKEY_DATA"/*.db*
systemctl start latchkey
latchkey-service confirm
