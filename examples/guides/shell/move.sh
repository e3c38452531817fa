latchkey-service move --data ./data
