echo "LATCHKEY_TAG=$(git describe --tags --always)" >> .env
docker compose build
docker compose run --rm migrate
docker compose up --detach
curl --silent --fail --retry 30 --retry-all-errors --retry-delay 1 http://localhost:8080/x/ready
