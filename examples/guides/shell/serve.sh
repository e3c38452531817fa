latchkey-service serve \
  --trusted-proxy 10.0.0.0/8 \
  --smtp-url smtp://user:password@mail.example.com:587 \
  --mail-from login@example.com
