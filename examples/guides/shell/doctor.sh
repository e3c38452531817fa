latchkey doctor --issuer https://login.example.com --base-url https://shop.example.com
