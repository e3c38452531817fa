mkdir -p backup
latchkey-service backup backup/data.db
