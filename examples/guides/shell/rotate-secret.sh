latchkey-service application rotate-secret "$LATCHKEY_CLIENT_ID" --tenant "$LATCHKEY_TENANT"
