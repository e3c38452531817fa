latchkey credentials list --user "$USER_ID"
