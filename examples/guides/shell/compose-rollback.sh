echo "LATCHKEY_TAG=$EARLIER" >> .env
docker compose up --detach --no-deps service
curl --silent --fail --retry 30 --retry-all-errors --retry-delay 1 http://localhost:8080/x/ready
