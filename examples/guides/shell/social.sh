latchkey-service connection add --data ./data --tenant "$LATCHKEY_TENANT" \
  --recipe google --client-id "$GOOGLE_CLIENT_ID" --secret-file google.secret
latchkey tenants update "$LATCHKEY_TENANT" --set settings.allow_social=true
