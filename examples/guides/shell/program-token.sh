curl -u "$CLIENT_ID:$CLIENT_SECRET" https://login.example.com/oidc/token \
  -d grant_type=client_credentials -d resource=https://api.example -d scope=notes:read
