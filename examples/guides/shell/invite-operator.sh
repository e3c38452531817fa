latchkey-service operator invite \
  --email ada@example.com --role owner --console-url https://console.example.com
