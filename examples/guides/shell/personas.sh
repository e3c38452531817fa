curl --cookie-jar cookies "http://localhost:3000/__latchkey?key=$LATCHKEY_DEVELOPMENT_KEY"
curl --location --cookie cookies --cookie-jar cookies 'http://localhost:3000/login?as=ada'
curl --cookie cookies http://localhost:3000/admin
