curl --location --cookie '' "http://localhost:3000/__latchkey?key=$LATCHKEY_DEVELOPMENT_KEY&text"
