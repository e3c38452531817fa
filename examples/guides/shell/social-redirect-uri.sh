latchkey-service connection redirect-uri --data ./data --tenant "$LATCHKEY_TENANT" --recipe google
