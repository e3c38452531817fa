latchkey users update "$USER_ID" --set disabled=true
