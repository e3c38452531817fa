latchkey applications create --set name=Shop
latchkey routes sync --base-url https://shop.example.com
latchkey applications list --output json
