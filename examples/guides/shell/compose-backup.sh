umask 077
docker compose exec --no-TTY postgres pg_dump --username latchkey --format custom latchkey > latchkey.dump
