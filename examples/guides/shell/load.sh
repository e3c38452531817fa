export LATCHKEY_URL=https://login.example.com LATCHKEY_ISSUER=https://login.example.com
export LATCHKEY_TENANT=ten_… LATCHKEY_CLIENT_ID=app_…
latchkey-service load --confirm login.example.com --api-key-file key --client-secret-file secret \
  --redirect-uri https://shop.example/callback --users 200 --concurrency 32 --seconds 120
