latchkey tenants update "$LATCHKEY_TENANT" --set settings.allow_hardware=true
