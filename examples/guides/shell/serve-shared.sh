latchkey-service migrate
latchkey-service serve --no-migrate --trusted-proxy 10.0.0.0/8
