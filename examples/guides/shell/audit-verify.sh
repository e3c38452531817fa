latchkey-service audit verify
