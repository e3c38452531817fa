latchkey-service keys rotate
