(
  set -eu
  LATCHKEY_TAG="$EARLIER" docker compose up --detach --no-build --no-deps service
  echo "LATCHKEY_TAG=$EARLIER" >> .env
  curl --silent --fail --retry 30 --retry-all-errors --retry-delay 1 http://localhost:8080/x/ready
)
