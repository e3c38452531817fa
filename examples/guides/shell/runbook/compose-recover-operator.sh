docker compose run --rm migrate operator recover --email ada@example.com --console-url https://console.example.com
