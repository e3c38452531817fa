"""An application with Authlib: prints where it sends its visitor, reads the callback, prints the user."""

import json
import sys

import requests
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session
from authlib.jose import JsonWebKey, jwt
from authlib.oidc.core import CodeIDToken

issuer, client_id, client_secret, callback = sys.argv[1:]


def login(read_answer):
    # #region authlib
    metadata = requests.get(f'{issuer}/.well-known/openid-configuration').json()
    client = OAuth2Session(
        client_id,
        client_secret,
        scope='openid email profile',
        redirect_uri=callback,
        code_challenge_method='S256',
    )
    verifier = generate_token(48)
    url, state = client.create_authorization_url(
        metadata['authorization_endpoint'], code_verifier=verifier
    )
    answer = read_answer(url)
    token = client.fetch_token(
        metadata['token_endpoint'],
        authorization_response=answer,
        state=state,
        code_verifier=verifier,
    )
    keys = JsonWebKey.import_key_set(requests.get(metadata['jwks_uri']).json())
    required = {'iss': {'values': [issuer]}, 'aud': {'values': [client_id]}}
    user = jwt.decode(token['id_token'], keys, claims_cls=CodeIDToken, claims_options=required)
    user.validate()
    # #endregion
    return user


def ask(url):
    print(url, flush=True)
    return sys.stdin.readline().strip()


print(json.dumps(login(ask)), flush=True)
