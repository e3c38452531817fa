latchkey-service operator recover \
  --email ada@example.com --console-url https://console.example.com
