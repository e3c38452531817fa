latchkey credentials delete totp_app --user "$USER_ID"
