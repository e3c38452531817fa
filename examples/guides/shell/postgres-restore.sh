pg_restore --exit-on-error --no-owner --dbname="$LATCHKEY_DATABASE" latchkey.dump
