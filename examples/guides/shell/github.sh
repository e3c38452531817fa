latchkey-service connection add --data ./data --tenant "$LATCHKEY_TENANT" \
  --recipe github --client-id "$GITHUB_CLIENT_ID" --secret-file github.secret
latchkey tenants update "$LATCHKEY_TENANT" --set settings.allow_social=true
