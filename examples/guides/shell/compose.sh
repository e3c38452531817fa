cd deploy
printf 'LATCHKEY_MASTER_KEY=%s\nPOSTGRES_PASSWORD=%s\n' "$(openssl rand -base64 32)" "$(openssl rand -hex 16)" > .env
docker compose up --detach --build
docker compose run --rm migrate tenant create --domain login.example.com
