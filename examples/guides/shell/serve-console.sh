latchkey-service serve --console-url https://console.example.com
