latchkey-service audit --limit 20
