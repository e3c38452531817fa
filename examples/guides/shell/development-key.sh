export LATCHKEY_DEVELOPMENT_KEY=$(openssl rand -hex 16)
