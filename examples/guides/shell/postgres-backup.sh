umask 077
pg_dump --format=custom --file=latchkey.dump "$LATCHKEY_DATABASE"
