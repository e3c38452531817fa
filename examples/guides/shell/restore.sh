mkdir restored
cp backup/data.db restored/data.db
cp keys/master.key restored/master.key
latchkey-service tenant list --data ./restored
