latchkey-service keys list --data ./data --tenant "$LATCHKEY_TENANT"
