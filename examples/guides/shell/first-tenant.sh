latchkey-service tenant create --domain login.example.com --company-name Example
latchkey-service key create --name setup --all-tenants
