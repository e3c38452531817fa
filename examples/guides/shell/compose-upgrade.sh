(
  set -eu
  LATCHKEY_TAG="$(git describe --tags --always)"
  export LATCHKEY_TAG
  docker compose build
  docker compose run --rm migrate
  docker compose up --detach
  echo "LATCHKEY_TAG=$LATCHKEY_TAG" >> .env
  curl --silent --fail --retry 30 --retry-all-errors --retry-delay 1 http://localhost:8080/x/ready
)
