(
  set -eu
  (umask 077; echo "LATCHKEY_CONSOLE_URL=https://console.example.com" >> service.env)
  docker compose up --detach
  curl --silent --fail --retry 30 --retry-all-errors --retry-delay 1 http://localhost:8080/x/ready
  docker compose run --rm migrate operator invite --email ada@example.com --role owner --console-url https://console.example.com
)
