pg_restore --single-transaction --no-owner --dbname="$LATCHKEY_DATABASE" latchkey.dump
