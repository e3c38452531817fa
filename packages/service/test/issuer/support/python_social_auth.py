"""An application with python-social-auth: prints where it sends its visitor, reads the callback, prints the user."""

import json
import sys
import urllib.parse

from social_core.backends.open_id_connect import OpenIdConnectAuth
from social_core.strategy import BaseStrategy

issuer, client_id, client_secret, callback = sys.argv[1:]
settings = {
    'SOCIAL_AUTH_OIDC_OIDC_ENDPOINT': issuer,
    'SOCIAL_AUTH_OIDC_KEY': client_id,
    'SOCIAL_AUTH_OIDC_SECRET': client_secret,
}


class Associations:
    """Where the nonce of a login is kept."""

    kept = {}

    def store(self, url, association):
        association.id = association.handle
        self.kept[association.handle] = association

    def get(self, server_url, handle):
        return [self.kept[handle]] if handle in self.kept else []

    def remove(self, ids):
        for handle in ids:
            self.kept.pop(handle)


class Storage:
    association = Associations()


class Strategy(BaseStrategy):
    session = {}
    data = {}

    def build_absolute_uri(self, path=None):
        return path

    def get_setting(self, name):
        return settings[name]

    def request_data(self, merge=True):
        return self.data

    def session_get(self, name, default=None):
        return self.session.get(name, default)

    def session_set(self, name, value):
        self.session[name] = value

    def session_pop(self, name):
        return self.session.pop(name, None)

    def authenticate(self, backend, *args, response=None, **kwargs):
        return backend.get_user_details(response)


strategy = Strategy(Storage())
backend = OpenIdConnectAuth(strategy, redirect_uri=callback)
print(backend.auth_url(), flush=True)
query = urllib.parse.urlparse(sys.stdin.readline().strip()).query
strategy.data = backend.data = dict(urllib.parse.parse_qsl(query))
print(json.dumps(backend.auth_complete()), flush=True)
