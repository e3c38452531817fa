(
  set -eu
  docker compose exec --no-TTY postgres dropdb --username latchkey --if-exists latchkey_restored
  docker compose exec --no-TTY postgres createdb --username latchkey latchkey_restored
  docker compose exec --no-TTY postgres pg_restore --username latchkey --single-transaction --dbname latchkey_restored < latchkey.dump
  docker compose stop service
  REPLACED="latchkey_replaced_$(date +%Y%m%d_%H%M%S)"
  docker compose exec --no-TTY postgres psql --username latchkey --dbname postgres --command "
    ALTER DATABASE latchkey RENAME TO $REPLACED;
    ALTER DATABASE latchkey_restored RENAME TO latchkey"
  docker compose up --detach
  curl --silent --fail --retry 30 --retry-all-errors --retry-delay 1 http://localhost:8080/x/ready
  docker compose run --rm migrate confirm
)
