"""A Django project in one file that is an OpenID provider by django-oauth-toolkit.

Its folder holds the database and the signing key; arguments are the port and, as JSON, the application
and the user.
"""

import json
import sys
from pathlib import Path

import django
from django.conf import settings
from django.core.management import call_command
from django.http import HttpResponse
from django.urls import include, path

folder = Path.cwd()
port, application, user = sys.argv[1], json.loads(sys.argv[2]), json.loads(sys.argv[3])

settings.configure(
    DEBUG=True,
    SECRET_KEY="the secret of the provider",
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF="__main__",
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": folder / "db.sqlite3"}},
    INSTALLED_APPS=[
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "django.contrib.sessions",
        "oauth2_provider",
    ],
    MIDDLEWARE=[
        "django.middleware.common.CommonMiddleware",
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
    ],
    TEMPLATES=[
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "DIRS": [folder / "templates"],
            "APP_DIRS": True,
            "OPTIONS": {
                "context_processors": [
                    "django.template.context_processors.request",
                    "django.contrib.auth.context_processors.auth",
                ]
            },
        }
    ],
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    LOGIN_URL="/login/",
    OAUTH2_PROVIDER={
        "OIDC_ENABLED": True,
        "OIDC_RSA_PRIVATE_KEY": (folder / "signing.pem").read_text(),
        "OAUTH2_VALIDATOR_CLASS": "__main__.Validator",
        "SCOPES": {"openid": "OpenID Connect", "profile": "Name", "email": "Email"},
        "PKCE_REQUIRED": True,
    },
)
django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.contrib.auth.views import LoginView  # noqa: E402
from oauth2_provider.models import get_application_model  # noqa: E402
from oauth2_provider.oauth2_validators import OAuth2Validator  # noqa: E402


class Validator(OAuth2Validator):
    """Adds the claims, which the toolkit leaves to the project."""

    def get_additional_claims(self, request):
        return {"name": request.user.get_full_name(), "email": request.user.email}


urlpatterns = [
    path("login/", LoginView.as_view()),
    path("", lambda request: HttpResponse("ready")),
    path("o/", include("oauth2_provider.urls", namespace="oauth2_provider")),
]

if __name__ == "__main__":
    templates = folder / "templates" / "registration"
    templates.mkdir(parents=True, exist_ok=True)
    (templates / "login.html").write_text(
        '<form method="post">{% csrf_token %}{{ form.as_p }}'
        '<input type="hidden" name="next" value="{{ next }}"><button>Log in</button></form>'
    )
    call_command("migrate", verbosity=0)
    User.objects.create_user(
        user["username"], user["email"], user["password"], first_name=user["name"]
    )
    get_application_model().objects.create(
        client_id="app",
        client_secret=application["secret"],
        client_type="confidential",
        authorization_grant_type="authorization-code",
        redirect_uris=application["redirectUri"],
        algorithm="RS256",
    )
    call_command("runserver", f"127.0.0.1:{port}", use_reloader=False)
