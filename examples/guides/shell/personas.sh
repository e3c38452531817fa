curl --location --cookie-jar cookies 'http://localhost:3000/login?as=ada'
curl --cookie cookies http://localhost:3000/admin
