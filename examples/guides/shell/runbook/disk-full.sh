df --human-readable "$LATCHKEY_DATA"
du --human-readable --summarize "$LATCHKEY_DATA"/* backup
find backup/ -name '*.db' -mtime +14 -delete
curl --silent --fail --retry 30 --retry-all-errors --retry-delay 1 "$LATCHKEY_URL/x/ready"
