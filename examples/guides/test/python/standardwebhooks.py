"""The part of the library standardwebhooks that the guide uses, by the specification Standard Webhooks 1.0."""

import base64
import hashlib
import hmac
import json
import time


class WebhookVerificationError(Exception):
    pass


class Webhook:
    def __init__(self, secret):
        self.key = base64.b64decode(secret.removeprefix("whsec_"))

    def verify(self, body, headers):
        sent = {name.lower(): value for name, value in headers.items()}
        try:
            at, id = sent["webhook-timestamp"], sent["webhook-id"]
            signatures = sent["webhook-signature"].split(" ")
            age = abs(time.time() - int(at))
        except (KeyError, ValueError):
            raise WebhookVerificationError("headers")
        if age > 300:
            raise WebhookVerificationError("time")
        signed = f"{id}.{at}.".encode() + body
        mac = base64.b64encode(hmac.new(self.key, signed, hashlib.sha256).digest()).decode()
        if not any(hmac.compare_digest(f"v1,{mac}", one) for one in signatures):
            raise WebhookVerificationError("signature")
        return json.loads(body)
