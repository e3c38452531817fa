latchkey login --url https://api.example.com # shows an address and a code
latchkey users search ada --url https://api.example.com
latchkey logout --url https://api.example.com
