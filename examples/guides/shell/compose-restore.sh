docker compose stop service
docker compose exec --no-TTY postgres dropdb --username latchkey latchkey
docker compose exec --no-TTY postgres createdb --username latchkey latchkey
docker compose exec --no-TTY postgres pg_restore --username latchkey --exit-on-error --dbname latchkey < latchkey.dump
docker compose up --detach
curl --silent --fail --retry 30 --retry-all-errors --retry-delay 1 http://localhost:8080/x/ready
docker compose run --rm migrate confirm
