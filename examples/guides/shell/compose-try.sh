LATCHKEY_TAG=try docker compose --file deploy/compose.yaml --file deploy/compose.try.yaml up --detach --build
