docker compose --project-name latchkey-try down --volumes
