#!/bin/sh
# Stands in for the first program of the official images of PostgreSQL and Valkey, as far as deploy/compose.yaml needs it.
set -eu
case "$1" in
  postgres) user=postgres data=/var/lib/postgresql/data ;;
  valkey-server) user=valkey data=/data ;;
  *) exec "$@" ;;
esac
if [ "$(id --user)" = 0 ]; then
  mkdir -p "$data" /run/postgresql
  chown "$user" "$data" /run/postgresql
  cd "$data"
  exec setpriv --reuid "$user" --regid "$user" --init-groups "$0" "$@"
fi
if [ "$1" = postgres ] && [ ! -s "$data/PG_VERSION" ]; then
  initdb --pgdata "$data" --username "$POSTGRES_USER" --pwfile "$POSTGRES_PASSWORD_FILE" \
    --auth-local trust --auth-host scram-sha-256
  echo 'host all all all scram-sha-256' >> "$data/pg_hba.conf"
  # As in the official image, a first server hears at its socket alone, and another one follows it.
  pg_ctl --pgdata "$data" --options "-c listen_addresses=''" --wait start
  createdb --username "$POSTGRES_USER" "$POSTGRES_USER"
  pg_ctl --pgdata "$data" --wait stop
fi
# Both official images hear clients of other containers.
case "$1" in
  postgres) set -- "$@" -D "$data" -c 'listen_addresses=*' ;;
  valkey-server) set -- "$@" --protected-mode no ;;
esac
exec "$@"
