cd deploy && (
  set -eu
  mkdir --mode 700 secrets
  echo "LATCHKEY_TAG=$(git describe --tags --always)" >> .env
  openssl rand -base64 32 > secrets/master-key
  openssl rand -hex 16 > secrets/postgres-password
  printf 'postgres://latchkey:%s@postgres/latchkey' "$(cat secrets/postgres-password)" > secrets/database
  chmod 444 secrets/*
  docker compose up --detach --build
  docker compose run --rm migrate tenant create --domain login.example.com
)
