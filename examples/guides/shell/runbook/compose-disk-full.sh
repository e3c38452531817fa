docker compose exec --no-TTY postgres df --human-readable /var/lib/postgresql/data
docker system df
docker builder prune --force
curl --silent --fail --retry 30 --retry-all-errors --retry-delay 1 http://localhost:8080/x/ready
