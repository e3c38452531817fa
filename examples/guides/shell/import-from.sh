latchkey users import aspnet.csv
latchkey users import auth0.json --map 'id=_id.$oid'
latchkey users import clerk.csv
latchkey users import cognito.json
latchkey users import django.json --map hash=fields.password
latchkey users import firebase.json --firebase-hash firebase-hash.txt
latchkey users import keycloak.json
latchkey users import kratos.json --map email=traits.email --map email_verified=verifiable_addresses.0.verified
latchkey users import logto.csv
latchkey users import supabase.csv
latchkey users import wordpress.csv --blocks user_status
