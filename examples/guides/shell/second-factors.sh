latchkey tenants update "$LATCHKEY_TENANT" --set settings.allow_totp_app=true --set settings.allow_totp_email=true
