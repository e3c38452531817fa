(
  set -eu
  docker compose up --detach redis
  curl --silent --fail --retry 30 --retry-all-errors --retry-delay 1 http://localhost:8080/x/ready
  docker compose run --rm migrate doctor
)
