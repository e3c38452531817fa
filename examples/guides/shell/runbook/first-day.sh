(
  set -eu
  systemctl enable --now latchkey
  curl --silent --fail --retry 30 --retry-all-errors --retry-delay 1 "$LATCHKEY_URL/x/ready"
  latchkey-service tenant create --domain login.example.com --company-name Example
  latchkey-service operator invite --email ada@example.com --role owner --console-url https://console.example.com
  mkdir -p keys backup
  cp "$LATCHKEY_DATA/master.key" "keys/master.key.$(date +%F)"
  latchkey-service backup "backup/$(date +%F).db" --data "$LATCHKEY_DATA"
)
