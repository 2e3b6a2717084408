import hmac, hashlib

def verify(payload, header, secret):
    expected = hmac.new(secret, payload, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(expected, header):
        raise ValueError("bad signature")
