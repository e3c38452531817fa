docker build --file deploy/Containerfile --tag latchkey-service .
docker run --detach --name login --publish 127.0.0.1:4400:4400 --volume login:/data --env LATCHKEY_DATA=/data \
  --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges --stop-timeout 20 latchkey-service
docker exec login node /app/dist/cli/main.js tenant create --domain login.example.com
