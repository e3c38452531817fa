docker compose build
docker compose run --rm migrate
docker compose up --detach
